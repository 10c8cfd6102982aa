import type { SnippetName } from "./snippets.js";

/** What a failed check costs. A `warning` fails no audit. */
export type Severity = "critical" | "high" | "warning";

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
  /** Its beginning. */
  readonly body: string;
}

export interface Exchange {
  readonly request: AuditRequest;
  /** Null: none came. */
  readonly answer: AuditAnswer | null;
  /** Why none came. */
  readonly error: string | null;
  /** Nobody listens there (any more). */
  readonly unreachable: boolean;
  readonly latencyMs: number;
}

/**
 * How a receiver fails: it `accepted` what is to be refused, `refused` what is to be accepted, `crashed` (5xx, or neither yes nor no), was `silent`, or
 * was `slow`; its state is `wrong`.
 */
export type Failing = "accepted" | "refused" | "crashed" | "silent" | "slow" | "wrong";

export type Verdict =
  | { readonly outcome: "passed"; readonly exchange?: Exchange | undefined }
  | { readonly outcome: "skipped"; readonly reason: string }
  | {
      readonly outcome: "failed";
      readonly failing: Failing;
      /** What was seen, a sentence without its full stop. */
      readonly seen: string;
      readonly exchange?: Exchange | undefined;
      /** The shortest schedule of deliveries that shows it. */
      readonly schedule?: readonly string[] | undefined;
      /** It as a scenario file. */
      readonly scenario?: string | undefined;
    };

/** What every check says of itself. Titles say what a sound receiver does. */
export interface CheckInfo {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** The bug it stands for, and what that costs. */
  readonly why: string;
  readonly fix: string;
  readonly snippet: SnippetName | null;
  /** When one of these failed in the same way, this failure is a consequence of it. */
  readonly follows?: Partial<Readonly<Record<Failing, readonly string[]>>>;
}

export const pass: Verdict = { outcome: "passed" };
