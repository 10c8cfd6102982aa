import type { Child } from "hono/jsx";
import type { Money } from "../../../../domain/values/money.js";
import { formatDuration } from "../../../../kernel/time/duration.js";
import { type Instant, toIso } from "../../../../kernel/time/instant.js";
import { showInstant, showMoney } from "../../shared/show.js";

/** An instant of the company's clock; the title has its milliseconds. */
export function Time({ at }: { readonly at: Instant }) {
  return (
    <time class="time" datetime={toIso(at)} title={toIso(at)}>
      {showInstant(at)}
    </time>
  );
}

/** The distance from the company's now: `in 4m`, `2h ago`, `now`. In whole seconds, beyond an hour in whole minutes. */
export function describeDistance(at: Instant, now: Instant): string {
  const far = Math.abs(at - now);
  const unit = far < 3_600_000 ? 1_000 : 60_000;
  const rounded = Math.round(far / unit) * unit;
  if (rounded === 0) return "now";
  return at > now ? `in ${formatDuration(rounded)}` : `${formatDuration(rounded)} ago`;
}

export function Amount({ money }: { readonly money: Money }) {
  return <span class="amount">{showMoney(money)}</span>;
}

export function soft(text: string): Child {
  return <span class="soft">{text}</span>;
}

/** An id, a path, the name of a field. */
export function Code({ children }: { readonly children?: Child }) {
  return <code class="code">{children}</code>;
}

export function CodeLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <a href={href}>
      <Code>{text}</Code>
    </a>
  );
}

export type Tone = "good" | "bad" | "warn" | "info" | "plain";

/** A state as a small label; the colour repeats the word. */
export function Pill({ tone = "plain", children }: { readonly tone?: Tone; readonly children?: Child }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

/** The pill of a status of any resource, or of an HTTP status; null and 0 when no answer came. */
export function Status({ of }: { readonly of: string | number | null }) {
  if (of === null || of === 0) return <Pill tone="bad">no answer</Pill>;
  return <Pill tone={toneOf(of)}>{String(of).replaceAll("_", " ")}</Pill>;
}

function toneOf(status: string | number): Tone {
  if (typeof status === "string") return tones.find((tone) => statuses[tone].includes(status)) ?? "plain";
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

const tones = ["good", "bad", "warn", "info"] as const;

/** Clients may invent further states, for example of `kycStatus`. */
const statuses: Readonly<Record<(typeof tones)[number], readonly string[]>> = {
  good: ["paid", "completed", "succeeded", "complete", "passed", "running"],
  bad: ["failed", "exhausted", "error", "critical"],
  warn: ["dropped", "cancelled", "lost", "incomplete", "high", "skipped"],
  info: ["due", "created", "pending", "processing", "frozen"],
};

/** Preformatted text: a body, headers. It can be scrolled with the keyboard. */
export function Text({ label, children }: { readonly label: string; readonly children?: Child }) {
  return (
    <pre class="text" tabindex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}

/** A sentence with code between backticks. */
export function Sentence({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <Code>{part}</Code> : part))}</>;
}
