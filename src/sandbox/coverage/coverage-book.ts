import type { World } from "../../domain/model/work.js";
import type { SettingReads } from "../../domain/profile/track-profile.js";
import type { Exchange } from "../company/exchange.js";
import { type Coverage, mergeCoverage } from "./coverage-report.js";
import { CoverageTally } from "./coverage-tally.js";

interface Covered {
  readonly id: string;
  readonly world: Pick<World, "rules">;
}

/** The most parts for removed companies that are kept apart. Merging them at each removal would take seconds when a thousand companies are removed. */
const GONE_MAX = 16;

/** The coverage of all companies of a sandbox. The sum includes removed companies. */
export class CoverageBook {
  readonly #tallies = new Map<string, CoverageTally>();
  #gone: readonly Coverage[] = [];
  /** The rules of removed companies that were never used. */
  #goneRules: readonly Coverage[] = [];
  readonly #reads: SettingReads;

  constructor(reads: SettingReads) {
    this.#reads = reads;
  }

  tallyOf(companyId: string): CoverageTally {
    const found = this.#tallies.get(companyId) ?? new CoverageTally(this.#reads);
    this.#tallies.set(companyId, found);
    return found;
  }

  /** Counts a request to the API under test and its answer. Ignored when the company was removed meanwhile. */
  see(companyId: string, exchange: Exchange): void {
    this.#tallies.get(companyId)?.see(exchange);
  }

  of({ id, world }: Covered): Coverage {
    return this.tallyOf(id).report(world);
  }

  /** The coverage of all companies, past and present. Of unused companies only the rules count, unless no company was used. */
  ofAll(companies: readonly Covered[]): Coverage {
    return mergeCoverage([...this.#partsOf(companies)]);
  }

  /** Like {@link ofAll}, but lets other work of the process run in between: each company may have a megabyte of rules. */
  async ofAllInTurns(companies: readonly Covered[], takeTurns: () => Promise<void> | undefined): Promise<Coverage> {
    let sum = mergeCoverage([]);
    for (const part of this.#partsOf(companies)) {
      sum = mergeCoverage([sum, part]);
      await takeTurns();
    }
    return sum;
  }

  *#partsOf(companies: readonly Covered[]): Generator<Coverage> {
    // Read everything now: a company may be removed while the parts are added up.
    const tallies = companies.map(({ id, world }) => ({ tally: this.tallyOf(id), world }));
    const [gone, goneRules] = [this.#gone, this.#goneRules];
    const used = tallies.filter(({ tally }) => tally.isUsed);
    const shown = used.length > 0 || gone.length > 0 ? used : tallies.slice(0, 1);
    yield* gone;
    for (const { tally, world } of shown) yield tally.report(world);
    yield* goneRules;
    for (const each of tallies) if (!used.includes(each)) yield each.tally.reportRules(each.world);
  }

  remove(company: Covered): void {
    const tally = this.tallyOf(company.id);
    if (tally.isUsed) this.#gone = shorten([...this.#gone, this.of(company)]);
    else this.#goneRules = shorten([...this.#goneRules, tally.reportRules(company.world)]);
    this.#tallies.delete(company.id);
  }
}

function shorten(parts: readonly Coverage[]): readonly Coverage[] {
  return parts.length > GONE_MAX ? [mergeCoverage(parts)] : parts;
}
