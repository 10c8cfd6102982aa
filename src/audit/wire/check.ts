import type { IdSource } from "../../kernel/records/ids.js";

export interface CheckInfo {
  readonly id: string;
  readonly group: CheckGroup;
  /** What a sound receiver does. */
  readonly title: string;
  readonly severity: Severity;
  /** The bug that the check finds, and what it costs. */
  readonly why: string;
  readonly fix: string;
  readonly snippet: SnippetName | null;
  /**
   * A failure of this check is only a consequence when one of these failed too: a receiver that verifies nothing accepts hex too, but hex is not its
   * bug. `other-check` means that it failed in the same way, `other-check:accepted` that it failed in the way named.
   */
  readonly follows?: readonly string[];
}

/** The groups of checks, in the order of the report. */
export const checkGroups = ["genuine", "forged", "robust", "state"] as const;
export type CheckGroup = (typeof checkGroups)[number];

/** What a failure costs. A check of severity `warning` never fails the audit: its verdict is `warn`. */
type Severity = "critical" | "high" | "warning";

export type SnippetName = "verify" | "read" | "once";

export interface Check<CheckStage = Stage> extends CheckInfo {
  /** Its `why` and `fix` cover crashes too, so they are used instead of those of a failure. */
  readonly isAboutCrashes?: true;
  /**
   * `alone`: after the others, with no other request under way, because that would delay the answer, or because the request is more than one packet: Linux
   * may cut such a connection when too many others wait to be accepted. `last`: after those too, because it may bring a receiver down.
   */
  readonly turn?: "alone" | "last" | undefined;
  readonly run: (stage: CheckStage) => Promise<Verdict>;
}

/** What a check builds its requests from, and sends them with. */
export interface Stage {
  /** An ordinary event. Each is about another resource, unless the user has given one. */
  event(): AuditEvent;
  /** An ordinary event of another topic. Undefined when the user has named the topic, or given the event. */
  readonly eventOf?: ((topic: string) => AuditEvent) | undefined;
  /** The base64 signature, under the company's secret or another. */
  sign(body: string | Buffer, secret?: string): string;
  /** The name of the signature's header. */
  readonly header: string;
  /** The secret key before the last rotation. */
  readonly oldSecret?: string | undefined;
  /** Sends it on a new connection. Throws Abandoned when the receiver has been silent too often. */
  send(request: AuditRequest): Promise<Exchange>;
  /** The exchange of the ordinary event with which the audit began. Undefined while it is under way. */
  readonly ordinary: Exchange | undefined;
  /** Whether the receiver takes so long for each answer that several requests are sent at a time. */
  readonly isSlow: boolean;
  readonly ids: IdSource;
}

/** Thrown by a check that cannot be finished. The message is the reason why it is skipped. */
export class Abandoned extends Error {
  override readonly name = "Abandoned";
}

export interface AuditEvent {
  readonly text: string;
  /** The parsed text. Events of the contract have at least `topic` and `data`. */
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * How a receiver fails: it `accepted` what it must refuse, `refused` what it must accept, `redirected` either, `crashed` (5xx), was `silent`, was `slow`,
 * treated equal things `unequal`ly, or has been `gone` since; or the state of its application is `wrong`.
 */
export type Failing =
  | "accepted"
  | "refused"
  | "redirected"
  | "crashed"
  | "silent"
  | "slow"
  | "unequal"
  | "wrong"
  | "gone";

/** The result of one check, before it is compared with those of others. */
export type Verdict = { readonly outcome: "passed"; readonly exchange?: Exchange | undefined } | Skipped | Failure;

export interface Skipped {
  readonly outcome: "skipped";
  readonly reason: string;
  readonly exchange?: Exchange | undefined;
  /** Set when the user has not asked for the check, so that an audit without it is conclusive. */
  readonly isNotRequested?: true;
}

export interface Failure {
  readonly outcome: "failed";
  readonly failing: Failing;
  /** A sentence without its full stop. */
  readonly seen: string;
  readonly exchange?: Exchange | undefined;
  /** Lowers the severity of the check: a crash on a forged event is less severe than accepting it. */
  readonly severity?: Severity;
  /** Raises the severity of the check: a forged event was accepted in a check that only warns, or the receiver is gone. */
  readonly raisedTo?: Severity;
  /** `why` and `fix` override those of the check. */
  readonly why?: string;
  readonly fix?: string;
  /** Set for a warning about an answer that leaves a critical check undecided. */
  readonly isUnproven?: true;
  /** The shortest schedule of deliveries that fails. */
  readonly schedule?: readonly string[] | undefined;
  /** That schedule as a scenario file. */
  readonly scenario?: string | undefined;
}

/** One header line as it is sent: case, order and repetition are kept. */
export type HeaderLine = readonly [name: string, value: string];

export interface AuditRequest {
  /** What is special about it, in words. */
  readonly sent: string;
  readonly body: Buffer;
  /** In addition to `host`, `user-agent`, `content-length` and `connection`. */
  readonly headers: readonly HeaderLine[];
  /** The body is sent in pieces that end here, with a pause between them. */
  readonly cuts?: readonly number[];
}

export interface AuditAnswer {
  readonly status: number;
  /** Where a redirect leads. It is not followed. */
  readonly location: string | null;
  /** The beginning, without the secret key. */
  readonly body: string;
}

export interface Exchange {
  readonly request: AuditRequest;
  /** Null when none came. */
  readonly answer: AuditAnswer | null;
  /** Why none came. */
  readonly error: string | null;
  /** Whether no connection could be made. */
  readonly unreachable: boolean;
  readonly timedOut: boolean;
  readonly latencyMs: number;
}
