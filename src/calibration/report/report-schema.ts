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
    file: z.string().nullable().default(null).meta({ description: "The archive, when there are several; else null" }),
    index: z
      .number()
      .int()
      .min(0)
      .meta({ description: "Its place in the archive, or among the exchanges with a target, from 0" }),
    method: text("Of the request"),
    path: text("Without the query"),
  })
  .readonly()
  .meta({ description: "A recorded exchange" });

const evidence = z
  .object({
    exchange,
    pointer: text("JSON pointer into {status, headers, body} of the answer or the webhook"),
    expected: json.meta({ description: "What the sandbox says with another value" }),
    got: json.meta({ description: "What the service said" }),
  })
  .readonly();

const setting = z
  .object({
    path: text("transfers.settlement"),
    state: z.enum(settingStates).meta({
      description:
        "confirmed: the traffic distinguishes the values, and this is the one that was given; set: it is another; " +
        "open: nothing distinguishes them; contradicted: parts of the traffic disagree",
    }),
    value: json.meta({ description: "What explains most of the traffic" }),
    default: json.meta({ description: "What was assumed before" }),
    evidence: z.array(evidence).readonly().meta({ description: "At most three" }),
  })
  .readonly();

const drift = z
  .object({
    operation: z.string().nullable().meta({ description: "GET /v1/charges/:id; null for a webhook" }),
    topic: z.string().nullable().meta({ description: "charges/events; null for an answer" }),
    pointer: text("JSON pointer, with * for places in a list"),
    kind: z
      .enum(["added", "missing", "type", "value", "status", "order", "signature"])
      .meta({ description: "added: only the service has it; missing: only the sandbox has it" }),
    count: count("answers or webhooks have the difference"),
    of: count("were compared"),
    example: z
      .object({
        exchange,
        expected: json.meta({ description: "What the sandbox says" }),
        got: json.meta({ description: "What the service said" }),
      })
      .readonly()
      .meta({ description: "The first of them" }),
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
        files: z.array(z.string()).readonly().nullable().meta({ description: "The archives; null for a target" }),
        target: z.string().nullable().meta({ description: "The service that was asked; null for archives" }),
        exchanges: count("requests to the API"),
        webhooks: count("webhooks"),
        compared: count("of both were compared; none: the report proves nothing"),
        from: z.string().nullable().meta({ description: "ISO 8601, by the service's clock; null without traffic" }),
        to: z.string().nullable().meta({ description: "As from" }),
      })
      .readonly(),
    settings: z.array(setting).readonly().meta({ description: "A row for each setting" }),
    drift: z.array(drift).readonly().meta({ description: "What no setting explains" }),
    assumptions: z.array(z.string()).readonly().meta({ description: "What the recording presupposes" }),
    counts: z
      .object({
        confirmed: count("settings are confirmed"),
        set: count("are set"),
        open: count("are open"),
        contradicted: count("are contradicted"),
        drift: count("kinds of drift there are"),
      })
      .readonly(),
  })
  .readonly();
