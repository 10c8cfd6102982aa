import type { DurationInput } from "../domain/profile/profile-input.js";
import type { CompanyHandle } from "./company-handle.js";

/** What can be chosen for an audit. Nothing is read from files or the environment unless it is named here. */
export interface AuditOptions {
  /** The secret key that the receiver verifies with. Default: that of `sandbox`, else `secret_sandbox`. */
  readonly secret?: string;
  /** The name of the signature's header. Default `x-service-hmac-sha256`. */
  readonly header?: string;
  /** Of the events, in either spelling. Default `charges/events`. */
  readonly topic?: string;
  /** An event in the place of the audit's own: the exact text, or a value that is printed. */
  readonly event?: string | object;
  /**
   * Tells the state of the receiver's application, for the state checks: a function that returns a number or something else that JSON can tell, a URL, or a
   * command.
   */
  readonly check?: string | (() => unknown);
  /** Makes an order in the receiver's application and tells its charge, `{ id, externalId }`: a function, a URL, or a command. */
  readonly order?: string | (() => unknown);
  /** The sandbox that the receiver's application runs against: the events of the state checks are of charges that are there. */
  readonly sandbox?: Pick<CompanyHandle, "fetch" | "secretKey">;
  /** Ids of checks or groups (`genuine`, `forged`, `robust`, `state`). Default: all. */
  readonly only?: string | readonly string[];
  /** Ids of checks or groups. */
  readonly skip?: string | readonly string[];
  /** How long an answer may take, in real time. Default `10s`. */
  readonly timeout?: DurationInput;
}
