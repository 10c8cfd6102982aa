import { SettingReads } from "../domain/profile/track-profile.js";
import type { Transport } from "../adapters/delivery/transport.js";
import { type Store, createMemoryStore } from "../adapters/store/store.js";
import { type Log, silentLog } from "../kernel/log.js";
import { type SystemClock, systemClock } from "../kernel/time/system-clock.js";
import { type Row, Table } from "../kernel/records/table.js";
import type { CompanyRecord, Identity, StoredCompany, StoredSandbox } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";
import { Observation } from "./observation/observation.js";
import { createHttpTransport } from "../adapters/delivery/http-transport.js";
import { EventEmitter } from "../kernel/events.js";
import type { Instant } from "../kernel/time/instant.js";
import { type IdSource, createIdSource } from "../kernel/records/ids.js";
import { UsageError } from "../kernel/messages/problem.js";
import type { CompanyDeps, CompanyEvents } from "./company/company-deps.js";
import { Company } from "./company/company.js";
import { createCompany, resumeCompany } from "./company/create-company.js";
import { type Exchange, isOfAudit } from "./company/exchange.js";
import type { Finding } from "./observation/finding.js";
import { CoverageBook } from "./coverage/coverage-tally.js";
import { resumeDeliveries } from "./company/redeliver.js";
import type { ResolvedOptions } from "./config/options.js";
import type { ReleaseGate } from "./company/release-gate.js";
import { SecretRedactor, secretTexts } from "./observation/redact.js";
import { Provisioned } from "./provisioned.js";
import { acceptProfile } from "./state/profile.js";
import { dumpState, restoreState } from "./state/state.js";
import { companyEntries, createStoredSandbox, headEntry } from "./state/store-format.js";

export interface SandboxEvents extends CompanyEvents {
  /** A request to the API was answered. */
  readonly exchange: ExchangeEvent;
  readonly controlled: ControlCalled;
  readonly finding: FindingEvent;
  /** What came later proves that a finding was no mistake. */
  readonly findingWithdrawn: FindingEvent;
  /** A company is about to be reset or removed. */
  readonly forgets: { readonly company: Company; readonly reset: boolean };
}

export interface FindingEvent {
  readonly companyId: string;
  readonly finding: Finding;
}

export interface ExchangeEvent {
  readonly exchange: Exchange;
  /** Which company it counts for, also when its token is unknown; undefined when there is no company left. */
  readonly companyId: string | undefined;
  /** Its id in that company's journal; undefined when it is not there. */
  readonly requestId: string | undefined;
}

/** A changing call of the control API has succeeded, or a customer has done on the payment page what this call does. */
export interface ControlCalled {
  /** The place of its work in the order of {@link Sandbox.takeTurn}. */
  readonly turn: number;
  /** The company that it is about, or `*`; undefined for the first. */
  readonly companyId: string | undefined;
  /** Of the company, before the work; undefined for a call about the sandbox as a whole. */
  readonly at: Instant | undefined;
  /** `POST /charges/:id/pay`, below `/_sandbox`. */
  readonly route: string;
  /** The path's `:id`. */
  readonly id: string;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly answer: unknown;
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
  /** The companies' records, and when changes of them are durable. */
  readonly store: Store<StoredSandbox>;
  readonly #companies = new Map<string, Company>();
  /** In the order of opening. */
  readonly opened = new Table<OpenedCompany>("companies");
  readonly #provisioned = new Provisioned(this);
  /** Access token → company id. */
  readonly #tokens = new Map<string, string>();
  readonly coverage: CoverageBook;
  readonly reads = new SettingReads();
  readonly events = new EventEmitter<SandboxEvents>();
  /** Redacts the credentials of all companies, present and past, and the admin token. */
  readonly redactor = new SecretRedactor([], () => this.#secrets());
  readonly #observations = new Map<string, Observation>();
  #openings = 0;
  #turns = 0;
  /** For errors of no company: the correlation id when a token is unknown. */
  readonly ids: IdSource;

  constructor(options: ResolvedOptions, parts: SandboxParts = {}) {
    this.options = options;
    this.redactor.add(this.#secrets());
    this.system = parts.system ?? systemClock;
    this.log = parts.log ?? silentLog;
    this.#url = parts.url ?? "http://127.0.0.1:4010";
    this.#transport = parts.transport ?? createHttpTransport(this.system);
    this.store = parts.store ?? createMemoryStore(createStoredSandbox());
    this.ids = createIdSource(options.seed, "sandbox");
    this.startedAt = this.system.monotonic();
    this.coverage = new CoverageBook(this.reads);
    this.events.on("attempting", ({ company, delivery, at }) =>
      this.#observations.get(company.id)?.findings.attempting(delivery, at),
    );
    this.events.on("attempted", ({ company, attempt, delivery }) =>
      this.#observations.get(company.id)?.findings.attempted(attempt, delivery),
    );
    this.events.on("changed", (change) => {
      if (change.changes.length > 0) this.coverage.tallyOf(change.company.id).noteChanges(change);
    });
    const { companies, gone } = this.store.data;
    for (const stored of companies.values()) this.#resume(stored);
    for (const setup of options.companies) {
      if (!this.#companies.has(setup.id) && !gone.has(setup.id)) this.open(setup);
    }
  }

  /** Oldest first. */
  get companies(): readonly Company[] {
    return [...this.#companies.values()];
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

  /** Sets the address when the server starts after the sandbox. Later resets and new companies use it. */
  listensAt(url: string): void {
    this.#url = url;
  }

  findCompany(id: string): Company | undefined {
    return this.#companies.get(id);
  }

  /** The company of an access token that has not expired. With auto-provision an unseen token opens its own company. */
  findByToken(token: string): Company | undefined {
    const id = this.#tokens.get(token);
    if (id === undefined) return this.#provisioned.open(token);
    this.#provisioned.use(id);
    const company = this.#companies.get(id);
    const held = company?.record.identity.tokens.find((candidate) => candidate.token === token);
    if (company === undefined || held === undefined) return undefined;
    return held.expiresAt !== null && company.now() >= held.expiresAt ? undefined : company;
  }

  /** The company that has a token, whether or not it has expired. Opens none. */
  findHolder(token: string): Company | undefined {
    return this.findCompany(this.#tokens.get(token) ?? "");
  }

  /** The next place in the order in which requests, control calls and due items do their work. */
  takeTurn(): number {
    return ++this.#turns;
  }

  recordExchange(exchange: Exchange): void {
    const companyId = this.#observedCompany(exchange)?.id;
    let requestId: string | undefined;
    if (companyId !== undefined) {
      requestId = this.#observations.get(companyId)?.see(exchange)?.id;
      if (!isOfAudit(exchange)) this.coverage.see(companyId, exchange);
    }
    this.events.emit("exchange", { exchange, companyId, requestId });
  }

  /** What the sandbox has seen of the company's client. Throws UsageError("not-found") when there is no such company. */
  observationOf(companyId: string): Observation {
    const found = this.#observations.get(companyId);
    if (found === undefined) throw new UsageError("not-found", `There is no company "${companyId}".`);
    return found;
  }

  /** "A request with an unknown token is counted to the company of its `X-Company-Id`, else to the first." */
  #observedCompany({ company, named }: Exchange): Pick<Company, "id"> | undefined {
    return company ?? named ?? (this.#companies.size === 0 ? undefined : this.defaultCompany);
  }

  #createObservation(companyId: string): Observation {
    const { options, system, redactor, events, log } = this;
    return new Observation(options.limits.requests, {
      system,
      redactor,
      company: () => this.findCompany(companyId),
      onFinding: (finding) => events.emit("finding", { companyId, finding }),
      onWithdrawn: (finding) => events.emit("findingWithdrawn", { companyId, finding }),
      onBug: (error) =>
        log.write("error", "bug", {
          company: companyId,
          error: error instanceof Error ? error.stack : String(error),
        }),
    });
  }

  /**
   * Opens a company. `snapshots`: of the one that it replaces. Throws UsageError("state") when its id or a token is taken, and UsageError("input") when
   * its profile is wrong.
   */
  open(setup: CompanySetup, snapshots?: CompanyRecord["snapshots"]): Company {
    if (this.#companies.has(setup.id))
      throw new UsageError("state", `Failed to open the company: the id "${setup.id}" is taken.`);
    if (setup.tokens.some(({ token }) => this.isTokenTaken(token)))
      throw new UsageError("state", `Failed to open the company "${setup.id}": another company has its access token.`);
    const company = this.#create(setup, snapshots);
    this.opened.set({ id: setup.id, seq: ++this.#openings, setup });
    if (!this.#observations.has(setup.id)) this.#observations.set(setup.id, this.#createObservation(setup.id));
    this.#put(company, snapshots !== undefined);
    return company;
  }

  /** `endsRun`: the run of the client under test ends with it. */
  remove(company: Company, { endsRun = true } = {}): void {
    const { id } = company;
    if (endsRun) this.observationOf(id).findings.end(false);
    this.events.emit("forgets", { company, reset: false });
    this.#close(company);
    this.#observations.delete(id);
    // Only a company of the configuration would come back.
    const configured = this.options.companies.some((setup) => setup.id === id);
    this.store.data.companies.delete(id);
    if (configured) this.store.data.gone.add(id);
    this.store.note(["gone", id, configured]);
    this.coverage.remove(company);
  }

  #close(company: Company): void {
    company.close();
    this.#companies.delete(company.id);
    this.opened.delete(company.id);
    this.#provisioned.forget(company.id);
    this.#forgetTokens(company);
  }

  /**
   * Rebuilds the company from its setup. Pending deliveries are dropped. Throws UsageError("state") when a token that it was opened with has become
   * another company's.
   */
  reset(company: Company): Company {
    const setup = this.opened.get(company.id)?.setup;
    if (setup === undefined) throw new UsageError("not-found", `There is no company "${company.id}".`);
    this.#assertTokensFree(setup);
    const { record } = this.#create(setup, company.record.snapshots);
    this.#forget(company);
    return this.#replace(company, record);
  }

  #forget(company: Company): void {
    this.observationOf(company.id).findings.end(false);
    this.events.emit("forgets", { company, reset: true });
    this.observationOf(company.id).reset(this.system.monotonic());
  }

  /** Resets the configured companies and removes the others. */
  resetAll(): void {
    const snapshots = new Map(this.companies.map(({ id, record }) => [id, record.snapshots]));
    const stays = new Set(this.options.companies.map(({ id }) => id));
    for (const company of this.companies) {
      if (stays.has(company.id)) {
        this.#forget(company);
        this.#close(company);
      } else this.remove(company);
    }
    for (const setup of this.options.companies) this.open(setup, snapshots.get(setup.id));
  }

  /**
   * Replaces a company's state, and sends what was pending in it once `gate` opens. An advance of the company that is under way ends with
   * UsageError("state"), because its time has changed. Returns the state before anything of it happens.
   *
   * Throws UsageError("input") when `dumped` is not a valid state, and changes nothing.
   */
  putState(company: Company, dumped: unknown, gate: ReleaseGate): unknown {
    const restored = this.#replace(company, restoreState(company, dumped));
    const state = dumpState(restored);
    resumeDeliveries(restored, gate);
    return state;
  }

  #replace(company: Company, record: CompanyRecord): Company {
    const { profile } = acceptProfile(record.overrides);
    company.close();
    this.#forgetTokens(company);
    const next = new Company(this.#deps(), record, profile);
    this.#put(next, true);
    next.rearm();
    return next;
  }

  identify(company: Company, identity: Identity): void {
    this.#forgetTokens(company);
    company.record.identity = identity;
    const { idPosition } = company.record;
    // The credentials were drawn from its stream of ids, so the position is stored too.
    this.store.note(headEntry(identity.id, { identity, idPosition }));
    this.#addTokens(company);
  }

  isTokenTaken(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** A token that the company was opened with may have become another company's. */
  #assertTokensFree({ id, tokens }: CompanySetup): void {
    const holder = tokens
      .map(({ token }) => this.#tokens.get(token))
      .find((found) => found !== undefined && found !== id);
    if (holder === undefined) return;
    const failed = `Failed to reset the company "${id}"`;
    const what = "Remove that company, or reset all.";
    throw new UsageError("state", `${failed}: the company "${holder}" has its initial access token now. ${what}`);
  }

  /** Ends the run of the clients under test: finds what they can no longer learn. `waited`: deliveries in flight had time to be acknowledged. */
  endRun(waited: boolean): void {
    for (const observation of this.#observations.values()) observation.findings.end(waited);
  }

  async close(): Promise<void> {
    for (const company of this.companies) company.close();
    await this.#transport.close();
    await this.store.close();
  }

  /** `replaces`: its snapshots are those of the company of the same id that it replaces. */
  #put(company: Company, replaces: boolean): void {
    const { record, id } = company;
    this.#companies.set(id, company);
    const setup = this.opened.get(id)?.setup;
    if (setup !== undefined) {
      this.store.data.companies.set(id, { record, setup });
      this.store.data.gone.delete(id);
      for (const entry of companyEntries(record, setup, replaces)) this.store.note(entry);
    }
    this.#addTokens(company);
    company.wake();
  }

  /** A company from the store. At a reset a configured one returns to the present configuration, another one to its setup. */
  #resume({ record, setup: before }: StoredCompany): void {
    const { id } = record.identity;
    const setup = this.options.companies.find((configured) => configured.id === id) ?? before;
    const company = resumeCompany(this.#deps(), record, this.options.clockOver);
    this.opened.set({ id, seq: ++this.#openings, setup });
    this.#observations.set(id, this.#createObservation(id));
    this.#companies.set(id, company);
    this.store.data.companies.set(id, { record, setup });
    this.#provisioned.resume(id, setup);
    this.#addTokens(company);
    resumeDeliveries(company);
    company.wake();
  }

  #secrets(): readonly string[] {
    const { adminToken } = this.options;
    const ofCompanies = this.companies.flatMap(({ record }) => secretTexts(record.identity));
    return adminToken === undefined ? ofCompanies : [adminToken, ...ofCompanies];
  }

  #addTokens({ id, record }: Company): void {
    for (const { token } of record.identity.tokens) this.#tokens.set(token, id);
    this.redactor.add(secretTexts(record.identity));
  }

  #forgetTokens({ id, record }: Company): void {
    this.redactor.add(secretTexts(record.identity));
    for (const { token } of record.identity.tokens) if (this.#tokens.get(token) === id) this.#tokens.delete(token);
  }

  #deps(): CompanyDeps {
    const { system, log, options, events, reads } = this;
    const { seed, limits } = options;
    const watcherOf = (id: string) => this.coverage.tallyOf(id);
    return { system, log, transport: this.#transport, store: this.store, seed, limits, reads, watcherOf, events };
  }

  #create(setup: CompanySetup, snapshots?: CompanyRecord["snapshots"]): Company {
    return createCompany(this.#deps(), setup, `${this.publicUrl}/checkout/`, snapshots);
  }
}

export interface SandboxParts {
  readonly system?: SystemClock;
  readonly transport?: Transport;
  readonly store?: Store<StoredSandbox>;
  readonly log?: Log;
  /** Where the server is reached, when it listens before its sandbox is built. */
  readonly url?: string;
}

/** A company in the order of opening, with the setup for its reset. */
export interface OpenedCompany extends Row {
  readonly setup: CompanySetup;
}
