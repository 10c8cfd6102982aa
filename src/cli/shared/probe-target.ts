import { join } from "node:path";
import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import { type ChosenProbe, chooseProbes } from "../../calibration/probes/choose-probes.js";
import type { FetchTo } from "../../calibration/replay/replay.js";
import { type ProbeTarget, runProbes } from "../../calibration/probes/run-probes.js";
import { createProbe } from "../../calibration/probes/probe.js";
import { type SettingSelection, alternativesOf, isSelected } from "../../domain/profile/alternatives.js";
import { describeProfile } from "../../domain/profile/describe-profile.js";
import { acceptProfile } from "../../sandbox/state/profile.js";
import { type ProfileOverrides, groupOf } from "../../domain/profile/settings.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { assertReachable } from "../../scenarios/run/remote-target.js";
import { programFolder } from "./name.js";
import { printData, printDiagnostic } from "./output.js";
import { loadScenarioFiles } from "./scenario-files.js";
import { pluralize } from "../../kernel/messages/text.js";

export interface ProbeOptions {
  readonly target: ProbeTarget;
  readonly selection: SettingSelection;
  readonly profile: ProfileOverrides;
  readonly fetchTo: FetchTo;
}

/** Prints what the probes would do. */
export async function printPlan(options: ProbeOptions): Promise<void> {
  const { chosen, left } = await plan(options);
  printData([...chosen.map(describe), ...left].join("\n"));
}

/**
 * Asks the target. `onStop` is called before the first probe; when its signal ends the probes, `recorded` is the traffic so far. `missing` says why
 * requests are missing in it.
 */
export async function probe(
  options: ProbeOptions,
  onStop: () => AbortSignal,
): Promise<{ readonly recorded: readonly HttpExchange[]; readonly missing: string | undefined }> {
  const { target, profile } = options;
  const { chosen, left } = await plan(options);
  left.forEach(printDiagnostic);
  await assertReachable(target);
  const signal = onStop();
  const recorded = await runProbes(chosen, {
    target,
    system: systemClock,
    signatureHeader: acceptProfile(profile).profile.webhooks.signatureHeader,
    signal,
    onProbe: (next, index) => printDiagnostic(describe(next, index)),
    onWait: (ms) => printDiagnostic(`sandbox: the target limits the rate; waiting ${Math.ceil(ms / 1000)} s`),
    onGiveUp: () => printDiagnostic(`sandbox: the target limits the rate for too long; ${PARTIAL}`),
  });
  for (const { method, url, comment } of recorded.filter(isUnanswered)) {
    printDiagnostic(
      `sandbox: no answer to ${method} ${new URL(url).pathname}: ${comment}. The rest of that probe was left out.`,
    );
  }
  if (signal.aborted) printDiagnostic(`sandbox: stopped; ${PARTIAL}`);
  return { recorded, missing: signal.aborted ? "it was stopped before all requests were sent" : whyMissing(recorded) };
}

/** A request that a rate limit refused at the end would have been sent again. */
function whyMissing(recorded: readonly HttpExchange[]): string | undefined {
  const isIncomplete = recorded.some(isUnanswered) || recorded.at(-1)?.answer?.status === 429;
  return isIncomplete ? "the target did not answer all requests" : undefined;
}

function isUnanswered({ answer }: HttpExchange): boolean {
  return answer === undefined;
}

const PARTIAL = "the report has what was learned so far";

/** Chooses the probes. Without `--only`, none of them moves money. */
async function plan({ selection, profile, fetchTo }: ProbeOptions) {
  const settings = describeProfile(acceptProfile(profile).values).map(({ setting: path, value }) => ({ path, value }));
  const wanted = settings.filter(({ path }) => isSelected(selection, path));
  // A test number cannot be guessed.
  const alternatives = alternativesOf(wanted.filter(({ path }) => groupOf(path) !== "testNumbers"));
  const probes = (await loadScenarioFiles([join(programFolder(), "scenarios/probes")])).map(createProbe);
  const allowed = probes.filter(({ movesMoney }) => !movesMoney || selection.only.length > 0);
  const chosen = await chooseProbes(allowed, alternatives, { profile, fetchTo });
  if (chosen.length === 0) {
    const why = selection.only.length > 0 ? "no probe can show them" : "name settings with --only";
    throw new UsageError("command-line", `There is nothing to ask the target about these settings: ${why}.`);
  }
  const shown = new Set(chosen.flatMap(({ shows }) => shows));
  const others = wanted.map(({ path }) => path).filter((path) => !shown.has(path));
  const left = others.length === 0 ? [] : [`Not asked about: ${others.join(", ")}`];
  left.push("The report leaves a setting open when several of its values explain the answers.");
  if (allowed.length < probes.length) left.push("Probes that move money run only for settings that --only names.");
  return { chosen, left };
}

function describe({ scenario, requests, creates, shows }: ChosenProbe, index: number): string {
  const made = creates.length === 0 ? "nothing" : `at most ${creates.join(", ")}`;
  return `${index + 1}. ${scenario.name}: ${pluralize(requests, "request")}, creates ${made}; asks about ${shows.join(", ")}`;
}
