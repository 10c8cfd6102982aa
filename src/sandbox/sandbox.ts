import { createMemoryStore } from "../adapters/stores/memory-store.js";
import type { Store } from "../adapters/stores/store.js";
import { createHttpTransport } from "../adapters/delivery/http-transport.js";
import type { Transport } from "../adapters/delivery/transport.js";
import { createIdSource, type IdSource } from "../kernel/ids.js";
import { type Log, silentLog } from "../kernel/log.js";
import { UsageError } from "../kernel/problem.js";
import { type SystemClock, systemClock } from "../kernel/system-clock.js";
import { type Row, Table } from "../kernel/table.js";
import { acceptProfile } from "./accept-profile.js";
import { Company, type CompanyDeps } from "./company.js";
import type { CompanyRecord, Identity } from "./company-state.js";
import { createCompany } from "./create-company.js";
import type { Exchange, ExchangeListener } from "./exchange.js";
import type { CompanySetup } from "./fixture.js";
import { accountFor } from "./observation/account-for.js";
import { CoverageBook } from "./observation/coverage-book.js";
import type { Observation } from "./observation/observation.js";
import { type FindingListener, Observations } from "./observation/observations.js";
import { RetiredSecrets } from "./observation/redact.js";
import { type ResolvedOptions, setupFor } from "./options.js";

/** RFC 6750 `b64token`, at a length that fits a header and an id. */
const PROVISIONABLE_TOKEN = /^[A-Za-z0-9._~+/-]{1,128}=*$/;

export interface SandboxParts {
  readonly system?: SystemClock;
  readonly transport?: Transport;
  readonly store?: Store<CompanyRecord>;
  readonly log?: Log;
  /** Where the server is reached, when it listens before its sandbox is built. */
  readonly url?: string;
}

/** A company in the order of opening, with what it returns to at a reset. */
export interface OpenedCompany extends Row {
  readonly setup: CompanySetup;
}

/** What is no part of a company's state. */
interface KeptAtReset {
  readonly snapshots: CompanyRecord["snapshots"];
  readonly observation: Observation;
}

/** All companies of one process. Two sandboxes share nothing. */
export class Sandbox {
  readonly options: ResolvedOptions;
  readonly system: SystemClock;
  readonly log: Log;
  readonly startedAt: number;
  /** Where the server is reached. `paymentUrl` of seeded charges starts with it. */
  #url: string;
  readonly #transport: Transport;
  readonly #store: Store<CompanyRecord>;
  readonly #companies = new Map<string, Company>();
  readonly #opened = new Table<OpenedCompany>("companies");
  readonly #byToken = new Map<string, string>();
  /** What the clients met of the contract. */
  readonly coverage = new CoverageBook();
  /** What `redactorOf` takes out beside the companies' present credentials. */
  readonly retired = new RetiredSecrets();
  readonly #observations: Observations;
  readonly #listeners = new Set<ExchangeListener>();
  #openings = 0;
  readonly #ids: IdSource;

  constructor(options: ResolvedOptions, parts: SandboxParts = {}) {
    this.options = options;
    this.system = parts.system ?? systemClock;
    this.log = parts.log ?? silentLog;
    this.#url = parts.url ?? "http://127.0.0.1:4010";
    this.#transport = parts.transport ?? createHttpTransport(this.system);
    this.#store = parts.store ?? createMemoryStore();
    this.#ids = createIdSource(options.seed, "sandbox");
    this.startedAt = this.system.monotonic();
    this.#observations = new Observations(this);
    for (const setup of options.companies) this.open(setup);
  }

  /** Oldest first. */
  get companies(): readonly Company[] {
    return [...this.#companies.values()];
  }

  /** In the order of opening, for pages of them. */
  get opened(): Pick<Table<OpenedCompany>, "page"> {
    return this.#opened;
  }

  /** "default is the first configured one"; when none of those is left, the oldest. */
  get defaultCompany(): Company {
    const configured = this.options.companies.find(({ id }) => this.#companies.has(id));
    const first = configured === undefined ? this.companies[0] : this.#companies.get(configured.id);
    if (first === undefined)
      throw new UsageError("state", "There is no company left. Open one with POST /_sandbox/companies, or reset.");
    return first;
  }

  get publicUrl(): string {
    return this.options.publicUrl ?? this.#url;
  }

  /** For what belongs to no company: the correlation id of an unknown token's error. */
  get ids(): IdSource {
    return this.#ids;
  }

  /** For a sandbox that was there before its server: what begins from now on (a reset, a new company) starts with this address. */
  listensAt(url: string): void {
    this.#url = url;
  }

  findCompany(id: string): Company | undefined {
    return this.#companies.get(id);
  }

  /** The company of an access token; an expired one is no token. With auto-provision an unseen token opens its own company. */
  findByToken(token: string): Company | undefined {
    const id = this.#byToken.get(token);
    if (id === undefined) return this.options.autoProvision ? this.#provision(token) : undefined;
    const company = this.#companies.get(id);
    const held = company?.record.identity.tokens.find((candidate) => candidate.token === token);
    if (company === undefined || held === undefined) return undefined;
    return held.expiresAt !== null && company.now() >= held.expiresAt ? undefined : company;
  }

  /** Whether anybody listens to what the API is asked and answers: the sandbox itself always does. */
  get isHeard(): boolean {
    return true;
  }

  /** Tells `listener` of every request to the API and its answer, until the returned function is called. */
  listen(listener: ExchangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(exchange: Exchange): void {
    const id = accountFor(exchange, this);
    if (exchange.door === "api" && id !== undefined) {
      this.#observations.see(id, exchange);
      this.coverage.see(id, exchange);
    }
    for (const listener of this.#listeners) listener(exchange);
  }

  /** What the company's client did. Throws UsageError("not-found") when there is no such company. */
  observationOf(companyId: string): Observation {
    return this.#observations.of(companyId);
  }

  /** Tells `listener` of each new finding of any company, also of one that is forgotten at a reset, until the returned function is called. */
  onFinding(listener: FindingListener): () => void {
    return this.#observations.onFinding(listener);
  }

  /** Resolves when everything changed so far is kept; undefined when nothing has to be waited for. */
  durable(): Promise<void> | undefined {
    return this.#store.durable();
  }

  /**
   * With what is `kept` of a company of its id that was there before, if any. Throws UsageError("state") when its id or a token of it is taken,
   * UsageError("input") when its profile is wrong.
   */
  open(setup: CompanySetup, kept?: KeptAtReset): Company {
    if (this.#companies.has(setup.id)) {
      throw new UsageError("state", `Failed to open the company: the id "${setup.id}" is taken.`);
    }
    if (setup.tokens.some(({ token }) => this.#byToken.has(token))) {
      throw new UsageError("state", `Failed to open the company "${setup.id}": another company has its access token.`);
    }
    const company = this.#create(setup, kept?.snapshots);
    this.#opened.set({ id: setup.id, seq: ++this.#openings, setup });
    this.#observations.open(company.id, kept?.observation);
    this.#put(company);
    return company;
  }

  remove(company: Company): void {
    this.#close(company);
    this.coverage.leave(company);
  }

  #close(company: Company): void {
    company.close();
    this.#companies.delete(company.id);
    this.#opened.delete(company.id);
    this.#observations.remove(company.id);
    this.#store.data.companies.delete(company.id);
    this.#forgetTokens(company);
  }

  /**
   * The company as it was opened: rebuilt from its setup, so nothing can be forgotten. What it still owed is dropped. Throws UsageError("state")
   * when a token that it was opened with has become another company's.
   */
  reset(company: Company): Company {
    const setup = this.#opened.get(company.id)?.setup;
    if (setup === undefined) throw new UsageError("not-found", `There is no company "${company.id}".`);
    const holders = setup.tokens.map(({ token }) => this.#byToken.get(token));
    const holder = holders.find((id) => id !== undefined && id !== company.id);
    if (holder !== undefined) {
      const failed = `Failed to reset the company "${company.id}"`;
      throw new UsageError(
        "state",
        `${failed}: the company "${holder}" has its initial access token now. Remove that company, or reset all.`,
      );
    }
    const { snapshots, observation } = this.#keep(company);
    const { record } = this.#create(setup, snapshots);
    observation.reset(this.system.monotonic());
    return this.replace(company, record);
  }

  /** Every company as at the start, with what a reset keeps; those opened since are removed. */
  resetAll(): void {
    const kept = new Map(this.companies.map((company) => [company.id, this.#keep(company)]));
    for (const { observation } of kept.values()) observation.reset(this.system.monotonic());
    const stays = new Set(this.options.companies.map(({ id }) => id));
    for (const company of this.companies) {
      if (stays.has(company.id)) this.#close(company);
      else this.remove(company);
    }
    for (const setup of this.options.companies) this.open(setup, kept.get(setup.id));
  }

  /** Puts another record in the place of a company's, under the record's own identity. */
  replace(company: Company, record: CompanyRecord): Company {
    const { profile } = acceptProfile(record.overrides);
    company.close();
    this.#forgetTokens(company);
    const next = new Company(this.#deps(), record, profile);
    this.#put(next);
    next.rearm();
    return next;
  }

  /** Gives a company another secret key or adds to and removes from its tokens. */
  identify(company: Company, identity: Identity): void {
    this.#forgetTokens(company);
    company.record.identity = identity;
    for (const { token } of identity.tokens) this.#byToken.set(token, company.id);
  }

  /** Whether any company has this access token. */
  isTokenTaken(token: string): boolean {
    return this.#byToken.has(token);
  }

  async close(): Promise<void> {
    for (const company of this.companies) company.close();
    await this.#transport.close();
  }

  #provision(token: string): Company | undefined {
    if (!PROVISIONABLE_TOKEN.test(token)) return undefined;
    const setup = { ...setupFor(token), ...this.options.defaults };
    // `at_x` and `x` both stand for company_x: the second to come is not let into the first one's world.
    return this.#companies.has(setup.id) ? undefined : this.open(setup);
  }

  #put(company: Company): void {
    this.#companies.set(company.id, company);
    this.#store.data.companies.set(company.id, company.record);
    for (const { token } of company.record.identity.tokens) this.#byToken.set(token, company.id);
    company.wake();
  }

  #keep({ id, record }: Company): KeptAtReset {
    return { snapshots: record.snapshots, observation: this.#observations.of(id) };
  }

  #forgetTokens(company: Company): void {
    this.retired.add(company.record.identity);
    for (const { token } of company.record.identity.tokens) {
      if (this.#byToken.get(token) === company.id) this.#byToken.delete(token);
    }
  }

  #deps(): CompanyDeps {
    const { system, log, options } = this;
    const { seed, limits } = options;
    const watcherOf = (id: string) => this.coverage.tallyOf(id);
    const onAttempt: CompanyDeps["onAttempt"] = (...attempted) => this.#observations.attempted(...attempted);
    return { system, log, transport: this.#transport, store: this.#store, seed, limits, watcherOf, onAttempt };
  }

  #create(setup: CompanySetup, snapshots: CompanyRecord["snapshots"] | undefined): Company {
    return createCompany(this.#deps(), setup, { checkoutUrl: `${this.publicUrl}/checkout/`, snapshots });
  }
}
