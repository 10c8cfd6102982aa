import type { Child } from "hono/jsx";
import type { AuditedReceiver, Verdict } from "../view/auditor.js";
import { Pill, type Tone } from "../parts/show.js";

const looks: Readonly<Record<Verdict, { readonly mark: string; readonly tone: Tone; readonly counted: string }>> = {
  fail: { mark: "✗", tone: "bad", counted: "failed" },
  warn: { mark: "!", tone: "warn", counted: "warned" },
  pass: { mark: "✓", tone: "good", counted: "passed" },
  skipped: { mark: "–", tone: "plain", counted: "skipped" },
};

const worstFirst = ["fail", "warn", "pass", "skipped"] as const satisfies readonly Verdict[];

/** What a check of an audit came to: by its word, its mark, and last by its colour. */
export function VerdictPill({ of }: { readonly of: Verdict }) {
  return <Marked verdict={of}>{of}</Marked>;
}

/** `✗ 2 failed`, without what did not happen. */
export function CountPills({ counts }: Pick<AuditedReceiver, "counts">) {
  return (
    <span class="actions">
      {worstFirst
        .filter((verdict) => counts[verdict] > 0)
        .map((verdict) => (
          <Marked verdict={verdict}>
            {counts[verdict]} {looks[verdict].counted}
          </Marked>
        ))}
    </span>
  );
}

function Marked({ verdict, children }: { readonly verdict: Verdict; readonly children?: Child }) {
  const { mark, tone } = looks[verdict];
  return (
    <Pill tone={tone}>
      <span aria-hidden="true">{mark}</span> {children}
    </Pill>
  );
}
