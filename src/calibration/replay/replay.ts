import { balanceOf } from "../../domain/accounts/ledger.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { MONEY_STORED_MAX, fromXof, toXof } from "../../domain/values/money.js";
import { memberOf } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { advance } from "../../sandbox/company/advance.js";
import type { Company } from "../../sandbox/company/company.js";
import { DEFAULT_LIMITS } from "../../sandbox/company/limits.js";
import { DEFAULT_COMPANY, resolveOptions } from "../../sandbox/config/options.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import type { Presupposed } from "../earlier/presuppose.js";
import { suppose } from "../earlier/suppose.js";
import {
  type Entry,
  type ExchangeName,
  type History,
  type RecordedAnswer,
  type RecordedRequest,
  subjectOf,
} from "../recording/entry.js";
import { readHeaders } from "../recording/read-entry.js";
import { idInPath, plain } from "../recording/resources.js";
import { Bindings } from "./bindings.js";
import { type Comparison, type Difference, type FoundDifference, TOLERANCE_MS, compareBodies } from "./compare.js";
import { compareHeaders } from "./compare-headers.js";
import { type SentWebhook, compareWebhooks, missingWebhook, sentEventOf } from "./compare-webhooks.js";
import { chargeShownIn, failOutside, payOutside } from "./pay-outside.js";
import { BASE, rebuildRequest } from "./rebuild-request.js";
import { RecordedReceivers, isSuccess } from "./recorded-receivers.js";
import { type Uncompared, comparable, findUndone, isAboutUnknown, wasNotDone } from "./uncompared.js";

/** A request to the API of a sandbox, without a socket. */
export type FetchTo = (sandbox: Sandbox) => (request: Request) => Promise<Response>;

export interface ReplayOptions {
  readonly profile: ProfileOverrides;
  readonly presupposed: Presupposed;
  /** The balance at the start, XOF. */
  readonly balance: number;
  readonly secretKey: string | undefined;
  readonly fetchTo: FetchTo;
  /** Whether all requests had the right access token. Undefined: where the answer is 401, a request is taken to have had a wrong one. */
  readonly isTokenRight?: boolean | undefined;
  /** Whether the source has webhooks at all. */
  readonly comparesWebhooks: boolean;
  /** Set when only the differences are needed: what due work reads is not noted. */
  readonly isTrial?: boolean | undefined;
}

export interface Replayed {
  readonly differences: readonly FoundDifference[];
  /** For each setting, the places of the entries that read it first. */
  readonly reads: ReadonlyMap<string, readonly number[]>;
  /** How much more the service's account holds than the sandbox's, XOF; undefined when no answer shows it. */
  readonly balanceOffset: number | undefined;
  readonly firstBalance: number | undefined;
  /** How many answers and webhooks were compared, by operation or topic. */
  readonly compared: ReadonlyMap<string, number>;
  /** What was not compared, in words. */
  readonly assumptions: readonly string[];
  /** The requests that were not compared because they are about what the sandbox does not have. */
  readonly unknown: ReadonlySet<ExchangeName>;
}

/** The highest balance that the sandbox can be given, with room for what the recording adds. */
const BALANCE_MAX = toXof(MONEY_STORED_MAX) / 2;
const READS_KEPT = 3;
/** Little is kept of what is over, because nothing reads it and a recording may be long. */
const KEPT = { ...DEFAULT_LIMITS, requests: 1, events: 100, deliveries: 100 };
/** Settings that records depend on from their creation. */
const READ_BEFORE = ["charges.fee", "charges.ttl", "transfers.fee", "transfers.settlement"];
/** The number of entries after which the settings that due work has read are noted again. */
const DUE_READS_EVERY = 50;

/** Sends recorded requests to a sandbox with this profile, at the times of the recording, and compares what it answers and sends. */
export async function replay({ entries, companyId }: History, options: ReplayOptions): Promise<Replayed> {
  const run = new Replay(options, entries[0]?.at ?? 0, companyId);
  try {
    await run.play(entries);
    run.end();
    return run.result();
  } finally {
    await run.close();
  }
}

/** A sandbox to which the requests of a recording are sent, one after another. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #sandbox: Sandbox;
  readonly company: Company;
  /** Undefined while no request has shown it. */
  theirCompanyId: string | undefined;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #bindings = new Bindings();
  readonly #differences: FoundDifference[] = [];
  readonly #reads = new Map<string, number[]>();
  readonly #receivers: RecordedReceivers;
  /** How much later than the sandbox the service sends webhooks, by event. */
  readonly #delays = new Map<string, number>();
  #settings: readonly string[] = [];
  readonly #compared = new Map<string, number>();
  readonly #assumptions = new Set<string>();
  readonly #unknown = new Set<ExchangeName>();
  readonly #paidOverApi = new Set<string>();
  readonly #undone = new Set<RecordedRequest>();
  #balanceOffset: number | undefined;
  #firstBalance: number | undefined;
  #position = 0;

  constructor(options: ReplayOptions, start: Instant, companyId: string | undefined) {
    this.#options = options;
    this.theirCompanyId = companyId;
    const setup = {
      id: companyId ?? DEFAULT_COMPANY.id,
      tokens: [{ token: DEFAULT_COMPANY.token, expiresAt: null }],
      secretKey: options.secretKey ?? DEFAULT_COMPANY.secretKey,
      balance: fromXof(options.balance),
      frozenAt: start,
      profile: options.profile,
      fixtures: [options.presupposed.world],
    };
    const resolved = resolveOptions({ companies: [setup], seed: 1, limits: KEPT });
    const { records, world } = options.presupposed;
    this.#receivers = new RecordedReceivers(this.#bindings, records.subscriptions);
    const transport = this.#receivers.transport(() => this.company.now());
    this.#sandbox = new Sandbox(resolved, { transport, url: BASE });
    this.company = this.#sandbox.defaultCompany;
    if (world.charges.length > 0 || world.transactions.length > 0)
      for (const setting of READ_BEFORE) this.#reads.set(setting, [0]);
    this.company.run(suppose, records);
    this.#fetch = options.fetchTo(this.#sandbox);
    this.#sandbox.events.on("exchange", ({ exchange }) => void (this.#settings = exchange.settings));
  }

  /** Replays further entries of the recording. */
  async play(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) this.#foresee(entry);
    for (const request of findUndone(entries)) this.#undone.add(request);
    for (const entry of entries) await this.#take(entry);
    await this.#advanceTo(entries.at(-1)?.at ?? 0);
    this.#noteDueReads();
    if (!this.#options.comparesWebhooks) return;
    const { webhooks } = this.company.profile;
    const { secretKey, presupposed } = this.#options;
    const options = { ...this.#comparison(), webhooks, secretKey };
    const recorded = entries
      .filter((entry) => entry.kind === "webhook")
      .filter(({ exchange }) => !presupposed.earlier.has(exchange));
    const { differences, unpaired, delays } = compareWebhooks(recorded, this.#receivers.sent, options);
    this.#differences.push(...differences);
    this.#receivers.sent = unpaired;
    for (const [event, ms] of delays) this.#delays.set(event, ms);
    for (const { topic } of recorded) this.#countCompared(topic);
  }

  #countCompared(subject: string): void {
    this.#compared.set(subject, (this.#compared.get(subject) ?? 0) + 1);
  }

  /** The differences since the last call. */
  takeDifferences(): readonly FoundDifference[] {
    return this.#differences.splice(0);
  }

  /** Notes what later entries say about earlier ones: how receivers answer, and what is paid over the API. */
  #foresee(entry: Entry): void {
    if (entry.kind === "webhook") {
      this.#receivers.foresee(entry);
    } else if (entry.operation === "payCharge" && !isRefusal(entry.answer)) {
      this.#paidOverApi.add(idInPath(entry.path) ?? "");
    }
  }

  async #take(entry: Entry): Promise<void> {
    this.#position++;
    this.#receivers.exchange = entry.exchange;
    if (this.#position % DUE_READS_EVERY === 0) this.#noteDueReads();
    // By the time of the entry the charge may be dropped, so failed attempts are made before.
    this.#actOutside(entry, failOutside);
    await this.#advanceTo(entry.at);
    this.#actOutside(entry, payOutside);
    if (entry.kind === "webhook") return;
    this.#receivers.request = this.#put(entry);
    await this.#receivers.request;
  }

  /** Whether the sandbox has the resource with this id of the service. */
  knows(id: string): boolean {
    return this.#bindings.isBound(id);
  }

  /** Gives the sandbox's account what the service's account has. */
  adoptBalance(): void {
    if (this.#balanceOffset === undefined || this.#balanceOffset === 0) return;
    const balance = balanceOf(this.company) + fromXof(this.#balanceOffset);
    this.company.run(setBalance, balance);
    this.#balanceOffset = 0;
  }

  /** Ends the recording: webhooks that have not come are missing. Where an attempt was late, the next one may come after the end, and is not. */
  end(): void {
    if (!this.#options.comparesWebhooks) return;
    const delayOf = ({ body }: SentWebhook): number => this.#delays.get(sentEventOf(body, this.#bindings)) ?? 0;
    const missing = this.#receivers.sent.filter((webhook) => webhook.at + delayOf(webhook) <= this.company.now());
    for (const webhook of missing) this.#differences.push(missingWebhook(webhook));
  }

  result(): Replayed {
    return {
      differences: this.#differences,
      reads: this.#reads,
      balanceOffset: this.#balanceOffset,
      firstBalance: this.#firstBalance,
      compared: this.#compared,
      assumptions: [...this.#assumptions],
      unknown: this.#unknown,
    };
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }

  async #advanceTo(at: Instant): Promise<void> {
    await advance(this.company, { to: Math.max(at, this.company.now()) });
  }

  /** Notes the settings that due work has read since the last call. */
  #noteDueReads(): void {
    if (this.#options.isTrial === true) return;
    const { coverage } = this.#sandbox;
    const end = Math.max(0, this.#position - 1);
    const begin = Math.max(0, this.#position - DUE_READS_EVERY);
    const places = Array.from({ length: end - begin + 1 }, (_, index) => begin + index);
    for (const { setting, met } of coverage.tallyOf(this.company.id).report(this.company.world).openPoints) {
      if (met && !this.#reads.has(setting)) this.#reads.set(setting, places);
    }
  }

  #noteRead(setting: string): void {
    const known = this.#reads.get(setting) ?? [];
    if (known.length < READS_KEPT) this.#reads.set(setting, [...known, this.#position - 1]);
  }

  /** Does what customers have done on the payment page, which the recording does not show. */
  #actOutside(entry: Entry, act: typeof payOutside): void {
    const shown = chargeShownIn(entry);
    if (shown === undefined || this.#paidOverApi.has(plain(shown.id))) return;
    const charge = this.company.world.charges.get(this.#bindings.toOurs(shown.id));
    const done = charge?.status === "due" ? act(this.company, charge, shown) : undefined;
    if (done !== undefined) this.#assumptions.add(done);
  }

  async #put(recorded: RecordedRequest): Promise<void> {
    const uncompared = this.#uncompared();
    if (wasNotDone(recorded, this.#undone, uncompared)) return;
    const response = await this.#fetch(this.#rebuild(recorded));
    const text = await response.text();
    for (const setting of this.#settings) this.#noteRead(setting);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const answer = comparable(recorded, body, uncompared);
    if (answer === undefined) return;
    if (isAboutUnknown(recorded, response.status, uncompared)) {
      this.#unknown.add(recorded.exchange);
      // The request may have moved money.
      this.#balanceOffset = undefined;
      return;
    }
    const subject = subjectOf(recorded);
    this.#countCompared(subject);
    // Tools and the proxy hide tokens, so only the answer says whether one was right.
    if (answer.status === 401 && this.#options.isTokenRight !== true)
      this.#assumptions.add(`Where ${subject} is answered with 401, the access token was wrong.`);
    if (recorded.operation === "getBalance") this.#noteBalance(answer.body, body);
    const headers = readHeaders((name) => response.headers.get(name));
    const ours = { status: response.status, headers, body };
    for (const difference of this.#compare(answer, ours)) {
      this.#differences.push({ ...difference, exchange: recorded.exchange, subject });
    }
  }

  #uncompared(): Uncompared {
    return { company: this.company, bindings: this.#bindings, note: (text) => void this.#assumptions.add(text) };
  }

  #rebuild(recorded: RecordedRequest): Request {
    return rebuildRequest(recorded, {
      bindings: this.#bindings,
      cursorParameter: this.company.profile.paging.cursorParameter,
      companyId: this.company.id,
      theirCompanyId: this.theirCompanyId,
      isTokenRight: this.#options.isTokenRight === true,
    });
  }

  #compare(theirs: RecordedAnswer, ours: RecordedAnswer): Difference[] {
    const status: Difference[] =
      theirs.status === ours.status
        ? []
        : [{ pointer: "/status", kind: "status", expected: ours.status, got: theirs.status }];
    // When the outcomes differ, every field does. A 5xx may come from a gateway, and says nothing about the service's answers.
    if (isSuccess(theirs.status) !== isSuccess(ours.status) || theirs.status >= 500) return status;
    const bodies = compareBodies(theirs.body, ours.body, this.#comparison());
    return [...status, ...compareHeaders(theirs, ours), ...bodies];
  }

  /** The first balance shows what the account held before the recording. Later ones are compared. */
  #noteBalance(theirs: unknown, ours: unknown): void {
    const [their, our] = [theirs, ours].map((body) => memberOf(body, "balance"));
    if (this.#balanceOffset !== undefined || typeof their !== "number" || typeof our !== "number") return;
    if (Math.abs(their) > BALANCE_MAX) return;
    this.#balanceOffset = their - our;
    this.#firstBalance ??= their;
  }

  #comparison(): Comparison {
    return { bindings: this.#bindings, toleranceMs: TOLERANCE_MS, balanceOffset: this.#balanceOffset ?? 0 };
  }
}

function isRefusal(answer: RecordedAnswer | undefined): boolean {
  return answer !== undefined && answer.status >= 400 && answer.status < 500;
}
