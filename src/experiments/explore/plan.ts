import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";
import { type FaultName, type PlannedFault, faultNames } from "./faults.js";

/** Which faults to run, by names of faults (`answer-lost`), points (`createTransaction#2`), operations and topics. */
export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** The faults to run, the most dangerous first. */
export function selectFaults(faults: readonly PlannedFault[], { only, skip }: Selection): PlannedFault[] {
  const [onlyFaults, onlyPoints] = split(only);
  const selected = faults.filter((planned) => {
    if (onlyFaults.length > 0 && !onlyFaults.includes(planned.fault)) return false;
    if (onlyPoints.length > 0 && !onlyPoints.some((name) => isAt(planned, name))) return false;
    return !skip.some((name) => name === planned.fault || isAt(planned, name));
  });
  return selected.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Names of faults, and names of points. */
function split(names: readonly string[]): [faults: string[], points: string[]] {
  return [names.filter(isFault), names.filter((name) => !isFault(name))];
}

function isFault(name: string): name is FaultName {
  return faultNames.some((fault) => fault === name);
}

function isAt({ point }: PlannedFault, name: string): boolean {
  return name === point.name || name === point.operation || name === point.topic;
}

/** Throws UsageError("command-line") for a name that is neither a fault nor a point. */
export function assertKnown(faults: readonly PlannedFault[], { only, skip }: Selection): void {
  const points = [...new Set(faults.flatMap(({ point }) => [point.name, point.operation ?? point.topic ?? ""]))];
  for (const name of [...only, ...skip]) {
    if (isFault(name) || points.includes(name)) continue;
    const what = "It must be a fault, or a point that the command reaches without a fault";
    const hint = didYouMean(name, [...faultNames, ...points]);
    throw new UsageError("command-line", `Unknown name ${quote(name)}: ${what}; --list shows all.${hint}`);
  }
}

const MONEY_OUT: ReadonlySet<unknown> = new Set(["createTransaction", "createBatch", "refundCharge"]);
const LOST: ReadonlySet<FaultName> = new Set(["answer-lost", "500-after", "answer-cut", "slow"]);
const DUPLICATES: ReadonlySet<FaultName> = new Set(["twice", "twice-late", "ack-lost"]);

/** Lower is more dangerous: first lost answers when money goes out, then duplicate webhooks, then other faults when money goes out, then the rest. */
function rankOf({ point, fault }: PlannedFault): number {
  const isMoneyOut = MONEY_OUT.has(point.operation);
  const group = LOST.has(fault) && isMoneyOut ? 0 : DUPLICATES.has(fault) ? 1 : isMoneyOut ? 2 : 3;
  return group * faultNames.length + faultNames.indexOf(fault);
}
