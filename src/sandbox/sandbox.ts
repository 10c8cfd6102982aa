import { createWorld } from "../domain/create-world.js";
import { createMemoryStore } from "../adapters/stores/memory-store.js";
import type { Store } from "../adapters/stores/store.js";
import { createHttpTransport } from "../adapters/delivery/http-transport.js";
import type { Transport } from "../adapters/delivery/transport.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import type { ClockState } from "../kernel/clock.js";
import { createIdSource, type IdSource } from "../kernel/ids.js";
import { type Log, silentLog } from "../kernel/log.js";
import { UsageError } from "../kernel/problem.js";
import { type SystemClock, systemClock } from "../kernel/system-clock.js";
import { type Row, Table } from "../kernel/table.js";
import { Company, type CompanyDeps } from "./company.js";
import type { CompanyRecord, Identity } from "./company-state.js";
import type { Exchange, ExchangeListener } from "./exchange.js";
import type { CompanySetup } from "./fixture.js";
import { type ResolvedOptions, setupFor } from "./options.js";
import { seedCompany } from "./seed-company.js";

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

  /** Whether anybody listens to what the API is asked and answers. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Tells `listener` of every request to the API and its answer, until the returned function is called. */
  listen(listener: ExchangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(exchange: Exchange): void {
    for (const listener of this.#listeners) listener(exchange);
  }

  /** Resolves when everything changed so far is kept; undefined when nothing has to be waited for. */
  durable(): Promise<void> | undefined {
    return this.#store.durable();
  }

  /** Throws UsageError("state") when its id or a token of it is taken, UsageError("input") when its profile is wrong. */
  open(setup: CompanySetup): Company {
    if (this.#companies.has(setup.id)) {
      throw new UsageError("state", `Failed to open the company: the id "${setup.id}" is taken.`);
    }
    if (setup.tokens.some(({ token }) => this.#byToken.has(token))) {
      throw new UsageError("state", `Failed to open the company "${setup.id}": another company has its access token.`);
    }
    const company = this.#create(setup);
    this.#opened.set({ id: setup.id, seq: ++this.#openings, setup });
    this.#put(company);
    return company;
  }

  remove(company: Company): void {
    company.close();
    this.#companies.delete(company.id);
    this.#opened.delete(company.id);
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
    return this.replace(company, this.#create(setup).record);
  }

  /** Every company as at the start; those opened since are removed. */
  resetAll(): void {
    for (const company of this.companies) this.remove(company);
    for (const setup of this.options.companies) this.open(setup);
  }

  /** Puts another record in the place of a company's, under the record's own identity. */
  replace(company: Company, record: CompanyRecord): Company {
    const parsed = parseProfile(record.overrides);
    if (!parsed.ok)
      throw new UsageError(
        "input",
        parsed.problems.map((problem) => problem.message),
      );
    company.close();
    this.#forgetTokens(company);
    const next = new Company(this.#deps(), record, parsed.profile);
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

  #forgetTokens(company: Company): void {
    for (const { token } of company.record.identity.tokens) {
      if (this.#byToken.get(token) === company.id) this.#byToken.delete(token);
    }
  }

  #deps(): CompanyDeps {
    const { system, log, options } = this;
    return { system, log, transport: this.#transport, store: this.#store, seed: options.seed, limits: options.limits };
  }

  #initialClock({ frozenAt, runsFrom }: CompanySetup): ClockState {
    if (frozenAt !== undefined) return { mode: "frozen", at: frozenAt };
    return { mode: "running", offsetMs: runsFrom === undefined ? 0 : runsFrom - this.system.now() };
  }

  #create(setup: CompanySetup): Company {
    const parsed = parseProfile(setup.profile);
    if (!parsed.ok) {
      throw new UsageError(
        "input",
        parsed.problems.map((problem) => problem.message),
      );
    }
    const { id, tokens, secretKey } = setup;
    const company = new Company(
      this.#deps(),
      {
        identity: { id, tokens, secretKey },
        world: createWorld(),
        clock: this.#initialClock(setup),
        overrides: parsed.overrides,
        seq: 0,
        idPosition: 0,
      },
      parsed.profile,
    );
    const { world, profile, nextSeq } = company;
    const at = company.now();
    const context = { world, profile, ids: company.ids(), at, nextSeq, checkoutUrl: `${this.publicUrl}/checkout/` };
    seedCompany(context, setup);
    company.record.idPosition = company.ids().position;
    return company;
  }
}
