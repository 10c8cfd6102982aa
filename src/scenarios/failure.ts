import type { SourcePosition } from "../kernel/problem.js";
import type { Mismatch } from "../kernel/matchers.js";
import type { Received } from "./receiver.js";
import type { Answer, Outgoing } from "./world.js";

/** What a step found to be otherwise than expected, with all that a reader needs to see why. */
export interface FailureDetails {
  readonly message: string;
  readonly mismatches?: readonly Mismatch[];
  readonly request?: Outgoing;
  readonly answer?: Answer;
  /** When a webhook was missing or one too many: those that did come. */
  readonly received?: readonly Received[];
}

/** Where it stands in the story. */
export interface Failure extends FailureDetails {
  /** `failure`: an expectation was not met. `error`: the step could not be done at all. */
  readonly kind: "failure" | "error";
  readonly step: string;
  readonly position: SourcePosition;
}

/** Thrown by a step; the runner adds where. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly details: FailureDetails;

  constructor(details: FailureDetails) {
    super(details.message);
    this.details = details;
  }
}
