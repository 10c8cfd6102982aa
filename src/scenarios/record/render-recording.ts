import { Document } from "yaml";
import { plainId } from "../../domain/values/ids.js";
import { findTopic } from "../../domain/values/topic.js";
import { toXof } from "../../domain/values/money.js";
import { matcherProblems } from "../../kernel/matchers.js";
import { isObject } from "../../kernel/messages/json.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { type Instant, toIso } from "../../kernel/time/instant.js";
import { type Redactor, redactPath } from "../../sandbox/observation/redact.js";
import { renderOrder } from "../../sandbox/state/rules.js";
import { KnownTexts } from "./known-texts.js";
import type { Recorded, RecordedRequest, RecordedWebhook, Recording } from "./recorded.js";

export interface RenderOptions {
  /** Whether to leave out the delays of rules, which take real time. */
  readonly isQuick?: boolean;
}

/** Renders the session as a scenario file. */
export function renderRecording(
  recording: Recording,
  redactor: Redactor,
  { isQuick = false }: RenderOptions = {},
): string {
  const { startedAt, given, notes } = recording;
  const { balance, profile, rules, fixtures } = given;
  const steps = new Renderer(recording, redactor, isQuick).render();
  const session = {
    name: "A recorded session",
    tags: ["recorded"],
    given: {
      clock: toIso(startedAt),
      balance,
      ...(Object.keys(profile).length > 0 ? { profile: redactor.value(profile) } : {}),
      ...(rules.length > 0 ? { rules: redactor.value(isQuick ? rules.map(withoutDelay) : rules) } : {}),
      ...(fixtures.length > 0 ? { fixtures: redactor.value(fixtures) } : {}),
    },
    steps: steps.length > 0 ? steps : [{ settle: true }],
  };
  const document = new Document(session, { aliasDuplicateObjects: false });
  const origin = "Recorded by `start --record`. Replay it with `npx business-payments-sandbox replay`.";
  document.commentBefore = ["", origin, ...notes].join(" ");
  return document.toString({ lineWidth: 120 });
}

/** A step, and the variables that it could save. */
interface Draft {
  readonly step: Readonly<Record<string, unknown>>;
  readonly saves: readonly (readonly [name: string, path: string])[];
  /** The step to write when no later step uses its variables; undefined for none. */
  readonly otherwise: Readonly<Record<string, unknown>> | undefined;
}

class Renderer {
  readonly #recording: Recording;
  readonly #redactor: Redactor;
  readonly #isQuick: boolean;
  readonly #known = new KnownTexts();
  readonly #drafts: Draft[] = [];
  /** How far each company has come, in the time of the session. */
  readonly #clocks = new Map<string | undefined, Instant>();
  /** The names of other companies that have begun. */
  readonly #begun = new Set<string>();
  readonly #subscriptions = new Set<string>();
  readonly #urls = new Set<string>();
  /** How many equal webhooks have come so far. */
  readonly #counts = new Map<string, number>();
  /** The webhooks of the last step, which are expected together. */
  readonly #awaited = new Map<string, RecordedWebhook>();

  constructor(recording: Recording, redactor: Redactor, isQuick: boolean) {
    this.#recording = recording;
    this.#redactor = redactor;
    this.#isQuick = isQuick;
    this.#known.add(recording.companyId, "${companyId}");
    for (const [name, { setup, openedAt }] of recording.others) {
      if (setup !== undefined) this.#known.add(setup.id, undefined);
      if (openedAt !== undefined) this.#clocks.set(name, openedAt);
    }
  }

  render(): readonly unknown[] {
    // The sort is stable: items of one turn stay in the order in which they were recorded.
    const items = this.#recording.items.toSorted((a, b) => a.turn - b.turn);
    for (const { subscribed } of items.filter((item) => item.kind === "request"))
      if (subscribed !== undefined) this.#subscriptions.add(subscribed.id);
    const ruled = new Set(items.flatMap((item) => (item.kind === "webhook" && item.isRuled ? keyOf(item) : [])));
    for (const item of items) {
      if (item.kind === "webhook" && (ruled.has(keyOf(item)) || !this.#subscriptions.has(item.subscriptionId)))
        continue;
      this.#begin(item);
      if (item.at !== undefined) this.#advanceTo(item.at, item.as);
      if (item.kind === "request") this.#addRequest(item);
      if (item.kind === "webhook") this.#await(item);
    }
    this.#addAwaited();
    return this.#finish();
  }

  #push(draft: Draft): void {
    this.#addAwaited();
    this.#drafts.push(draft);
  }

  #add(step: Draft["step"]): void {
    this.#push({ step, saves: [], otherwise: step });
  }

  /** Adds a step that calls the control API for the company of that name. */
  #control(request: string, as: string | undefined, body?: unknown): void {
    this.#add({ request, ...(as === undefined ? {} : { as }), ...(body === undefined ? {} : { body }) });
  }

  /** Makes another company begin as the recorded one did. */
  #begin({ as }: Recorded): void {
    if (as === undefined || this.#begun.has(as)) return;
    this.#begun.add(as);
    const { setup } = this.#recording.others.get(as) ?? {};
    if (setup === undefined) return;
    const { given } = this.#recording;
    const balance = toXof(setup.balance);
    if (balance !== given.balance) this.#control("PUT /_sandbox/balance", as, { balance });
    if (JSON.stringify(setup.profile) !== JSON.stringify(given.profile)) {
      const defaults = Object.fromEntries(Object.keys(given.profile).map((name) => [name, null]));
      this.#control("PATCH /_sandbox/profile", as, defaults);
      this.#control("PATCH /_sandbox/profile", as, this.#redactor.value(setup.profile));
    }
    for (const rule of setup.rules ?? []) this.#control("POST /_sandbox/rules", as, this.#ruleOf(renderOrder(rule)));
  }

  #ruleOf(rule: unknown): unknown {
    return this.#known.fill(this.#redactor.value(this.#isQuick ? withoutDelay(rule) : rule));
  }

  #advanceTo(at: Instant, as: string | undefined): void {
    const now = this.#clocks.get(as) ?? this.#recording.startedAt;
    if (at <= now) return;
    this.#clocks.set(as, at);
    const by = formatDuration(at - now);
    if (as === undefined) this.#add({ advance: by });
    else this.#control("POST /_sandbox/clock/advance", as, { by });
  }

  #addRequest(item: RecordedRequest): void {
    const { method, as, token, headers = {}, rawBody, subscribed, resetTo, isReset = false, ids, isLookup } = item;
    const { text, value } = this.#redactor;
    if (subscribed !== undefined && !this.#urls.has(subscribed.url)) {
      this.#urls.add(subscribed.url);
      // There is one receiver with a different URL for each subscription, because a second subscription of the same URL is something else.
      this.#known.add(text(subscribed.url), this.#urls.size === 1 ? "${receiver}" : `\${receiver}?${this.#urls.size}`);
    }
    const isRule = item.path === "/_sandbox/rules" && method === "POST";
    const body = isRule ? this.#ruleOf(item.body) : this.#known.fill(value(item.body));
    const sent = Object.entries(headers).map(([name, header]) => [
      name,
      header === null ? null : this.#known.fillText(text(header)),
    ]);
    const step = {
      request: `${method} ${this.#known.fillText(redactPath(item.path, this.#redactor))}`,
      ...(as === undefined ? {} : { as }),
      ...(token === undefined ? {} : { token }),
      ...(sent.length > 0 ? { headers: Object.fromEntries(sent) } : {}),
      ...(rawBody === undefined ? {} : { rawBody: text(rawBody).replaceAll("${", () => "$${") }),
      ...(rawBody !== undefined || body === undefined ? {} : { body }),
      expect: this.#expectation(item),
    };
    // Webhooks show the id without its prefix. The API accepts both.
    const saves = ids.map(({ text: id, base, path }): Draft["saves"][number] => [
      this.#known.addVariable(id, plainId(id), base),
      `body.${path}`,
    ]);
    const otherwise = isLookup ? undefined : isRule && as === undefined ? { rule: body } : step;
    this.#push({ step, saves, otherwise });
    if (resetTo !== undefined) this.#clocks.set(as, resetTo);
    if (isReset && as !== undefined) this.#begun.delete(as);
  }

  #expectation({ status, answer }: RecordedRequest): unknown {
    if (status === undefined) return { lost: true };
    if (answer === undefined) return { status };
    const expected = this.#known.fillExpected(escapeMatchers(withoutVolatile(this.#redactor.value(answer))));
    // A scenario refuses what is too large or too deep.
    return matcherProblems(expected).length > 0 ? { status } : { status, body: expected };
  }

  #await(item: RecordedWebhook): void {
    const key = keyOf(item);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#awaited.set(key, item);
  }

  #addAwaited(): void {
    const awaited = [...this.#awaited];
    this.#awaited.clear();
    for (const [key, { topic, data: given }] of awaited) {
      const data = this.#known.fill(escapeMatchers(this.#redactor.value(given)));
      this.#add({ webhook: { topic, data, count: this.#counts.get(key) } });
    }
  }

  /** Only variables that a step uses are saved. */
  #finish(): readonly unknown[] {
    const texts = this.#drafts.map(({ step }) => JSON.stringify(step));
    const used = new Set(texts.flatMap((text) => [...text.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name]) => name)));
    return this.#drafts.flatMap(({ step, saves, otherwise }) => {
      const kept = saves.filter(([name]) => used.has(name));
      if (kept.length > 0) return [{ ...step, save: Object.fromEntries(kept) }];
      return otherwise === undefined ? [] : [otherwise];
    });
  }
}

/** The same key for webhooks that an expectation cannot distinguish. */
function keyOf({ topic, data }: RecordedWebhook): string {
  return JSON.stringify([findTopic(topic) ?? topic, data]);
}

/** Members whose values differ between runs. */
const VOLATILE: ReadonlySet<string> = new Set([
  "id",
  "createdAt",
  "updatedAt",
  "timestamp",
  "correlationId",
  "paymentUrl",
  "cursor",
  "url",
  "batchId",
]);

/** `metadata` is the caller's own data, returned as it was sent, so it is kept. So is what looks like a matcher. */
function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (!isObject(value) || hasOperators(value)) return value;
  const members = Object.entries(value).filter(([key]) => !VOLATILE.has(key));
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === "metadata" ? member : withoutVolatile(member)]),
  );
}

/** Escapes objects with keys that begin with `$`: they would be read as matchers. */
function escapeMatchers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapeMatchers);
  if (!isObject(value)) return value;
  if (hasOperators(value)) return { $exact: value };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, escapeMatchers(member)]));
}

function hasOperators(value: object): boolean {
  return Object.keys(value).some((key) => key.startsWith("$"));
}

/** Removes the delay of a request rule, which is real time. A `hang` without a delay takes a minute. */
function withoutDelay(rule: unknown): unknown {
  if (!isObject(rule) || rule["on"] !== "request" || !isObject(rule["then"])) return rule;
  const { then } = rule;
  return "delay" in then || then["fault"] === "hang" ? { ...rule, then: { ...then, delay: "0s" } } : rule;
}
