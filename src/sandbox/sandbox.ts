import { SettingReads } from "../domain/profile/track-profile.js";
import type { Transport } from "../adapters/delivery/transport.js";
import { type Store, createMemoryStore } from "../adapters/store/store.js";
import { type Log, silentLog } from "../kernel/log.js";
import type { Instant } from "../kernel/time/instant.js";
import { type SystemClock, systemClock } from "../kernel/time/system-clock.js";
import { Table } from "../kernel/records/table.js";
import type { CompanyRecord, Identity, StoredCompany, StoredSandbox } from "./state/company-record.js";
import { withoutExpired } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";
import { type Observation, observe } from "./observation.js";
import { createHttpTransport } from "../adapters/delivery/http-transport.js";
import { EventEmitter } from "../kernel/events.js";
import { type IdSource, createIdSource } from "../kernel/records/ids.js";
import { UsageError } from "../kernel/messages/problem.js";
import type { CompanyDeps } from "./company/company-deps.js";
import { Company } from "./company/company.js";
import { createCompany, resumeCompany } from "./company/create-company.js";
import { type Exchange, isFromAudit } from "./company/exchange.js";
import { CoverageBook } from "./coverage/coverage-book.js";
import { resumeDeliveries } from "./company/redeliver.js";
import type { ResolvedOptions } from "./config/options.js";
import type { ReleaseGate } from "./company/release-gate.js";
import { type Redactor, SecretRedactor, ownRedactor, secretTexts } from "./observation/redact.js";
import { LongWork } from "../kernel/time/long-work.js";
import { Metrics } from "./metrics.js";
import { Provisioned } from "./provisioned.js";
import type { OpenedCompany, SandboxParts } from "./sandbox-parts.js";
import type { SandboxEvents } from "./sandbox-events.js";
import { acceptProfile } from "./state/profile.js";
import { dumpState, restoreState } from "./state/state.js";
import { companyEntries, createStoredSandbox, headEntry } from "./state/store-format.js";

/** All companies of one process. Two sandboxes share nothing. */
export class Sandbox {
  readonly options: ResolvedOptions;
  readonly system: SystemClock;
  readonly longWork: LongWork;
  readonly log: Log;
  readonly startedAt: number;
  /** Where the server is reached. `paymentUrl` of seeded charges starts with it. */
  #url: string;
  readonly #transport: Transport;
  /** The companies' records, and when changes of them are durable. */
  readonly store: Store<StoredSandbox>;
  readonly #companies = new Map<string, Company>();
  /** Open companies, in the order of opening. */
  readonly opened = new Table<OpenedCompany>("companies");
  readonly provisioned = new Provisioned(this);
  /** Access token → company id. */
  readonly #tokens = new Map<string, string>();
  readonly coverage: CoverageBook;
  readonly reads = new SettingReads();
  readonly events = new EventEmitter<SandboxEvents>();
  readonly metrics = new Metrics();
  /** Whether the process is finishing what is in flight before it ends. A proxy should then send it nothing more. */
  isStopping = false;
  /** Redacts the credentials of all companies, present and past, and the admin token. */
  readonly redactor = new SecretRedactor([], () => this.#secrets());
  readonly #strangersRedactor: SecretRedactor;
  readonly #observations = new Map<string, Observation>();
  #openings = 0;
  #turns = 0;
  /** For errors that belong to no company: the correlation id when a token is unknown. */
  readonly ids: IdSource;

  constructor(options: ResolvedOptions, parts: SandboxParts = {}) {
    this.options = options;
    this.redactor.add(this.#secrets());
    this.#strangersRedactor = ownRedactor(options, this.redactor);
    this.system = parts.system ?? systemClock;
    this.longWork = new LongWork(this.system);
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
    this.events.on("attempted", ({ company, attempt, delivery }) => {
      this.metrics.countAttempt(attempt);
      this.#observations.get(company.id)?.findings.attempted(attempt, delivery);
    });
    this.events.on("changed", (change) => {
      if (change.changes.length > 0) this.coverage.tallyOf(change.company.id).noteChanges(change);
    });
    const { companies, gone } = this.store.data;
    for (const stored of companies.values()) {
      if (stored.record.moving) this.#addTokens(stored.record);
      // The replay that opened the company ended with the process.
      else if (stored.setup.ofScenario === true) this.#forgetStored(stored.record);
      else this.#resume(stored, options.clockOver);
    }
    for (const setup of options.companies) {
      if (!companies.has(setup.id) && !gone.has(setup.id)) this.open(setup);
    }
  }

  /** Oldest first. */
  get companies(): readonly Company[] {
    return [...this.#companies.values()];
  }

  /** The first open company of the configuration. */
  get configuredCompany(): Company | undefined {
    return this.options.companies.map(({ id }) => this.#companies.get(id)).find((open) => open !== undefined);
  }

  /** The first open company of the configuration; when none of those is left, the oldest. Throws UsageError("state") when no company is open. */
  get defaultCompany(): Company {
    const first = this.findDefaultCompany();
    if (first !== undefined) return first;
    throw new UsageError("state", "There is no company left. Open one with POST /_sandbox/companies, or reset.");
  }

  findDefaultCompany(): Company | undefined {
    return this.configuredCompany ?? this.companies[0];
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

  /** Returns the same object for a company across its resets, and another one for a company that is opened again under its id. */
  openedAs({ id }: Company): OpenedCompany {
    const opened = this.opened.get(id);
    if (opened === undefined) throw new UsageError("not-found", `There is no company "${id}".`);
    return opened;
  }

  /** The company of an access token that has not expired. With auto-provision an unseen token opens its own company. */
  findByToken(token: string): Company | undefined {
    this.provisioned.dropIdle();
    const id = this.#tokens.get(token);
    if (id === undefined) return this.options.tenancy ? undefined : this.provisioned.open(token);
    this.provisioned.use(id);
    const company = this.#companies.get(id);
    const held = company?.record.identity.tokens.find((candidate) => candidate.token === token);
    if (company === undefined || held === undefined) return undefined;
    return held.expiresAt !== null && company.now() >= held.expiresAt ? undefined : company;
  }

  /** The company whose clock and error shape answers of no company have. With tenancy none: the answers would show them to others. */
  get fallback(): Company | undefined {
    return this.options.tenancy ? undefined : this.companies[0];
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
    const requestId = this.#observations.get(companyId ?? "")?.see(exchange)?.id;
    if (companyId !== undefined && !isFromAudit(exchange)) this.coverage.see(companyId, exchange);
    this.metrics.countRequest(exchange.operation ?? "unknown", exchange.status, exchange.durationMs);
    this.events.emit("exchange", { exchange, companyId, requestId });
  }

  /** What the sandbox has seen of the company's client. Throws UsageError("not-found") when there is no such company. */
  observationOf(companyId: string): Observation {
    const found = this.#observations.get(companyId);
    if (found === undefined) throw new UsageError("not-found", `There is no company "${companyId}".`);
    return found;
  }

  /** Counts a request with an unknown token towards the company of its `X-Company-Id`, otherwise the default company. With tenancy towards none. */
  #observedCompany({ company, named }: Exchange): Pick<Company, "id"> | undefined {
    return company ?? named ?? (this.options.tenancy ? undefined : this.findDefaultCompany());
  }

  /** For what a company's tenant or a stranger sees. With tenancy it knows no other tenant's secrets: one could be any text, such as "application/json". */
  redactorOf(company: Pick<Company, "id"> | undefined): Redactor {
    return this.#observations.get(company?.id ?? "")?.redactor ?? this.#strangersRedactor;
  }

  /**
   * Opens a company. `before`: the record of the one that it replaces. Throws UsageError("state") when its id or a token is taken, and UsageError("input") when
   * its profile is wrong.
   */
  open(setup: CompanySetup, before?: CompanyRecord): Company {
    if (this.#companies.has(setup.id) || this.#findMoving(setup.id) !== undefined)
      throw new UsageError("state", `Failed to open the company: the id "${setup.id}" is taken.`);
    const holder = this.#holderOf(setup);
    if (holder !== undefined)
      throw new UsageError("state", `Failed to open the company "${setup.id}": "${holder}" has its access token.`);
    const company = this.#create(setup, before);
    this.opened.set({ id: setup.id, seq: ++this.#openings, setup });
    if (!this.#observations.has(setup.id)) this.#observations.set(setup.id, observe(setup.id, this));
    this.#put(company, before !== undefined);
    return company;
  }

  /** `endsRun`: whether the run of the client under test ends too. */
  remove(company: Company, { endsRun = true } = {}): void {
    this.#takeAway(company, endsRun);
    this.#forgetStored(company.record);
  }

  /** Closes a company that moves to another sandbox. Its records and tokens stay until it is adopted again or {@link removeMoved}. */
  closeForMove(company: Company, closings: CompanyRecord["closings"]): void {
    const { id, record } = company;
    this.#takeAway(company, true);
    this.#addTokens(record);
    Object.assign(record, { moving: true, closings });
    this.store.note(headEntry(id, { moving: true, closings, clock: record.clock }));
  }

  /** Removes a company that was closed to be moved; false when there is none of that id. */
  removeMoved(id: string): boolean {
    const stored = this.#findMoving(id);
    if (stored === undefined) return false;
    this.#forgetTokens(stored.record);
    this.#forgetStored(stored.record);
    return true;
  }

  /**
   * Takes in a company that another sandbox has exported, or this one has closed. What is pending in it is sent once `gate` opens. Throws
   * UsageError("state") when its id or a token of it is taken.
   */
  adopt(stored: StoredCompany, gate: ReleaseGate): Company {
    const { identity } = stored.record;
    const { id } = identity;
    const failed = `Failed to import the company "${id}"`;
    if (this.#companies.has(id))
      throw new UsageError(
        "state",
        `${failed}: it is open here. Remove it first, unless an earlier import brought it.`,
      );
    const holder = this.#holderOf(identity);
    if (holder !== undefined)
      throw new UsageError("state", `${failed}: the company "${holder}" has one of its access tokens.`);
    const moving = this.#findMoving(id);
    if (moving !== undefined) this.#forgetTokens(moving.record);
    for (const entry of companyEntries(stored.record, stored.setup, false)) this.store.note(entry);
    this.store.data.gone.delete(id);
    return this.#resume(stored, undefined, gate);
  }

  /** Whether the token's company was closed to be moved. */
  isMoving(token: string): boolean {
    return this.#findMoving(this.#tokens.get(token) ?? "") !== undefined;
  }

  #findMoving(id: string): StoredCompany | undefined {
    const stored = this.store.data.companies.get(id);
    return stored?.record.moving ? stored : undefined;
  }

  #takeAway(company: Company, endsRun: boolean): void {
    if (endsRun) this.observationOf(company.id).findings.endForgotten();
    this.events.emit("forgets", { company, reset: false });
    this.#close(company);
    this.#observations.delete(company.id);
    this.coverage.remove(company);
  }

  #forgetStored({ identity: { id } }: CompanyRecord): void {
    // Of the companies that are gone, only a configured one would be opened again at the next start.
    const configured = this.options.companies.some((setup) => setup.id === id);
    this.store.data.companies.delete(id);
    this.provisioned.forget(id);
    if (configured) this.store.data.gone.add(id);
    this.store.note(["gone", id, configured]);
  }

  #close(company: Company): void {
    company.close();
    this.#companies.delete(company.id);
    this.opened.delete(company.id);
    this.provisioned.close(company.id);
    this.#forgetTokens(company.record);
  }

  /**
   * Rebuilds the company from its setup, without pending deliveries. With tenancy it keeps its tokens and key. Throws UsageError("state") when another
   * company has one of its tokens now.
   */
  reset(company: Company): Company {
    const { setup } = this.openedAs(company);
    // Otherwise a tenant would lose its token, and a token that it replaced because others know it would work again.
    const { tokens, secretKey } = withoutExpired(company.record.identity, company.now());
    const begin = this.options.tenancy ? { ...setup, tokens, secretKey } : setup;
    this.#assertTokensFree(begin);
    const { record, openedAt } = this.#create(begin, company.record);
    this.provisioned.replace(company.record.identity);
    this.#forget(company);
    return this.#replace(company, record, openedAt);
  }

  #forget(company: Company): void {
    this.observationOf(company.id).findings.endForgotten();
    this.events.emit("forgets", { company, reset: true });
    this.observationOf(company.id).reset(this.system.monotonic());
  }

  /** Resets the configured companies and removes the others. */
  resetAll(): void {
    const before = new Map(this.companies.map(({ id, record }) => [id, record]));
    for (const id of this.store.data.companies.keys()) this.removeMoved(id);
    for (const company of this.companies) {
      if (this.options.companies.some(({ id }) => id === company.id)) {
        this.#forget(company);
        this.#close(company);
        this.provisioned.replace(company.record.identity);
      } else this.remove(company);
    }
    for (const setup of this.options.companies) this.open(setup, before.get(setup.id));
  }

  /**
   * Replaces a company's state, and sends what was pending in it once `gate` opens. An advance of it that is under way ends with UsageError("state").
   * Returns the new state before any of its due items happens. Throws UsageError("input") when `dumped` is not a valid state, and changes nothing.
   */
  putState(company: Company, dumped: unknown, gate: ReleaseGate): unknown {
    const record = restoreState(company, dumped);
    if (this.options.tenancy) record.identity = withoutExpired(company.record.identity, company.now());
    this.observationOf(company.id).replace(company.world, record, this.openedAs(company).setup);
    this.events.emit("replaces", { company, next: record.world });
    const restored = this.#replace(company, record);
    const state = dumpState(restored);
    resumeDeliveries(restored, gate);
    return state;
  }

  #replace(company: Company, record: CompanyRecord, openedAt?: Instant): Company {
    const { profile } = acceptProfile(record.overrides);
    company.close();
    this.#forgetTokens(company.record);
    const next = new Company(this.#deps(this.openedAs(company).setup), record, profile, openedAt);
    this.#put(next, true);
    next.rearm();
    return next;
  }

  identify(company: Company, identity: Identity): void {
    this.#forgetTokens(company.record);
    this.provisioned.replace(company.record.identity);
    company.record.identity = identity;
    // The new credentials were drawn from the company's ids, so the position in these is stored too.
    this.store.note(headEntry(identity.id, { identity, idPosition: company.record.idPosition }));
    this.#addTokens(company.record);
  }

  isTokenTaken(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** A token that the company was opened with may belong to another company by now. */
  #assertTokensFree(setup: CompanySetup): void {
    const holder = this.#holderOf(setup);
    if (holder === undefined) return;
    const failed = `Failed to reset the company "${setup.id}"`;
    const what = "Remove that company, or reset all.";
    throw new UsageError("state", `${failed}: the company "${holder}" has its initial access token now. ${what}`);
  }

  /** Another company that has one of the tokens. */
  #holderOf({ id, tokens }: Pick<Identity, "id" | "tokens">): string | undefined {
    return tokens.map(({ token }) => this.#tokens.get(token)).find((found) => found !== undefined && found !== id);
  }

  /** Ends the run of the clients under test: reports what they can no longer learn. `waited`: deliveries in flight had time to be acknowledged. */
  endRun(waited: boolean): void {
    for (const observation of this.#observations.values()) observation.findings.end(waited);
  }

  async close(): Promise<void> {
    for (const company of this.companies) company.close();
    await this.#transport.close();
    await this.store.close();
  }

  /** `replaces`: the store keeps the snapshots of the company of the same id that it replaces. */
  #put(company: Company, replaces: boolean): void {
    const { record, id } = company;
    this.#companies.set(id, company);
    const setup = this.opened.get(id)?.setup;
    if (setup !== undefined) {
      this.store.data.companies.set(id, { record, setup });
      this.store.data.gone.delete(id);
      for (const entry of companyEntries(record, setup, replaces)) this.store.note(entry);
    }
    this.#addTokens(record);
    company.wake();
  }

  /** Opens a company from the store. A reset returns a configured company to the present configuration, and another one to its stored setup. */
  #resume(stored: StoredCompany, clockOver: ResolvedOptions["clockOver"], gate?: ReleaseGate): Company {
    const { record } = stored;
    const { id } = record.identity;
    const setup = this.options.companies.find((configured) => configured.id === id) ?? stored.setup;
    const company = resumeCompany(this.#deps(setup), record, clockOver);
    this.opened.set({ id, seq: ++this.#openings, setup });
    this.#observations.set(id, observe(id, this));
    this.#companies.set(id, company);
    this.store.data.companies.set(id, { record, setup });
    this.provisioned.resume(id, setup);
    this.#addTokens(record);
    resumeDeliveries(company, gate);
    company.wake();
    return company;
  }

  #secrets(): readonly string[] {
    return [this.options.adminToken ?? [], ...this.companies.map(({ record }) => secretTexts(record.identity))].flat();
  }

  #addTokens({ identity }: CompanyRecord): void {
    for (const { token } of identity.tokens) this.#tokens.set(token, identity.id);
    this.redactor.add(secretTexts(identity));
    this.#observations.get(identity.id)?.redactor.add(secretTexts(identity));
  }

  #forgetTokens({ identity }: CompanyRecord): void {
    this.redactor.add(secretTexts(identity));
    for (const { token } of identity.tokens) if (this.#tokens.get(token) === identity.id) this.#tokens.delete(token);
  }

  #deps({ ofScenario }: CompanySetup): CompanyDeps {
    const { system, log, longWork, options, events, reads } = this;
    const { seed, limits, tenancy, defaults } = options;
    const operator = tenancy && !ofScenario ? acceptProfile(defaults.profile).profile.webhooks.allow : undefined;
    const parts = { system, log, longWork, transport: this.#transport, store: this.store, seed, limits, operator };
    return { ...parts, reads, watcherOf: (id) => this.coverage.tallyOf(id), events };
  }

  #create(setup: CompanySetup, before?: CompanyRecord): Company {
    return createCompany(this.#deps(setup), setup, `${this.publicUrl}/checkout/`, before);
  }
}
