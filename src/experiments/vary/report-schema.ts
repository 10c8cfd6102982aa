import * as z from "zod";
import { baselineReport, command, count, notes, stopped, whole } from "../run/report-parts.js";
import type { VaryReport } from "./report.js";

const json = z.json();
const text = (description: string) => z.string().meta({ description });

const variedSetting = z
  .object({
    id: z.string().nullable().meta({ description: "The number of the run in the plan; null when it was not run" }),
    path: text("The path of the setting; for two settings, transfers.min + charges.ttl"),
    default: json.meta({ description: "The value in the baseline; for two settings, a list" }),
    alternative: json.meta({ description: "The value in the run; for two settings, a list; null when it was not run" }),
    verdict: z.enum(["depends", "independent", "not-met"]).meta({
      description: "depends: the command behaves differently; not-met: nothing the command does reads the setting",
    }),
    change: z.string().nullable().meta({ description: "What is different in the run; null when nothing is" }),
    repeat: z
      .string()
      .nullable()
      .meta({ description: "The command line that repeats the difference; null when there is none" }),
    output: z
      .string()
      .nullable()
      .meta({ description: "The file with what the command printed; null when it was not kept" }),
  })
  .readonly();

const otherAnswer = z
  .object({
    answer: json.meta({ description: "Another possible answer: a value of the setting" }),
    effect: text("What this answer means"),
    change: text("What is different for the command with this answer"),
    set: text("The profile to use if this is the answer, as YAML"),
  })
  .readonly();

const question = z
  .object({
    path: text("The path of the setting"),
    contract: text("The sentence of the contract that leaves the setting open"),
    question: text("The question to ask the provider"),
    default: json.meta({ description: "The value that the command was run with" }),
    ifOtherwise: z
      .array(otherAnswer)
      .readonly()
      .meta({ description: "What happens to the command with each other answer" }),
  })
  .readonly();

/** The JSON report. */
export const varyReport: z.ZodType<VaryReport> = z
  .object({
    verb: z.literal("vary").meta({ description: "The verb that made the report" }),
    command,
    seed: whole.meta({ description: "The seed of the identifiers that the sandbox generates" }),
    baseline: baselineReport,
    settings: z
      .array(variedSetting)
      .readonly()
      .meta({ description: "A row for each alternative that was run, then one for each setting that is not read" }),
    questions: z
      .array(question)
      .readonly()
      .meta({ description: "Questions for the provider, one for each setting that the command depends on" }),
    counts: z
      .object({
        depends: count("alternatives make a difference"),
        independent: count("alternatives make no difference"),
        "not-met": count("settings the command does not read"),
      })
      .readonly()
      .meta({ description: "How many rows have each verdict" }),
    stopped,
    notes,
  })
  .readonly();
