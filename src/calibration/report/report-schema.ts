import * as z from "zod";
import { type CalibrationReport, settingStates } from "./report.js";

const json = z.json();
const text = (description: string) => z.string().meta({ description });
const count = (of: string) =>
  z
    .number()
    .int()
    .min(0)
    .meta({ description: `How many ${of}` });

const exchange = z
  .object({
    file: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: "The archive with the exchange, when there are several; else null" }),
    index: z
      .number()
      .int()
      .min(0)
      .meta({ description: "The position in the archive, or among the exchanges with the target, from 0" }),
    method: text("The method of the request"),
    path: text("The path of the request, without the query"),
  })
  .readonly()
  .meta({ description: "The recorded exchange" });

const evidence = z
  .object({
    exchange,
    pointer: text("The JSON pointer into { status, headers, body } of the answer or the webhook"),
    expected: json.meta({ description: "What the sandbox says with another value of the setting" }),
    got: json.meta({ description: "What the service said" }),
  })
  .readonly();

const setting = z
  .object({
    path: text("The path of the setting, such as transfers.settlement"),
    state: z.enum(settingStates).meta({
      description:
        "confirmed: the traffic shows that the given value is right; set: that another is; " +
        "open: the traffic does not show it; contradicted: parts of the traffic disagree",
    }),
    value: json.meta({ description: "The value that explains most of the traffic" }),
    default: json.meta({
      description: "The value that was assumed before: that of the given profile, else the default",
    }),
    evidence: z
      .array(evidence)
      .readonly()
      .meta({ description: "The differences that the state rests on, at most three" }),
  })
  .readonly();

const drift = z
  .object({
    operation: z
      .string()
      .nullable()
      .meta({ description: "The operation, such as GET /v1/charges/:id; null for a webhook" }),
    topic: z.string().nullable().meta({ description: "The topic, such as charges/events; null for an answer" }),
    pointer: text("The JSON pointer to the difference, with * in place of each list index"),
    kind: z.enum(["added", "missing", "type", "value", "status", "order", "signature"]).meta({
      description: "The kind of difference; added: only the service has it; missing: only the sandbox has it",
    }),
    count: count("answers or webhooks have the difference"),
    of: count("answers or webhooks were compared"),
    example: z
      .object({
        exchange,
        expected: json.meta({ description: "What the sandbox says" }),
        got: json.meta({ description: "What the service said" }),
      })
      .readonly()
      .meta({ description: "The first answer or webhook with the difference" }),
  })
  .readonly();

/** What `vary` reads of a report. */
export const settingsReport = z.looseObject({
  verb: z.literal("calibrate"),
  settings: z.array(setting),
  assumptions: z.array(z.string()),
});

/** The JSON report. */
export const calibrationReport: z.ZodType<CalibrationReport> = z
  .object({
    verb: z.literal("calibrate").meta({ description: "The verb that made the report" }),
    source: z
      .object({
        files: z
          .array(z.string())
          .readonly()
          .nullable()
          .meta({ description: "The paths of the archives; null for a target" }),
        target: z
          .string()
          .nullable()
          .meta({ description: "The address of the service that was asked; null for archives" }),
        exchanges: count("requests to the API there are"),
        webhooks: count("webhooks there are"),
        compared: count("requests and webhooks were compared; with 0 the report proves nothing"),
        from: z
          .string()
          .nullable()
          .meta({ description: "When the traffic begins (ISO 8601, the service's clock); null without traffic" }),
        to: z
          .string()
          .nullable()
          .meta({ description: "When the traffic ends (ISO 8601, the service's clock); null without traffic" }),
      })
      .readonly(),
    settings: z.array(setting).readonly().meta({ description: "A row for each setting" }),
    drift: z.array(drift).readonly().meta({ description: "The differences that no setting explains" }),
    assumptions: z.array(z.string()).readonly().meta({ description: "The assumptions that the report rests on" }),
    counts: z
      .object({
        confirmed: count("settings are confirmed"),
        set: count("settings need another value than the given one"),
        open: count("settings are open"),
        contradicted: count("settings are contradicted"),
        drift: count("kinds of drift there are"),
      })
      .readonly(),
  })
  .readonly();
