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
