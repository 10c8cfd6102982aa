import type { Answer } from "./world.js";

/** The body is parsed when it is JSON by its content type, and kept as text otherwise, or when it does not parse. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers,
    body: text === "" ? undefined : parse(text, headers["content-type"] ?? ""),
  };
}

function parse(text: string, contentType: string): unknown {
  if (!/\bjson\b/.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
