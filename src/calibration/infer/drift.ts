import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import type { Drift, ExchangeName } from "../report/report.js";
import { groupBy } from "../replay/group-by.js";
import type { Entry } from "../replay/history.js";
import { type FoundDifference, subjectOf } from "../replay/replay.js";
import type { Track } from "./bench.js";

/** What is left, by operation or topic and place; the most frequent first. */
export function groupDrift(
  differences: readonly FoundDifference[],
  tracks: readonly Track[],
  exchanges: readonly HttpExchange[],
): Drift[] {
  const entries = tracks.flatMap(({ history }) => history.entries);
  const totals = groupBy(entries, nameSubject);
  const groups = groupBy(differences, ({ subject, pointer, kind }) => `${subject} ${kind} ${generalize(pointer)}`);
  return [...groups.values()]
    .map((group): Drift => {
      const { subject, pointer, kind, exchange, expected, got } = group[0]!;
      const count = new Set(group.map((difference) => difference.exchange)).size;
      const isOperation = subject.includes(" ");
      return {
        operation: isOperation ? subject : null,
        topic: isOperation ? null : subject,
        pointer: generalize(pointer),
        kind,
        count,
        of: Math.max(count, totals.get(subject)?.length ?? 0),
        example: { exchange: nameExchange(exchange, exchanges), expected, got },
      };
    })
    .toSorted((a, b) => b.count - a.count);
}

function nameSubject(entry: Entry): string {
  return entry.kind === "webhook" ? entry.topic : subjectOf(entry);
}

/** With `*` in the place of the index of an item. */
function generalize(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");
}

export function nameExchange(index: number, exchanges: readonly HttpExchange[]): ExchangeName {
  const { method = "", url = "http://unknown" } = exchanges[index] ?? {};
  const { pathname } = new URL(url);
  return { index, method, path: pathname };
}
