/** Code that does it right, for the reports and the documentation. */
export type SnippetName = "verify" | "read" | "once";
