import type { Transport } from "../../adapters/delivery/transport.js";
import { headerOf } from "../../adapters/har/http-exchange.js";
import { operations } from "../../contract/operations.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { fromXof } from "../../domain/values/money.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { advance } from "../../sandbox/company/advance.js";
import type { Company } from "../../sandbox/company/company.js";
import { DEFAULT_COMPANY, resolveOptions } from "../../sandbox/config/options.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { Bindings } from "./bindings.js";
import { type Comparison, type Difference, compareBodies } from "./compare.js";
import { type SentWebhook, compareWebhooks, keyOf } from "./compare-webhooks.js";
import { groupBy } from "./group-by.js";
import type { Entry, History, RecordedRequest, RecordedWebhook } from "./history.js";
import type { Presupposed } from "./presuppose.js";

/** A request to the API of a sandbox, without a socket. */
export type FetchTo = (sandbox: Sandbox) => (request: Request) => Promise<Response>;

export interface ReplayOptions {
  readonly profile: ProfileOverrides;
  readonly presupposed: Presupposed;
  /** XOF at the start. */
  readonly balance: number;
  readonly secretKey: string | undefined;
  readonly fetchTo: FetchTo;
  /** Whether the source has webhooks at all. */
  readonly comparesWebhooks: boolean;
  /** How many entries to replay. Default: all. */
  readonly length?: number | undefined;
  /** Stops when there are more differences: the profile is no better. */
  readonly differencesMax?: number | undefined;
}

/** A difference at its place in the source. */
export interface FoundDifference extends Difference {
  readonly exchange: number;
  /** `GET /v1/charges/:id`, or a topic. */
  readonly subject: string;
  /** The settings that the sandbox's answer depends on. */
  readonly settings: readonly string[];
}

export interface Replayed {
  readonly differences: readonly FoundDifference[];
  /** For each setting, after how many entries its first few reads were. */
  readonly reads: ReadonlyMap<string, readonly number[]>;
  /** How much more the service's account holds than the sandbox's, XOF; undefined when no answer shows it. */
  readonly balanceOffset: number | undefined;
  readonly firstBalance: number | undefined;
  /** What was not compared, in words. */
  readonly assumptions: readonly string[];
}

const BASE = "http://sandbox.invalid";
/** Times within this distance are the same. */
const TOLERANCE_MS = 1_000;
const READS_KEPT = 3;
/** Entries between two looks at what due work has read. */
const DUE_READS_EVERY = 50;

/** Puts recorded requests to a sandbox with this profile, at the times of the recording, and compares what it answers and sends. */
export async function replay(history: History, options: ReplayOptions): Promise<Replayed> {
  const run = new Replay(history, options);
  try {
    await run.play();
    return run.result();
  } finally {
    await run.close();
  }
}

class Replay {
  readonly #history: History;
  readonly #options: ReplayOptions;
  readonly #sandbox: Sandbox;
  readonly #company: Company;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #bindings = new Bindings();
  readonly #differences: FoundDifference[] = [];
  readonly #reads = new Map<string, number[]>();
  readonly #sent: SentWebhook[] = [];
  /** What receivers got, by event. */
  readonly #answers: ReadonlyMap<string, readonly RecordedWebhook[]>;
  readonly #attempts = new Map<string, number>();
  /** The request that is being answered: deliveries wait for it, since its ids are bound then. */
  #step: Promise<void> = Promise.resolve();
  #settings: readonly string[] = [];
  readonly #assumptions = new Set<string>();
  readonly #paidOverApi: ReadonlySet<string>;
  #balanceOffset: number | undefined;
  #firstBalance: number | undefined;
  #position = 0;

  constructor(history: History, options: ReplayOptions) {
    this.#history = history;
    this.#options = options;
    const { entries, companyId } = history;
    const start = entries[0]?.at ?? 0;
    this.#answers = groupBy(
      entries.filter((entry) => entry.kind === "webhook"),
      ({ body }) => keyOf(body),
    );
    this.#paidOverApi = new Set(
      entries.flatMap((entry) =>
        entry.kind === "request" && entry.operation === "payCharge" ? [idIn(entry.path)] : [],
      ),
    );
    const setup = {
      id: companyId ?? DEFAULT_COMPANY.id,
      tokens: [{ token: DEFAULT_COMPANY.token, expiresAt: null }],
      secretKey: options.secretKey ?? DEFAULT_COMPANY.secretKey,
      balance: fromXof(options.balance),
      frozenAt: start,
      profile: options.profile,
      fixtures: [options.presupposed.world],
    };
    const resolved = resolveOptions({ companies: [setup], seed: 1, publicUrl: BASE });
    this.#sandbox = new Sandbox(resolved, { transport: this.#transport(), url: BASE });
    this.#company = this.#sandbox.defaultCompany;
    this.#fetch = options.fetchTo(this.#sandbox);
    this.#sandbox.events.on("exchange", ({ exchange }) => void (this.#settings = exchange.settings));
  }

  async play(): Promise<void> {
    const { entries } = this.#history;
    const { length = entries.length, differencesMax = Number.POSITIVE_INFINITY } = this.#options;
    for (const [position, entry] of entries.slice(0, length).entries()) {
      this.#position = position + 1;
      if (this.#position % DUE_READS_EVERY === 0) this.#noteDueReads();
      await this.#advanceTo(entry.at);
      this.#payOutside(entry);
      if (entry.kind === "webhook") continue;
      this.#step = this.#put(entry);
      await this.#step;
      if (this.#differences.length > differencesMax) return;
    }
    await this.#advanceTo(entries[length - 1]?.at ?? 0);
    this.#noteDueReads();
    if (!this.#options.comparesWebhooks) return;
    const { webhooks } = this.#company.profile;
    const { secretKey } = this.#options;
    const options = { ...this.#comparison(), webhooks, secretKey };
    this.#differences.push(...compareWebhooks(entries.slice(0, length), this.#sent, options));
  }

  result(): Replayed {
    return {
      differences: this.#differences,
      reads: this.#reads,
      balanceOffset: this.#balanceOffset,
      firstBalance: this.#firstBalance,
      assumptions: [...this.#assumptions],
    };
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }

  async #advanceTo(at: Instant): Promise<void> {
    await advance(this.#company, { to: Math.max(at, this.#company.now()) });
  }

  /** What due work has read. */
  #noteDueReads(): void {
    const { coverage } = this.#sandbox;
    for (const { setting, met } of coverage.tallyOf(this.#company.id).report(this.#company.world).openPoints) {
      if (met && !this.#reads.has(setting)) this.#noteRead(setting);
    }
  }

  #noteRead(setting: string): void {
    const known = this.#reads.get(setting) ?? [];
    if (known.length < READS_KEPT) this.#reads.set(setting, [...known, this.#position]);
  }

  /** A customer pays on the payment page, where the recording does not see it. */
  #payOutside(entry: Entry): void {
    const shown =
      entry.kind === "webhook" ? entry.body["data"] : entry.operation === "getCharge" ? entry.answer?.body : undefined;
    if (!isObject(shown) || typeof shown["id"] !== "string" || shown["status"] !== "paid") return;
    const charge = this.#company.world.charges.get(this.#bindings.toOurs(shown["id"]));
    if (charge?.status !== "due" || this.#paidOverApi.has(shown["id"])) return;
    const [payment] = Array.isArray(shown["transactions"]) ? shown["transactions"] : [];
    const msisdn: unknown = isObject(payment) ? payment["recipientMsisdn"] : undefined;
    const payer = typeof msisdn === "string" ? msisdn : undefined;
    try {
      this.#company.run(payCharge, { chargeId: charge.id, msisdn: payer });
    } catch (error) {
      // With this profile the payer is refused: the difference stays.
      if (!isApiProblem(error)) throw error;
    }
    this.#assumptions.add(`The charge ${shown["id"]} was paid on the payment page.`);
  }

  async #put(recorded: RecordedRequest): Promise<void> {
    const response = await this.#fetch(this.#requestOf(recorded));
    const text = await response.text();
    for (const setting of this.#settings) this.#noteRead(setting);
    const { answer, operation } = recorded;
    if (answer === undefined || this.#isAboutUnknown(recorded, response.status)) return;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    if (operation === "getBalance") this.#noteBalance(answer.body, body);
    for (const difference of this.#compare(answer, { status: response.status, body })) {
      this.#differences.push({
        ...difference,
        exchange: recorded.exchange,
        subject: subjectOf(recorded),
        settings: this.#settings,
      });
    }
  }

  /** Something that was there before the recording, and that no answer of it shows. */
  #isAboutUnknown({ path, operation, answer }: RecordedRequest, status: number): boolean {
    if (operation === undefined || !operations[operation].path.includes(":id")) return false;
    const id = idIn(path);
    const isUnknown = status === 404 && answer?.status !== 404 && !this.#bindings.isBound(id);
    if (isUnknown)
      this.#assumptions.add(
        `${operations[operation].path} of ${id} is not compared: the recording does not show what it is about.`,
      );
    return isUnknown;
  }

  #requestOf({ method, path, headers, body, answer }: RecordedRequest): Request {
    const sent = new Headers();
    for (const name of ["content-type", "x-company-id"]) {
      const value = headerOf(headers, name);
      if (value !== undefined) sent.set(name, value);
    }
    // Tools and the proxy hide tokens: whether one was right, only the answer says.
    if (answer?.status !== 401) sent.set("authorization", `Bearer ${DEFAULT_COMPANY.token}`);
    else if (headerOf(headers, "authorization") !== undefined) sent.set("authorization", "Bearer unknown");
    const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
    return new Request(BASE + this.#bindings.toOurs(path), { method, headers: sent, ...(hasBody ? { body } : {}) });
  }

  #compare(
    theirs: NonNullable<RecordedRequest["answer"]>,
    ours: { readonly status: number; readonly body: unknown },
  ): Difference[] {
    const status: Difference[] =
      theirs.status === ours.status
        ? []
        : [{ pointer: "/status", kind: "status", expected: ours.status, got: theirs.status }];
    // Of different outcomes every field differs.
    if (isSuccess(theirs.status) !== isSuccess(ours.status)) return status;
    return [...status, ...compareBodies(theirs.body, ours.body, this.#comparison())];
  }

  /** The first balance shows what the account held before; from there on movements count. */
  #noteBalance(theirs: unknown, ours: unknown): void {
    const [their, our] = [theirs, ours].map((body) => (isObject(body) ? body["balance"] : undefined));
    if (this.#balanceOffset !== undefined || typeof their !== "number" || typeof our !== "number") return;
    this.#balanceOffset = their - our;
    this.#firstBalance = their;
  }

  #comparison(): Comparison {
    return { bindings: this.#bindings, toleranceMs: TOLERANCE_MS, balanceOffset: this.#balanceOffset ?? 0 };
  }

  /** Receivers answer as they did in the recording, others with 200. */
  #transport(): Transport {
    return {
      send: async ({ body, headers }) => {
        await this.#step;
        const parsed = JSON.parse(body.toString()) as SentWebhook["body"];
        const sent = { at: this.#company.now(), headers, body: parsed, after: this.#position };
        this.#sent.push(sent);
        const key = keyOf(parsed, this.#bindings);
        const nth = this.#attempts.get(key) ?? 0;
        this.#attempts.set(key, nth + 1);
        const recorded = this.#answers.get(key)?.[nth];
        const status = recorded === undefined ? 200 : recorded.status;
        if (status === undefined) return { status: null, latencyMs: 0, error: "no answer", response: null };
        const error = isSuccess(status) ? null : `answered ${status}`;
        return { status, latencyMs: 0, error, response: { headers: {}, body: "" } };
      },
      close: async () => undefined,
    };
  }
}

/** The id of a path such as `/v1/charges/:id/pay`. */
function idIn(path: string): string {
  return path.split("?")[0]?.split("/")[3] ?? "";
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function subjectOf({ operation, method, path }: RecordedRequest): string {
  return operation === undefined ? `${method} ${path.split("?")[0]}` : `${method} ${operations[operation].path}`;
}
