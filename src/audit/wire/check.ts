import type { Stage } from "./stage.js";

/** A check of the audit: what it says of itself, and what it does. */
export interface Check extends CheckInfo {
  /** How many requests it sends at most. */
  readonly requests: number;
  /** `alone`: after the others, with no other request under way. `last`: after those too, for what may bring a receiver down. */
  readonly turn?: "alone" | "last" | undefined;
  readonly run: (stage: Stage) => Promise<Verdict>;
}

/**
 * How a receiver fails: it `accepted` what is to be refused, `refused` what is to be accepted, `redirected` either, `crashed` (5xx), was `silent`, was
 * `slow`, treated equal things `unequal`ly; the state of its application is `wrong`.
 */
export type Failing = "accepted" | "refused" | "redirected" | "crashed" | "silent" | "slow" | "unequal" | "wrong";

/** What a check found, before it is held against what others found. */
export type Verdict =
  | { readonly outcome: "passed"; readonly exchange?: Exchange | undefined }
  | { readonly outcome: "skipped"; readonly reason: string }
  | Failure;

export interface Failure {
  readonly outcome: "failed";
  readonly failing: Failing;
  /** What was seen, a sentence without its full stop. */
  readonly seen: string;
  readonly exchange?: Exchange | undefined;
  /** Where it is not that of the check: that a forged event makes the receiver crash is less than that it is accepted. */
  readonly severity?: Severity;
  /** In the place of the check's, where what was seen tells more. */
  readonly fix?: string;
  /** The shortest schedule of deliveries that shows it. */
  readonly schedule?: readonly string[] | undefined;
  /** That schedule as a scenario file. */
  readonly scenario?: string | undefined;
}

/** One header line, as it goes over the wire: case, order and repetition are kept. */
export type HeaderLine = readonly [name: string, value: string];

/** One POST to the receiver. */
export interface AuditRequest {
  /** What is special about it, in words. */
  readonly sent: string;
  readonly body: Buffer;
  /** Beside `host`, `user-agent`, `content-length` and `connection`. */
  readonly headers: readonly HeaderLine[];
  /** The body goes out in pieces that end here, with a pause between them. */
  readonly cuts?: readonly number[];
}

/** What came back. */
export interface AuditAnswer {
  readonly status: number;
  /** Of a redirect. It is not followed. */
  readonly location: string | null;
  /** Its beginning, without the secret key. */
  readonly body: string;
}

export interface Exchange {
  readonly request: AuditRequest;
  /** Null: none came. */
  readonly answer: AuditAnswer | null;
  /** Why none came. */
  readonly error: string | null;
  /** No connection could be made: nobody listens there (any more), or it speaks another protocol. */
  readonly unreachable: boolean;
  /** It took as long as an answer may take. */
  readonly timedOut: boolean;
  readonly latencyMs: number;
}

/** What every check says of itself. */
export interface CheckInfo {
  readonly id: string;
  readonly group: CheckGroup;
  /** What a sound receiver does. */
  readonly title: string;
  readonly severity: Severity;
  /** The bug it stands for, and what that costs. */
  readonly why: string;
  readonly fix: string;
  readonly snippet: SnippetName | null;
  /**
   * A failure of this check is only the consequence of one of these, when that failed too: a receiver that verifies nothing accepts hex too, and hex
   * is not its mistake. `other-check`: it failed in the same way; `other-check:accepted`: in this way.
   */
  readonly follows?: readonly string[];
}

/** In the order of the report. */
export const checkGroups = ["genuine", "forged", "robust", "state"] as const;
export type CheckGroup = (typeof checkGroups)[number];

/** The code of the reports that fixes it. */
export type SnippetName = "verify" | "read" | "once";

/** What a failure costs. A check of severity `warning` never fails the audit: its verdict is `warn`. */
export type Severity = "critical" | "high" | "warning";
