import * as z from "zod";

/** Parts of the schemas of JSON reports. */

export const whole = z.number().int();
export const count = (of: string) => whole.min(0).meta({ description: `How many ${of}` });

export const baselineReport = z
  .object({
    exitCode: whole.nullable().meta({ description: "Of the command; null when it was stopped" }),
    ms: count("milliseconds the command took"),
    requests: count("requests it made"),
    deliveries: count("webhooks were due"),
    repeatable: z.boolean().meta({ description: "Two runs without a difference did the same" }),
  })
  .readonly()
  .meta({ description: "The command without any difference" });

export const stopped = z
  .enum(["time", "max-runs", "signal"])
  .nullable()
  .meta({ description: "Why not everything was run; null when it was" });

export const command = z.array(z.string()).readonly().meta({ description: "The command with its arguments" });

export const notes = z.array(z.string()).readonly().meta({ description: "What cannot be judged, or only in part" });
