import type { Child } from "hono/jsx";

export type Tone = "good" | "wait" | "bad";

interface NoticeProps {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  /** What can be done from here. */
  readonly children?: Child;
}

/** How the charge stands, where there is nothing to pay. */
export function NoticeBoard({ tone, title, text, children }: NoticeProps) {
  return (
    <section class="desk notice">
      <svg class={`sign ${tone}`} viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">
        <circle cx="24" cy="24" r="22" />
        <path d={signs[tone]} />
      </svg>
      <h1>{title}</h1>
      <p class="soft">{text}</p>
      {children}
    </section>
  );
}

const signs: Readonly<Record<Tone, string>> = {
  good: "M15 25l6.5 6.5L34 18",
  wait: "M24 13v11l7 5",
  bad: "M24 14v13M24 33v1",
};
