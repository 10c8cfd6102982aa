import type { Store } from "../adapters/store/store.js";
import type { CompanyRecord, StoredCompany, StoredSandbox } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";
import { companyEntries, headEntry } from "./state/store-format.js";

/** The companies as the store has them. Their commits they tell it themselves. */
export class KeptCompanies {
  readonly #store: Store<StoredSandbox>;
  readonly #configured: ReadonlySet<string>;

  /** `configured`: what comes back with each start, unless it was removed. */
  constructor(store: Store<StoredSandbox>, configured: readonly Pick<CompanySetup, "id">[]) {
    this.#store = store;
    this.#configured = new Set(configured.map(({ id }) => id));
  }

  /** Those that were there before this process, oldest first. */
  list(): readonly StoredCompany[] {
    return [...this.#store.data.companies.values()];
  }

  /** Whether it was removed: a configuration does not bring it back. */
  isGone(id: string): boolean {
    return this.#store.data.gone.has(id);
  }

  /** Nothing about it is new to the store but, it may be, its setup. */
  resume(record: CompanyRecord, setup: CompanySetup): void {
    this.#store.data.companies.set(record.identity.id, { record, setup });
  }

  /** `replaces`: its snapshots are those of the company of its id that was there before. */
  put(record: CompanyRecord, setup: CompanySetup, replaces: boolean): void {
    this.resume(record, setup);
    this.#store.data.gone.delete(record.identity.id);
    if (!this.#store.keeps) return;
    for (const entry of companyEntries(record, setup, replaces)) this.#store.note(entry);
  }

  /** Its credentials were drawn from its stream of ids. */
  identify({ identity, idPosition }: CompanyRecord): void {
    if (this.#store.keeps) this.#store.note(headEntry(identity.id, { identity, idPosition }));
  }

  remove(id: string): void {
    this.#store.data.companies.delete(id);
    // Of others nothing is remembered: there may be any number of them.
    const configured = this.#configured.has(id);
    if (configured) this.#store.data.gone.add(id);
    if (this.#store.keeps) this.#store.note(["gone", id, configured]);
  }
}
