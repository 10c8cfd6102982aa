import { markBesideMoney } from "./beside-money.js";
import { groupByCompany } from "./companies.js";
import type { Entry, History } from "./entry.js";
import type { ReadEntry } from "./read-entry.js";
import { ServiceClock } from "./service-clock.js";
import { countBy } from "../../kernel/collections.js";

/** What one recording holds. */
export interface Recording {
  /** One for each company. */
  readonly histories: readonly History[];
  /** How many entries cannot be attributed to one of several companies. */
  readonly unnamed: number;
}

/** Sorts the entries of one source into histories. */
export function readRecording(read: readonly ReadEntry[]): Recording {
  const { groups, unnamed } = groupByCompany(
    read.toSorted(({ entry: a }, { entry: b }) => a.at - b.at || a.exchange.index - b.exchange.index),
  );
  const histories = groups.map((group) => {
    const entries = new ServiceClock(Number.NEGATIVE_INFINITY).place(markBesideMoney(group), true);
    return { companyId: mostFrequentCompany(entries), entries };
  });
  return { histories, unnamed: unnamed.length };
}

function mostFrequentCompany(entries: readonly Entry[]): string | undefined {
  const named = entries.flatMap((entry) =>
    entry.kind === "request" && (entry.answer?.status ?? 500) < 300 ? (entry.companyId ?? []) : [],
  );
  return [...countBy(named, (id) => id)].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
