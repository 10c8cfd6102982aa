import * as z from "zod";
import { baselineReport, command, count, notes, stopped, whole } from "../run/report-parts.js";
import { faultNames } from "./faults.js";
import { verdicts } from "../run/oracle.js";
import type { ExploreReport } from "./report.js";

const fact = z
  .object({
    kind: z.enum(["transfer", "pending", "charge", "payment", "refund"]).meta({
      description: "A completed transfer, a pending transfer, a charge that was made, its payment, or a refund",
    }),
    of: z.string().meta({ description: "The msisdn of the transfer, or the externalId of the charge" }),
    amount: z.number().meta({ description: "The amount, in XOF" }),
  })
  .readonly();

const faultName = z.enum(faultNames);

const run = z
  .object({
    id: z.string().meta({ description: "The number of the run in the plan, such as 03; also the name of its files" }),
    after: z
      .object({
        id: z.string().meta({ description: "The id of the run with the earlier fault alone" }),
        point: z.string().meta({ description: "The name of the point of the earlier fault" }),
        fault: faultName.meta({ description: "The name of the earlier fault" }),
      })
      .readonly()
      .nullable()
      .meta({ description: "The earlier fault, in a run with two faults; else null" }),
    point: z
      .object({
        name: z
          .string()
          .meta({ description: "The name of the point, such as createTransaction#2 or charges/events#1" }),
        operation: z.string().optional().meta({ description: "The operation, if the point is a request" }),
        topic: z.string().optional().meta({ description: "The topic, if the point is a webhook" }),
        ordinal: whole
          .min(1)
          .meta({ description: "The number among the requests of the operation or the webhooks of the topic, from 1" }),
        about: z
          .string()
          .meta({ description: "The reference, externalId or msisdn that the point is about, for people to read" }),
      })
      .readonly()
      .meta({ description: "The request or webhook that the fault changed" }),
    fault: faultName.meta({ description: "The fault that was injected" }),
    verdict: z
      .enum([...verdicts, "flaky"])
      .meta({ description: "The verdict on the run; flaky: a bug that a second, identical run did not show" }),
    exitCode: whole
      .nullable()
      .meta({ description: "The exit code of the command; null when it was stopped at the time limit" }),
    ms: count("milliseconds the command took"),
    summary: z.string().meta({ description: "What happened in the run, as a paragraph" }),
    findings: z.array(z.string()).readonly().meta({ description: "The kinds of findings that only the fault causes" }),
    effect: z
      .object({
        added: z
          .array(fact)
          .readonly()
          .meta({ description: "Transfers, charges, payments and refunds that happened only with the fault" }),
        missing: z
          .array(fact)
          .readonly()
          .meta({ description: "Transfers, charges, payments and refunds that happened only without the fault" }),
      })
      .readonly()
      .meta({ description: "How the money that moved differs from that of the baseline" }),
    requests: z
      .array(z.string())
      .readonly()
      .meta({ description: "The requests that a bug is about, oldest first; empty when it is not a bug" }),
    fix: z.string().nullable().meta({ description: "How to fix the bug; null when it is not a bug" }),
    repeat: z
      .string()
      .nullable()
      .meta({ description: "The command line that repeats a bug; null when it is not a bug" }),
    rules: z
      .array(z.record(z.string(), z.unknown()).readonly())
      .readonly()
      .meta({ description: "The rules that inject the fault" }),
    output: z
      .string()
      .nullable()
      .meta({ description: "The file with what the command printed; null when it is not a bug" }),
  })
  .readonly();

const counts = z
  .object({
    unsafe: count("runs moved money that should not move"),
    lost: count("runs succeeded although work was left undone"),
    hung: count("runs did not end in time"),
    crashed: count("runs crashed"),
    noticed: count("runs failed and did no harm"),
    safe: count("runs did the same as without a fault"),
    equivalent: count("faults were not run because they have the same effect as another"),
    flaky: count("bugs did not appear in a second, identical run"),
  })
  .readonly()
  .meta({ description: "How many runs have each verdict" });

/** The JSON report. */
export const exploreReport: z.ZodType<ExploreReport> = z
  .object({
    verb: z.literal("explore").meta({ description: "The verb that made the report" }),
    command,
    seed: whole.meta({ description: "The seed of the identifiers that the sandbox generates" }),
    baseline: baselineReport,
    runs: z.array(run).readonly().meta({ description: "The runs, one for each fault, the most dangerous first" }),
    counts,
    stopped,
    notes,
  })
  .readonly();
