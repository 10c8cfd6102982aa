import type { Identity } from "../state/company-record.js";

/** What only the client and the service may know. */
export interface Secret {
  readonly name: "secret key" | "access token";
  readonly text: string;
}

/** A short word or number (`shop`, from `--auto-provision`) cannot be told from what stands in a text anyway. */
export function isTooPlain(secret: string): boolean {
  return /^(?:[A-Za-z]{0,11}|\d{0,11})$/.test(secret);
}

export function secretsOf({ secretKey, tokens }: Identity): readonly Secret[] {
  const secrets: Secret[] = [
    { name: "secret key", text: secretKey },
    ...tokens.map(({ token }) => ({ name: "access token" as const, text: token })),
  ];
  return secrets.filter(({ text }) => !isTooPlain(text));
}

/** Whether the secret stands in a text, as it is or encoded for a URL. */
export function holdsSecret(text: string, { text: secret }: Secret): boolean {
  return standsIn(text, secret) || (text.includes("%") && standsIn(decode(text), secret));
}

/** Not as a part of a longer word: `at_1` is not in `flat_12`. */
function standsIn(text: string, secret: string): boolean {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + secret.length])) return true;
  }
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}

/** The text with what is encoded for a URL decoded. Escape by escape, so that one that is wrong spoils nothing else. */
export function decode(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
