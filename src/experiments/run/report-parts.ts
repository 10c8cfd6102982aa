import * as z from "zod";

/** Parts of the schemas of JSON reports. */

export const whole = z.number().int();
export const count = (of: string) => whole.min(0).meta({ description: `How many ${of}` });

export const baselineReport = z
  .object({
    exitCode: whole
      .nullable()
      .meta({ description: "The exit code of the command; null when it was stopped at the time limit" }),
    ms: count("milliseconds the command took"),
    requests: count("requests the command made"),
    deliveries: count("webhooks were due"),
    repeatable: z.boolean().meta({ description: "Whether two runs without any change did the same" }),
  })
  .readonly()
  .meta({ description: "The run of the command without any change" });

export const stopped = z
  .enum(["time", "max-runs", "signal"])
  .nullable()
  .meta({ description: "Why some runs were left out; null when everything was run" });

export const command = z
  .array(z.string())
  .readonly()
  .meta({ description: "The command with its arguments; in the library, the name of the function" });

export const notes = z
  .array(z.string())
  .readonly()
  .meta({ description: "Notes on what could not be judged, or only in part" });
