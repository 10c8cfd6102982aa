/** Shorter ones stand in any long run of letters and digits by chance. */
const SECRET_BYTES_MIN = 5;

/** What base64 and base64url are written in, and hex. */
const BASE64_RUN = /[\w+/-]{7,}={0,2}/g;
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;
const HEX_RUN = /[\dA-Fa-f]{10,}/g;

/**
 * Puts `shown` in the place of base64 (either alphabet) and hex in which one of these secrets stands, whatever stands before and behind it: a
 * client's `user:token`, say. Decoding what is there costs less than looking for each form of thousands of secrets.
 */
export function createEncodedRedactor(secrets: Iterable<string>, shown: string): (text: string) => string {
  const long = [...secrets]
    .map((secret) => Buffer.from(secret).toString("latin1"))
    .filter(({ length }) => length >= SECRET_BYTES_MIN);
  if (long.length === 0) return (text) => text;
  // An expression of thousands takes its time to make, and most are never needed.
  let pattern: RegExp | undefined;
  const isIn = (bytes: string): boolean => {
    pattern ??= new RegExp(long.map((secret) => secret.replaceAll(SPECIAL, String.raw`\$&`)).join("|"));
    return pattern.test(bytes);
  };
  const holds = (run: string, encoding: "base64" | "hex", characters: number): boolean => {
    // It may begin with what is no part of it.
    for (let from = 0; from < characters; from++) {
      if (isIn(Buffer.from(run.slice(from), encoding).toString("latin1"))) return true;
    }
    return false;
  };
  const isBase64 = (run: string): boolean => holds(run, "base64", 4);
  return (text) =>
    text
      .replaceAll(HEX_RUN, (run) => (holds(run, "hex", 2) ? shown : run))
      .replaceAll(BASE64_RUN, (run) => {
        if (!isBase64(run)) return run;
        // In a path the slashes are most likely no part of it.
        const parts = run.split("/");
        return parts.some(isBase64) ? parts.map((part) => (isBase64(part) ? shown : part)).join("/") : shown;
      });
}
