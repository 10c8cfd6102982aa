import type { Json } from "../../kernel/messages/json.js";
import type { StopReason } from "../run/pool.js";
import type { BaselineReport } from "../run/report-baseline.js";

/** What `vary` found. The JSON report has the same members. */
export interface VaryReport {
  readonly verb: "vary";
  /** The command with its arguments; in the library, the name of the function. */
  readonly command: readonly string[];
  /** The seed of the identifiers that the sandbox makes. */
  readonly seed: number;
  readonly baseline: BaselineReport;
  /** A row for each alternative that was run, then one for each setting that is not read. */
  readonly settings: readonly VariedSetting[];
  /** Questions for the provider, one for each setting that the command depends on. */
  readonly questions: readonly Question[];
  readonly counts: Readonly<Record<VariedSetting["verdict"], number>>;
  /** Why not everything was run; null when it was. */
  readonly stopped: StopReason | null;
  /** What cannot be judged, or only in part. */
  readonly notes: readonly string[];
}

export interface VariedSetting {
  /** Its place in the plan; null when it was not run. */
  readonly id: string | null;
  /** `transfers.settlement`; for two settings, `transfers.min + charges.ttl`. */
  readonly path: string;
  /** Its value without the difference; for two settings, a list. */
  readonly default: Json;
  /** Its value in the run, likewise; null when there was no run. */
  readonly alternative: Json;
  /** `depends`: the command behaves differently. `not-met`: nothing that the command does reads the setting. */
  readonly verdict: "depends" | "independent" | "not-met";
  /** What is different in the run; null when nothing is. */
  readonly change: string | null;
  /** The command line that repeats it; null when nothing is different, and in the library. */
  readonly repeat: string | null;
  /** The file with what the command printed; null when it was not kept. */
  readonly output: string | null;
}

export interface Question {
  readonly path: string;
  /** The sentence of the contract that leaves it open. */
  readonly contract: string;
  readonly question: string;
  /** What the command was run with. */
  readonly default: Json;
  /** What happens to the command with another answer. */
  readonly ifOtherwise: readonly OtherAnswer[];
}

export interface OtherAnswer {
  readonly answer: Json;
  /** What the answer means. */
  readonly effect: string;
  /** What is different with that answer. */
  readonly change: string;
  /** The profile to set when it is the answer, as YAML. */
  readonly set: string;
}
