import { balanceOf } from "../../domain/accounts/ledger.js";
import { toXof } from "../../domain/values/money.js";
import { isObject, memberOf } from "../../kernel/messages/json.js";
import { freeName } from "../../kernel/messages/text.js";
import { type Change, isChangeOf } from "../../kernel/records/unit-of-work.js";
import { parseInstant } from "../../kernel/time/instant.js";
import type { Company } from "../../sandbox/company/company.js";
import { type Redactor, redactPath } from "../../sandbox/observation/redact.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { ControlCalled } from "../../sandbox/sandbox-events.js";
import { renderOrder } from "../../sandbox/state/rules.js";
import { OTHERS_MAX } from "../run/company-world.js";
import {
  describeCall,
  describeExchange,
  describeWebhook,
  isUnreadable,
  lookUp,
  lookUpDelivery,
  lookUpMade,
} from "./describe.js";
import type { OtherCompany, Recorded, RecordedRequest, Recording } from "./recorded.js";
import { type RenderOptions, renderRecording } from "./render-recording.js";

/** The most bytes of the bodies and answers of a recording, as JSON. `limits.recordedRequests` limits the number of requests. */
const RECORDED_BYTES_MAX = 64 * 1024 * 1024;

/** The memory that an identifier, or the name of a header, takes beside its text. A look-up may find thousands. */
const ID_BYTES = 100;

/** Records all companies from its creation on, from the point of view of the first company. */
export class Recorder {
  readonly #sandbox: Sandbox;
  readonly #bytesMax: number;
  /** What the first company began with. */
  readonly #session: Pick<Recording, "startedAt" | "companyId" | "given">;
  readonly #items: Recorded[] = [];
  readonly #problems: string[] = [];
  /** The names of other companies, keyed by id, and what each of them began with. */
  readonly #names = new Map<string, string>();
  readonly #others = new Map<string, OtherCompany>();
  /** Headers that a replay must send again, because rules are compared with them. */
  readonly #ruledHeaders = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #requests = 0;
  #bytes = 0;
  #leftOut = 0;
  #unreadable = 0;
  /** The turn of the first request beyond a limit. Everything later is left out, so that what is there is complete. */
  #fullAt = Number.POSITIVE_INFINITY;

  /** `fixtures`: the files that the first company began with, as paths relative to the recording. */
  constructor(sandbox: Sandbox, fixtures: readonly string[], bytesMax: number = RECORDED_BYTES_MAX) {
    const { defaultCompany, events } = sandbox;
    const { record, world } = defaultCompany;
    this.#sandbox = sandbox;
    this.#bytesMax = bytesMax;
    this.#session = {
      startedAt: defaultCompany.openedAt,
      companyId: defaultCompany.id,
      given: {
        balance: toXof(balanceOf(defaultCompany)),
        profile: record.overrides,
        rules: world.rules.values().map((rule) => renderOrder({ ...rule, times: rule.timesLeft })),
        fixtures,
      },
    };
    this.#lookUpRules(defaultCompany, undefined);
    this.#stops = [
      events.on("exchange", ({ exchange }) => this.#takeExchange(exchange)),
      events.on("controlled", (call) => this.#takeCall(call)),
      events.on("changed", ({ company, changes }) => this.#takeChanges(company, changes)),
      events.on("forgets", ({ company, reset }) => void (reset || this.#names.delete(company.id))),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  /** The number of recorded requests. */
  get size(): number {
    return this.#requests - this.#refusedWithSecret().length;
  }

  /** Sentences about what was left out. */
  notes(): readonly string[] {
    const withSecret = this.#refusedWithSecret().length;
    return [
      ...(this.#leftOut === 0 ? [] : [`It has reached its limit: the last ${this.#leftOut} request(s) are left out.`]),
      ...(this.#unreadable === 0
        ? []
        : [`${this.#unreadable} request(s) are left out, because their bodies could not be read.`]),
      ...(withSecret === 0
        ? []
        : [`${withSecret} request(s) are left out, because they were refused and hold secrets.`]),
    ];
  }

  /** What a scenario cannot repeat. Without it, the recording would show another session. */
  problems(): readonly string[] {
    return this.#problems.map(this.#sandbox.redactor.text);
  }

  /** The session so far as a scenario file. Identifiers become saved variables, and webhooks become expectations. */
  render(how?: RenderOptions): string {
    const leftOut = new Set(this.#refusedWithSecret());
    const items = this.#items.filter((item) => item.turn < this.#fullAt && !leftOut.has(item));
    const recording = { ...this.#session, others: this.#others, notes: this.notes(), items };
    return renderRecording(recording, this.#sandbox.redactor, how);
  }

  /** Refused requests that hold a secret. Without the secret, another body may be accepted or be refused for another reason. */
  #refusedWithSecret(): readonly Recorded[] {
    const { redactor } = this.#sandbox;
    return this.#items.filter((item) => item.kind === "request" && item.isRefused && isRedacted(item, redactor));
  }

  /** Whether a company belongs to a scenario. */
  #isIgnored(companyId: string): boolean {
    return this.#sandbox.opened.get(companyId)?.setup.ofScenario === true;
  }

  /** The name of a company in the recording; undefined for the first company. */
  #nameOf(companyId: string): string | undefined {
    if (companyId === this.#session.companyId) return undefined;
    const known = this.#names.get(companyId);
    if (known !== undefined) return known;
    const wanted = this.#sandbox.redactor.text(companyId).replace(/^company_/, "");
    const name = freeName(wanted, (each) => !this.#others.has(each));
    this.#names.set(companyId, name);
    const { openedAt } = this.#sandbox.findCompany(companyId) ?? {};
    this.#others.set(name, { setup: this.#sandbox.opened.get(companyId)?.setup, openedAt });
    return name;
  }

  get #hasTooManyCompanies(): boolean {
    return this.#others.size > OTHERS_MAX;
  }

  #keep(item: Recorded): void {
    if (this.#hasTooManyCompanies) this.#fullAt = Math.min(this.#fullAt, item.turn);
    if (item.turn >= this.#fullAt) return;
    if (item.kind === "request") this.#bytes += ID_BYTES * item.ids.length;
    this.#items.push(item);
  }

  #add(item: RecordedRequest): void {
    this.#bytes += item.path.length + JSON.stringify([item.body, item.rawBody, item.answer]).length;
    const { recordedRequests } = this.#sandbox.options.limits;
    const isFull = this.#requests >= recordedRequests || this.#bytes > this.#bytesMax || this.#hasTooManyCompanies;
    if (isFull) this.#fullAt = Math.min(this.#fullAt, item.turn);
    if (isFull) this.#leftOut++;
    else this.#requests++;
    this.#keep(item);
  }

  /** Notes the headers that a rule is compared with, unless the recording is full. */
  #noteHeaders(match: unknown): void {
    const headers = memberOf(match, "headers");
    if (!isObject(headers) || this.#fullAt !== Number.POSITIVE_INFINITY) return;
    for (const name of Object.keys(headers)) {
      if (name.startsWith("$") || this.#ruledHeaders.has(name.toLowerCase())) continue;
      this.#bytes += ID_BYTES + name.length;
      this.#ruledHeaders.add(name.toLowerCase());
    }
  }

  #lookUpRules({ world }: Company, as: string | undefined): void {
    const rules = world.rules.values().toReversed();
    for (const { on, match } of rules) if (on === "request") this.#noteHeaders(match);
    if (rules.length === 0) return;
    this.#keep(lookUp({ turn: this.#sandbox.takeTurn(), as, path: "/rules?limit=1000", base: "rule" }, rules));
  }

  #takeExchange(exchange: Exchange): void {
    const ownerId = (exchange.company ?? exchange.named)?.id ?? this.#session.companyId;
    if (this.#isIgnored(ownerId)) return;
    const as = this.#nameOf(ownerId);
    if (isUnreadable(exchange)) return void this.#unreadable++;
    const isSeeded = this.#sandbox.options.seed !== undefined;
    this.#add(describeExchange(exchange, { as, ownerId, ruledHeaders: this.#ruledHeaders, isSeeded }));
    const made = lookUpMade(exchange, as);
    if (made !== undefined) this.#keep(made);
  }

  #takeCall(call: ControlCalled): void {
    const { route, id, turn, companyId = this.#session.companyId } = call;
    const isRemoval = route === "DELETE /companies/:id";
    if (this.#isIgnored(isRemoval ? id : companyId) || IGNORED_CALLS.has(route)) return;
    if (isRemoval) return this.#remove(id);
    if (route === "POST /reset") return companyId === "*" ? this.#resetAll(turn) : this.#reset(companyId, turn);
    const company = this.#sandbox.findCompany(companyId);
    const as = this.#nameOf(companyId);
    if (CLOCK_CALLS.has(route))
      return this.#keep({ kind: "time", turn: this.#sandbox.takeTurn(), at: company?.now(), as });
    if (route === "POST /deliveries/:id/redeliver") return this.#redeliver(call, company, as);
    if (route === "PUT /state" || route === "PUT /snapshots/:id") return this.#replaceState(call, company, as);
    if (route === "POST /rules" && isObject(call.body)) this.#noteHeaders(call.body["match"]);
    const savedAt = route === "POST /snapshots/:id" ? parseInstant(memberOf(call.answer, "now")) : undefined;
    this.#add({ ...describeCall(call), as, at: savedAt ?? call.at });
  }

  #remove(companyId: string): void {
    if (companyId !== this.#session.companyId) return void this.#names.delete(companyId);
    this.#problems.push(
      `DELETE /_sandbox/companies/${companyId}: it removes the company that is recorded. Reset it instead.`,
    );
  }

  #resetAll(turn: number): void {
    for (const id of [this.#session.companyId, ...this.#names.keys()])
      if (this.#sandbox.findCompany(id) !== undefined) this.#reset(id, turn);
  }

  #reset(companyId: string, turn: number): void {
    const as = this.#nameOf(companyId);
    const plain = { kind: "request", method: "POST", path: "/_sandbox/reset", body: undefined, status: 200 } as const;
    const company = this.#sandbox.findCompany(companyId);
    const begun = company === undefined ? {} : { resetTo: company.openedAt };
    this.#add({ ...plain, turn, at: undefined, as, ids: [], isReset: true, ...begun });
    if (company !== undefined) this.#lookUpRules(company, as);
  }

  #redeliver(call: ControlCalled, company: Company | undefined, as: string | undefined): void {
    const { turn, at } = call;
    const delivery = company?.world.deliveries.get(call.id);
    if (delivery !== undefined && company !== undefined) this.#keep(lookUpDelivery(delivery, company, { turn, as }));
    this.#add({ ...describeCall(call), as, at });
    if (delivery === undefined) return;
    const isRuled = delivery.effect !== null || delivery.copy > 0;
    this.#keep({ ...describeWebhook(delivery), turn, at: undefined, as, isRuled });
  }

  /** In the recording, the clock of a state is frozen, as that of a scenario is. */
  #replaceState(call: ControlCalled, company: Company | undefined, as: string | undefined): void {
    const { at, route, id, body } = call;
    const now = memberOf(memberOf(body, "clock"), "now");
    // Not `company.now()`: a running clock has gone on since then.
    const resetTo = parseInstant(now) ?? company?.record.snapshots.get(id)?.now ?? company?.now();
    const isState = route === "PUT /state" && isObject(body);
    const sent = isState ? { ...body, clock: { mode: "frozen", now } } : body;
    this.#add({
      ...describeCall(call),
      as,
      at,
      body: sent,
      ...(resetTo === undefined ? {} : { resetTo }),
    });
    if (company !== undefined) this.#lookUpRules(company, as);
  }

  #takeChanges(company: Company, changes: readonly Change[]): void {
    if (changes.length === 0 || this.#isIgnored(company.id)) return;
    const isRuled = isUnderDeliveryRule(company, changes);
    for (const change of changes) {
      if (!isChangeOf(company.world.deliveries, change) || change.before !== undefined || change.after === undefined)
        continue;
      const { body, createdAt } = change.after;
      const turn = this.#sandbox.takeTurn();
      this.#bytes += body.length;
      this.#keep({ ...describeWebhook(change.after), turn, at: createdAt, as: this.#nameOf(company.id), isRuled });
    }
  }
}

/** Calls that change nothing that a scenario sees: a scenario has its own credentials, and opens companies at their first use. */
const IGNORED_CALLS: ReadonlySet<string> = new Set([
  "POST /companies",
  "POST /companies/:id/rotate",
  "POST /sign",
  "DELETE /requests",
  "POST /requests/verify",
  "POST /scenarios/replay",
]);

const CLOCK_CALLS: ReadonlySet<string> = new Set(["PUT /clock", "POST /clock/advance", "POST /settle"]);

/** Whether a rule may apply to these deliveries. The same change may have used up the rule. */
function isUnderDeliveryRule({ world }: Company, changes: readonly Change[]): boolean {
  return (
    world.rules.values().some(({ on }) => on === "delivery") ||
    changes.some((change) => isChangeOf(world.rules, change) && change.before?.on === "delivery")
  );
}

function isRedacted({ path, body, rawBody, headers }: RecordedRequest, redactor: Redactor): boolean {
  const sent = { body, rawBody, headers };
  return redactPath(path, redactor) !== path || JSON.stringify(redactor.value(sent)) !== JSON.stringify(sent);
}
