import { once } from "./once.js";
import { read } from "./read.js";
import { verify } from "./verify.js";

/** Code that does it right, for the reports; the receivers of docs/audit.md are made of it, and tests audit them. */
export interface Snippet {
  /** What it does, as a heading. */
  readonly title: string;
  readonly code: Readonly<Record<SnippetLanguage, string>>;
}

export const snippetLanguages = ["node", "python", "php"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const languageNames: Readonly<Record<SnippetLanguage, string>> = { node: "Node", python: "Python", php: "PHP" };

export type SnippetName = "verify" | "read" | "once";

export const snippets: Readonly<Record<SnippetName, Snippet>> = {
  verify: { title: "Verify the signature of the raw body", code: verify },
  read: { title: "Read an event, once its signature is verified", code: read },
  once: { title: "Let each event count once, and only forwards", code: once },
};
