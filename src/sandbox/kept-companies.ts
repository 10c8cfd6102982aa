import type { Store } from "../adapters/store/store.js";
import type { CompanyRecord, StoredCompany, StoredSandbox } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";
import { companyEntries, headEntry } from "./state/store-format.js";

/** The companies in the store. Each company records its own commits. */
export class KeptCompanies {
  readonly #store: Store<StoredSandbox>;
  readonly #configured: ReadonlySet<string>;

  /** `configured`: the companies that each start opens, unless they were removed. */
  constructor(store: Store<StoredSandbox>, configured: readonly Pick<CompanySetup, "id">[]) {
    this.#store = store;
    this.#configured = new Set(configured.map(({ id }) => id));
  }

  /** Oldest first. */
  list(): readonly StoredCompany[] {
    return [...this.#store.data.companies.values()];
  }

  /** Whether it was removed: the configuration does not open it again. */
  isGone(id: string): boolean {
    return this.#store.data.gone.has(id);
  }

  /** The store has it already, except perhaps its setup. */
  resume(record: CompanyRecord, setup: CompanySetup): void {
    this.#store.data.companies.set(record.identity.id, { record, setup });
  }

  /** `replaces`: its snapshots are those of the company of the same id that it replaces. */
  put(record: CompanyRecord, setup: CompanySetup, replaces: boolean): void {
    this.resume(record, setup);
    this.#store.data.gone.delete(record.identity.id);
    if (!this.#store.keeps) return;
    for (const entry of companyEntries(record, setup, replaces)) this.#store.note(entry);
  }

  /** Its credentials were drawn from its stream of ids, so the position is stored too. */
  identify({ identity, idPosition }: CompanyRecord): void {
    if (this.#store.keeps) this.#store.note(headEntry(identity.id, { identity, idPosition }));
  }

  remove(id: string): void {
    this.#store.data.companies.delete(id);
    // Other companies may be any number, and do not come back.
    const configured = this.#configured.has(id);
    if (configured) this.#store.data.gone.add(id);
    if (this.#store.keeps) this.#store.note(["gone", id, configured]);
  }
}
