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
