/** What was given, for a message: enough to recognise it, never a megabyte of it. */
export function quote(text: string, charactersMax = 60): string {
  return JSON.stringify(text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text);
}

/**
 * A text from a file or an answer as it may go to a terminal or into a report: control characters, which could colour, move or hide what stands around
 * it, become visible. Lines and tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** As `printable`, on one line. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim());
}

/**
 * The URL of an absolute address, or undefined. Instead of `URL.canParse`, which Node 20 and 22 answer wrongly once it is called often: compiled,
 * it reads `https://münchen.example` as broken UTF-8 and refuses it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // the only reason to throw is that it is not a URL
  }
}

/** Fields whose values stay out of messages: those end up in terminals, and in the logs of builds. */
const SECRET_FIELDS: ReadonlySet<unknown> = new Set([
  "adminToken",
  "accessToken",
  "accessTokens",
  "token",
  "secretKey",
]);

/** Whether what stands at that place is only its owner's to know. */
export function isSecretPlace(path: readonly PropertyKey[]): boolean {
  return SECRET_FIELDS.has(path.findLast((key) => typeof key !== "number"));
}
