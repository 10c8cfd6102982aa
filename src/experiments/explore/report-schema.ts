import * as z from "zod";
import { baselineReport, command, count, notes, stopped, whole } from "../run/report-parts.js";
import { faultNames } from "./faults.js";
import { verdicts } from "../run/oracle.js";
import type { ExploreReport } from "./report.js";

const fact = z
  .object({
    kind: z
      .enum(["transfer", "pending", "charge", "payment", "refund"])
      .meta({ description: "A transfer that completed, one that did not end, a charge that was made, paid, refunded" }),
    of: z.string().meta({ description: "The msisdn of a transfer, or the externalId of a charge" }),
    amount: z.number().meta({ description: "XOF" }),
  })
  .readonly();

const faultName = z.enum(faultNames);

const run = z
  .object({
    id: z.string().meta({ description: "Its place in the plan; the name of its files" }),
    after: z
      .object({
        id: z.string().meta({ description: "The run with that fault alone" }),
        point: z.string().meta({ description: "Its point" }),
        fault: faultName.meta({ description: "The fault" }),
      })
      .readonly()
      .nullable()
      .meta({ description: "The fault that came before, in a run with two" }),
    point: z
      .object({
        name: z.string().meta({ description: "createTransaction#2, charges/events#1" }),
        operation: z.string().optional().meta({ description: "Of a request" }),
        topic: z.string().optional().meta({ description: "Of a webhook" }),
        ordinal: whole
          .min(1)
          .meta({ description: "Among the requests of the operation, or the webhooks of the topic" }),
        about: z.string().meta({ description: "For people: a reference, an externalId or a msisdn" }),
      })
      .readonly()
      .meta({ description: "Where the fault was" }),
    fault: faultName.meta({ description: "What went wrong" }),
    verdict: z
      .enum([...verdicts, "flaky"])
      .meta({ description: "flaky: a bug that the same run a second time did not show" }),
    exitCode: whole.nullable().meta({ description: "Of the command; null when it was stopped" }),
    ms: count("milliseconds the command took"),
    summary: z.string().meta({ description: "What happened, as a paragraph" }),
    findings: z.array(z.string()).readonly().meta({ description: "Kinds of findings that only the fault causes" }),
    effect: z
      .object({
        added: z.array(fact).readonly().meta({ description: "Money that moves only with the fault" }),
        missing: z.array(fact).readonly().meta({ description: "What happens only without the fault" }),
      })
      .readonly()
      .meta({ description: "What differs in the books" }),
    requests: z
      .array(z.string())
      .readonly()
      .meta({ description: "Of a bug: the requests that it is about, oldest first" }),
    fix: z.string().nullable().meta({ description: "How to fix it; null when it is not a bug" }),
    repeat: z.string().nullable().meta({ description: "The command line that repeats a bug" }),
    rules: z
      .array(z.record(z.string(), z.unknown()).readonly())
      .readonly()
      .meta({ description: "The rules that make the fault" }),
    output: z.string().nullable().meta({ description: "The file with what the command printed, of a bug" }),
  })
  .readonly();

const counts = z
  .object({
    unsafe: count("runs moved money that should not move"),
    lost: count("runs succeeded although something was not done"),
    hung: count("runs did not end in time"),
    crashed: count("runs crashed"),
    noticed: count("runs failed and did no harm"),
    safe: count("runs did what they do without a fault"),
    equivalent: count("faults were not run, because they do the same as another"),
    flaky: count("bugs were not seen again in the same run"),
  })
  .readonly()
  .meta({ description: "The runs by verdict" });

/** The JSON report. */
export const exploreReport: z.ZodType<ExploreReport> = z
  .object({
    verb: z.literal("explore").meta({ description: "The verb that made the report" }),
    command,
    seed: whole.meta({ description: "Of the identifiers that the sandbox makes" }),
    baseline: baselineReport,
    runs: z.array(run).readonly().meta({ description: "A run for each fault, the most dangerous first" }),
    counts,
    stopped,
    notes,
  })
  .readonly();
