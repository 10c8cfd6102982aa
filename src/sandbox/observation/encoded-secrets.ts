/** By so many bytes secrets are looked up. Shorter ones stand in any long run of letters and digits by chance. */
const HEAD_BYTES = 5;

/** What base64 and base64url are written in, and hex. */
const BASE64_RUN = /[\w+/-]{7,}={0,2}/g;
const HEX_RUN = /[\dA-Fa-f]{10,}/g;

/**
 * Puts `shown` in the place of base64 (either alphabet) and hex in which one of these secrets stands, whatever stands before and behind it: a
 * client's `user:token`, say. Decoding what is there costs less than looking for each form of thousands of secrets.
 */
export function createEncodedRedactor(secrets: Iterable<string>, shown: string): (text: string) => string {
  const byHead = new Map<string, string[]>();
  const firsts = new Set<number>();
  for (const secret of secrets) {
    const bytes = Buffer.from(secret).toString("latin1");
    if (bytes.length < HEAD_BYTES) continue;
    const head = bytes.slice(0, HEAD_BYTES);
    const alike = byHead.get(head);
    if (alike === undefined) byHead.set(head, [bytes]);
    else alike.push(bytes);
    firsts.add(bytes.charCodeAt(0));
  }
  if (byHead.size === 0) return (text) => text;
  const isIn = (bytes: string): boolean => {
    for (let at = 0; at <= bytes.length - HEAD_BYTES; at++) {
      if (!firsts.has(bytes.charCodeAt(at))) continue;
      if (byHead.get(bytes.slice(at, at + HEAD_BYTES))?.some((secret) => bytes.startsWith(secret, at)) === true)
        return true;
    }
    return false;
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
