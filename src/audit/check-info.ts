import type { SnippetName } from "./snippets/snippet.js";

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

/** What a failure costs. A check of severity `warning` never fails the audit: its verdict is `warn`. */
export type Severity = "critical" | "high" | "warning";
