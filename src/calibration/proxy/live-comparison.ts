import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import { setCustomer } from "../../domain/accounts/customers.js";
import type { Profile } from "../../domain/profile/profile.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { memberOf } from "../../kernel/messages/json.js";
import { shorten } from "../../kernel/messages/text.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { emptyFixture } from "../../sandbox/state/fixture.js";
import { presuppose } from "../earlier/presuppose.js";
import { nothingSupposed, suppose } from "../earlier/suppose.js";
import { BALANCE_UNKNOWN } from "../infer/bench.js";
import { driftOf, nameDrift } from "../infer/drift.js";
import { markBesideMoney } from "../recording/beside-money.js";
import type { Entry, ExchangeName } from "../recording/entry.js";
import { readEntry } from "../recording/read-entry.js";
import { ServiceClock } from "../recording/service-clock.js";
import type { FoundDifference } from "../replay/compare.js";
import { type FetchTo, Replay } from "../replay/replay.js";
import type { Drift } from "../report/report.js";
import { messageOf } from "../../kernel/messages/problem.js";

export interface LiveComparisonOptions {
  readonly profile: ProfileOverrides;
  readonly secretKey: string | undefined;
  readonly fetchTo: FetchTo;
  readonly system: SystemClock;
  /** Whether webhooks pass through the proxy. */
  readonly comparesWebhooks: boolean;
  /** Called for the first difference of each kind. */
  readonly onDifference: (difference: Drift) => void;
  /** Called with a remark on what is compared. */
  readonly onNote: (note: string) => void;
}

/** Requests wait this long from their start, so that their webhooks, and requests that overlap them, are known when they are sent to the sandbox. */
const LAG_MS = 1_000;
/** How far the service's clock may be behind. */
const SKEW_MAX_MS = 24 * 3_600_000;
/** The most bytes of exchanges that may wait. Exchanges beyond this are not compared. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** Roughly what an exchange takes in addition to its bodies. */
const EXCHANGE_BYTES = 2_000;
/** The most kinds of differences that are kept. The names of members may be ids, so that each answer has new ones. */
const KINDS_MAX = 1_000;

/**
 * Sends the traffic to a sandbox of its own, some time later and between other work, and finds where the sandbox answers differently. Of what the service had
 * before the recording it supposes customers, subscriptions and the balance; traffic about anything else from before is not compared.
 */
export class LiveComparison {
  readonly #options: LiveComparisonOptions;
  readonly #replay: Replay;
  readonly #clock: ServiceClock;
  #waiting: { readonly exchange: HttpExchange; readonly index: number; readonly bytes: number }[] = [];
  #waitingBytes = 0;
  #isPlanned = false;
  #work: Promise<void> = Promise.resolve();
  /** For each kind of difference: the first one, the exchange with the last one, and how many exchanges have it. */
  readonly #found = new Map<string, { first: FoundDifference; last: ExchangeName; count: number }>();
  readonly #notes = new Set<string>();
  #hasFailed = false;

  constructor(options: LiveComparisonOptions) {
    this.#options = options;
    const { profile, secretKey, fetchTo, system, comparesWebhooks } = options;
    const yieldingFetchTo: FetchTo = (sandbox) => {
      const fetch = fetchTo(sandbox);
      return async (request) => {
        await system.yieldToEventLoop();
        return fetch(request);
      };
    };
    const presupposed = {
      world: emptyFixture,
      records: nothingSupposed,
      earlier: new Set<ExchangeName>(),
      assumptions: [],
    };
    const shared = { profile, secretKey, comparesWebhooks, presupposed, balance: BALANCE_UNKNOWN };
    const start = system.now() - SKEW_MAX_MS;
    this.#clock = new ServiceClock(start);
    this.#replay = new Replay({ ...shared, fetchTo: yieldingFetchTo }, start, undefined);
  }

  get profile(): Profile {
    return this.#replay.company.profile;
  }

  /** How many requests and webhooks were compared. */
  get compared(): number {
    return [...this.#replay.result().compared.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Whether an error ended the comparison early. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The differences in the order in which they were found. */
  differences(): readonly Drift[] {
    return [...this.#found.values()].map(({ first, count }) => this.#driftOf(first, count));
  }

  /** `index` is the place of the exchange in the recording. */
  add(exchange: HttpExchange, index: number): void {
    if (this.#hasFailed) return;
    const bytes = EXCHANGE_BYTES + (exchange.body?.length ?? 0) + (exchange.answer?.body.length ?? 0);
    if (this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      return this.#note("There is more traffic than can be compared.");
    this.#waitingBytes += bytes;
    this.#waiting.push({ exchange, index, bytes });
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#options.system.after(LAG_MS, () => {
      this.#isPlanned = false;
      const now = this.#options.system.now();
      void this.#compareWaiting(({ startedAt }) => startedAt + LAG_MS <= now);
    });
  }

  /** Compares all exchanges that wait, and notes webhooks that have not come as missing. */
  async close(): Promise<void> {
    await this.#compareWaiting(() => true);
    this.#replay.end();
    this.#takeDifferences();
    await this.#replay.close();
  }

  #compareWaiting(isDue: (exchange: HttpExchange) => boolean): Promise<void> {
    return (this.#work = this.#work.then(() => this.#compare(isDue)));
  }

  async #compare(isDue: (exchange: HttpExchange) => boolean): Promise<void> {
    const batch = this.#waiting
      .filter(({ exchange }) => isDue(exchange))
      .toSorted((a, b) => a.exchange.startedAt - b.exchange.startedAt);
    this.#waiting = this.#waiting.filter(({ exchange }) => !isDue(exchange));
    this.#waitingBytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.#waiting.length > 0) this.#plan();
    if (this.#hasFailed || batch.length === 0) return;
    try {
      const read = batch.flatMap(({ exchange, index }) => readEntry(exchange, index));
      const entries = this.#clock.place(markBesideMoney(read), false);
      const own = entries.filter((entry) => this.#isOfCompany(entry));
      this.#suppose(own);
      await this.#replay.play(own);
      this.#replay.adoptBalance();
      this.#takeDifferences();
    } catch (error) {
      this.#hasFailed = true;
      this.#note(`The comparison has stopped: ${messageOf(error)}`);
    }
  }

  /** Whether an entry belongs to the company that the first request names. */
  #isOfCompany(entry: Entry): boolean {
    if (entry.kind === "webhook" || (entry.answer?.status ?? 500) >= 300) return true;
    this.#replay.theirCompanyId ??= entry.companyId;
    const isOwn = entry.companyId === undefined || entry.companyId === this.#replay.theirCompanyId;
    if (!isOwn) this.#note("Only the first company is compared: start a proxy for each.");
    return isOwn;
  }

  /** Adds to the sandbox what the entries show from before the recording. */
  #suppose(entries: readonly Entry[]): void {
    const { company } = this.#replay;
    const subscribes = entries.some((entry) => entry.kind === "request" && entry.operation === "createWebhook");
    for (const entry of entries) {
      const { world, records } = presuppose({ companyId: undefined, entries: [entry] });
      for (const { msisdn, ...person } of world.customers)
        company.run((work) => setCustomer(work, msisdn, person), undefined);
      if (entry.kind === "request") continue;
      const isKnown = subscribes || company.world.subscriptions.values().some(({ topic }) => topic === entry.topic);
      if (!isKnown) company.run(suppose, { ...nothingSupposed, subscriptions: records.subscriptions });
    }
  }

  #takeDifferences(): void {
    for (const note of this.#replay.result().assumptions) this.#note(note);
    for (const difference of this.#replay.takeDifferences()) this.#count(difference);
  }

  #count(difference: FoundDifference): void {
    const unknown = this.#unknownIn(difference);
    if (unknown !== undefined) {
      return this.#note(`Webhooks about ${shorten(unknown, 100)} are not compared: it was made before the recording.`);
    }
    const key = nameDrift(difference);
    const known = this.#found.get(key);
    const { exchange } = difference;
    if (known?.last === exchange) return;
    if (known === undefined && this.#found.size === KINDS_MAX)
      return this.#note(`There are more than ${KINDS_MAX} kinds of differences: further kinds are not listed.`);
    this.#found.set(key, { first: known?.first ?? difference, last: exchange, count: (known?.count ?? 0) + 1 });
    if (known !== undefined) return;
    this.#options.onDifference(this.#driftOf(difference, 1));
  }

  /** When only the service has sent a webhook, the id of its resource, if the sandbox does not have that. */
  #unknownIn({ pointer, kind, got }: FoundDifference): string | undefined {
    const id = pointer === "" && kind === "added" ? memberOf(memberOf(got, "data"), "id") : undefined;
    return typeof id !== "string" || this.#replay.knows(id) ? undefined : id;
  }

  #driftOf(first: FoundDifference, count: number): Drift {
    return driftOf(first, count, this.#replay.result().compared.get(first.subject) ?? 0);
  }

  #note(text: string): void {
    if (this.#notes.has(text)) return;
    this.#notes.add(text);
    this.#options.onNote(text);
  }
}
