import * as z from "zod";
import { baselineReport, command, count, notes, stopped, whole } from "../run/report-parts.js";
import type { VaryReport } from "./report.js";

const json = z.json();
const text = (description: string) => z.string().meta({ description });

const variedSetting = z
  .object({
    id: z.string().nullable().meta({ description: "Its place in the plan; null when it was not run" }),
    path: text("transfers.settlement; of two, both with a plus"),
    default: json.meta({ description: "What it is without the difference; of two, a list" }),
    alternative: json.meta({ description: "What it was in the run; null when there was none" }),
    verdict: z
      .enum(["depends", "independent", "not-met"])
      .meta({ description: "not-met: the command does not use it" }),
    change: z.string().nullable().meta({ description: "What is different then; null when nothing is" }),
    repeat: z.string().nullable().meta({ description: "The command line that repeats a difference" }),
    output: z.string().nullable().meta({ description: "The file with what the command printed, of a difference" }),
  })
  .readonly();

const otherAnswer = z
  .object({
    answer: json.meta({ description: "Another answer to the question" }),
    effect: text("What the answer means"),
    change: text("What is different then"),
    set: text("The profile to set when it is the answer, as YAML"),
  })
  .readonly();

const question = z
  .object({
    path: text("The setting"),
    contract: text("The sentence of the contract that leaves it open"),
    question: text("To the provider"),
    default: json.meta({ description: "What the command was run with" }),
    ifOtherwise: z
      .array(otherAnswer)
      .readonly()
      .meta({ description: "What happens to the command with another answer" }),
  })
  .readonly();

/** The JSON report. */
export const varyReport: z.ZodType<VaryReport> = z
  .object({
    verb: z.literal("vary").meta({ description: "The verb that made the report" }),
    command,
    seed: whole.meta({ description: "Of the identifiers that the sandbox makes" }),
    baseline: baselineReport,
    settings: z
      .array(variedSetting)
      .readonly()
      .meta({ description: "A row for each alternative that was run, and for each setting that is not read" }),
    questions: z.array(question).readonly().meta({ description: "One for each setting that the command depends on" }),
    counts: z
      .object({
        depends: count("alternatives make a difference"),
        independent: count("alternatives make none"),
        "not-met": count("settings are not read"),
      })
      .readonly()
      .meta({ description: "The rows by verdict" }),
    stopped,
    notes,
  })
  .readonly();
