/** Quotes a user's text for a message, cut to a recognisable length. Users of the library may pass values of other types. */
export function quote(text: unknown, charactersMax = 60): string {
  return JSON.stringify(shorten(String(text), charactersMax));
}

/** Quotes a text for a POSIX shell: within single quotes only the quote itself has a meaning. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Cuts a user's text, so that no message repeats a megabyte of it. */
export function shorten(text: string, charactersMax = 60): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** V8 finds a text of up to this length in linear time. For a longer one the time may grow with the product of both lengths: 17 s for 50 000 characters in a megabyte. */
export const SEARCHED_MAX = 250;

/** Redacts the kept start of a longer text, which may end within a secret. The mark of a cut makes the secret's start recognisable. */
export function redactStart(text: string, redact: (text: string) => string): string {
  return redact(`${text}…`).replace(/…$/, "");
}

/** No credential is longer, even when it is escaped. */
const CREDENTIAL_MAX = 8 * 1024;

/** Redacts and shortens a client's text, which may have a megabyte: redacting all of it takes a tenth of a second. */
export function redactAndShorten(text: string, charactersMax: number, redact: (text: string) => string): string {
  // The margin keeps a credential at the cut whole. It is cut with a mark, since redaction may shorten what is before it.
  return shorten(redact(shorten(text, charactersMax + CREDENTIAL_MAX)), charactersMax);
}

/**
 * Makes a text safe for a terminal or a report: control characters, which could colour, move or hide text, become visible. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Like `printable`, on one line. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim());
}

/** The name, or the first of `name-2`, `name-3` and so on that is free. */
export function freeName(name: string, isFree: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; !isFree(free); count++) free = `${name}-${count}`;
  return free;
}

/** `1 charge`, `2 charges`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Lines of at most `width` characters, broken at spaces; a longer word has a line to itself. The first line begins with `start`, the others with `indent`
 * spaces.
 */
export function wrapText(text: string, width: number, indent = 0, start = " ".repeat(indent)): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width - indent || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each, index) => (index === 0 ? start : " ".repeat(indent)) + each);
}

/**
 * A name of 253 characters, the longest of DNS, and a port. The time to convert one with letters outside ASCII grows with the square of its length: 1 000
 * take a millisecond, and a company may have thousands of URLs.
 */
export const HOST_LENGTH_MAX = 260;

/**
 * The URL of an address, absolute or relative to `base`, or undefined. Not `URL.canParse`: in Node 20 and 22 the optimised version of it refuses
 * `https://münchen.example`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (writtenHost(text).length > HOST_LENGTH_MAX) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined; // the only reason to throw is that it is not a URL
  }
}

/** The host of a URL as it is written, maybe with a port. */
function writtenHost(url: string): string {
  const [, authority = ""] = /^[^/\\?#]*[/\\]*([^/\\?#]*)/.exec(url) ?? [];
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** A host as sockets take it, without the brackets that an IPv6 address has in a URL. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Decodes a part of a path. If a percent sign begins no escape, the part is returned as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Fields whose values are left out of messages, which end up in terminals and build logs. */
const SECRET_FIELDS: ReadonlySet<unknown> = new Set([
  "adminToken",
  "accessToken",
  "accessTokens",
  "token",
  "secretKey",
]);

/** Whether the value at that path is secret. */
export function isSecretPlace(path: readonly PropertyKey[]): boolean {
  return SECRET_FIELDS.has(path.findLast((key) => typeof key !== "number"));
}
