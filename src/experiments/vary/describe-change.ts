import { type Fact, compareFacts } from "../run/effect.js";
import type { RunResult } from "../run/experiment.js";
import type { SeenRequest } from "../run/observe.js";
import { type Baseline, newFindings, withoutFailures } from "../run/oracle.js";
import { describeEffect } from "../run/describe-effect.js";
import { oneLine, shorten } from "../../kernel/messages/text.js";

/** What the command does differently from the baseline, as a paragraph; null when nothing is different. */
export function describeChange(baseline: Baseline, run: RunResult, timeoutMs: number): string | null {
  const differences = [
    describeEnd(baseline.result, run, timeoutMs),
    describeInvariant(run),
    describeMoney(baseline, run),
    describeFindings(baseline, run),
  ];
  if (differences.every((text) => text === "")) return null;
  // If the order of requests varies from run to run, the first different request says nothing.
  const firstRequest = baseline.isOrdered ? describeFirstRequest(baseline.result, run) : "";
  return [...differences, describeFirstLine(baseline.result, run), firstRequest]
    .filter((text) => text !== "")
    .join(" ");
}

function describeEnd(baseline: RunResult, { exitCode, timedOut, crash }: RunResult, timeoutMs: number): string {
  if (timedOut) return `The command does not end within ${timeoutMs / 1000} s.`;
  if (crash !== null) return `The command crashes: ${crash}.`;
  return exitCode === baseline.exitCode ? "" : `The command fails with exit code ${exitCode}.`;
}

function describeInvariant({ holds }: RunResult): string {
  return holds === false ? "The invariant of --check does not hold." : "";
}

/** A payout that did not end counts as made, because the setting itself may keep it from ending. */
function describeMoney(baseline: Baseline, run: RunResult): string {
  const { key, result } = baseline;
  if (key === undefined) return "";
  const settled = (facts: readonly Fact[]) =>
    facts.map((fact) => (fact.kind === "pending" ? { ...fact, kind: "transfer" as const } : fact));
  const effect = compareFacts(settled(result.seen.facts), settled(withoutFailures(result, run, key)), key);
  return describeEffect(effect, baseline, run);
}

/** Only new findings count. One that is gone says nothing about the command: for example, it cannot miss an outcome that never comes. */
function describeFindings({ result }: Baseline, { seen }: RunResult): string {
  const kinds = [...new Set(newFindings(result.seen, seen).map(({ kind }) => kind))];
  return kinds.length === 0 ? "" : `New findings: ${kinds.join(", ")}.`;
}

const FAILURE = /\b(?:fail|error|not ok|assert|expected)|[✗✘×❌]/i;
const LINE_MAX = 160;

/** The first line about a failure that the baseline did not print, which is usually the name of a test. */
function describeFirstLine(baseline: RunResult, run: RunResult): string {
  if (run.exitCode === baseline.exitCode) return "";
  const known = new Set(linesOf(baseline).map(normalized));
  const newLines = linesOf(run).filter((line) => line.trim() !== "" && !known.has(normalized(line)));
  const line = newLines.find((text) => FAILURE.test(text)) ?? newLines[0];
  return line === undefined ? "" : `It prints: ${shorten(oneLine(line), LINE_MAX)}`.replace(/[^.!?…]$/, "$&.");
}

function linesOf({ printed }: RunResult): string[] {
  // eslint-disable-next-line no-control-regex
  return printed.replaceAll(/\u001B\[[\d;]*m/g, "").split("\n");
}

/** The line without numbers: times and counts differ from run to run. */
function normalized(line: string): string {
  return line.replaceAll(/\d+(?:\.\d+)?/g, "#").trim();
}

function describeFirstRequest(baseline: RunResult, run: RunResult): string {
  const [before, now] = [withoutRepeatedReads(baseline), withoutRepeatedReads(run)];
  const at = now.findIndex((request, index) => describe(request) !== describe(before[index]));
  const [wanted, found] = at === -1 ? [before[now.length], undefined] : [before[at], now[at]];
  if (wanted === undefined && found === undefined) return "";
  if (found === undefined) return `The first request that differs: ${named(wanted)} is not made.`;
  if (wanted?.key !== found.key) return `The first request that differs: ${named(found)}, which is not made otherwise.`;
  return `The first request that differs: ${named(found)} is answered ${found.status}, not ${wanted.status}.`;
}

/** How often a command reads the same again depends on timing. */
function withoutRepeatedReads({ seen }: RunResult): SeenRequest[] {
  return seen.requests.filter(({ repeats }) => !repeats);
}

function describe(request: SeenRequest | undefined): string | undefined {
  return request === undefined ? undefined : `${request.key} ${request.status}`;
}

function named(request: SeenRequest | undefined): string {
  if (request === undefined) return "";
  return request.about === "" ? request.name : `${request.name} (${oneLine(request.about)})`;
}
