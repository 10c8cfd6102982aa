import type { Exchange } from "../company/exchange.js";
import { type Coverage, mergeCoverage } from "./coverage-report.js";
import { CoverageTally } from "./coverage.js";
import type { World } from "../../domain/model/work.js";

interface Covered {
  readonly id: string;
  readonly world: Pick<World, "rules">;
}

/** What the clients of one sandbox met, by company. What a company's client met outlives its resets; when the company goes, it stays in the sum. */
export class CoverageBook {
  readonly #tallies = new Map<string, CoverageTally>();
  #gone: Coverage | undefined;

  /** Begins one when there is none. */
  tallyOf(companyId: string): CoverageTally {
    const found = this.#tallies.get(companyId) ?? new CoverageTally();
    this.#tallies.set(companyId, found);
    return found;
  }

  /** A request to the API under test and its answer. Nobody counts for a company that went meanwhile. */
  see(companyId: string, exchange: Exchange): void {
    this.#tallies.get(companyId)?.see(exchange);
  }

  of({ id, world }: Covered): Coverage {
    return this.tallyOf(id).report(world);
  }

  /** Of all that there are and were. A company in which nothing happened only counts when nothing did in any. */
  ofAll(companies: readonly Covered[]): Coverage {
    const used = companies.filter(({ id }) => this.tallyOf(id).isUsed);
    const parts = [...(this.#gone === undefined ? [] : [this.#gone]), ...used.map((company) => this.of(company))];
    return mergeCoverage(parts.length > 0 ? parts : companies.slice(0, 1).map((company) => this.of(company)));
  }

  /** The company goes. */
  leave(company: Covered): void {
    if (this.#tallies.get(company.id)?.isUsed === true) {
      this.#gone = mergeCoverage([...(this.#gone === undefined ? [] : [this.#gone]), this.of(company)]);
    }
    this.#tallies.delete(company.id);
  }
}
