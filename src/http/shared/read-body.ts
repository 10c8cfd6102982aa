import { isUtf8 } from "node:buffer";
import { Problem } from "../../kernel/messages/problem.js";
import type { HttpContext } from "./env.js";
import { refuse } from "../../domain/model/problem-codes.js";
import { type JsonBounds, beyondBounds, valueBytes } from "../../kernel/messages/json.js";
import { collectBytes } from "../../kernel/messages/read-text.js";
import { quote } from "../../kernel/messages/text.js";

/** More than any request needs: `metadata` may be nested 100 deep, and a batch has at most 10 000 items of five fields. */
export const JSON_BOUNDS: JsonBounds = { depth: 200, members: 55_000, valueBytes: 32 * 1024 * 1024 };

interface ReadOptions {
  readonly bounds?: JsonBounds;
  /** Called with the text of a body that is refused. */
  readonly keepRaw?: (text: string) => void;
}

/**
 * The body's JSON; undefined when there is no body. 415 for another content type, 413 beyond `limit` bytes, 400 for text that
 * is not JSON or goes beyond `bounds`.
 */
export async function readJson(c: HttpContext, limit: number, options: ReadOptions = {}): Promise<unknown> {
  const { bounds = JSON_BOUNDS, keepRaw } = options;
  const bytes = await readBytes(c, limit);
  if (bytes.length === 0) return undefined;
  try {
    assertMediaType(c);
    if (!isUtf8(bytes)) refuse("malformed_json", "The body is not JSON: it is not valid UTF-8");
    if (bounds.valueBytes !== undefined && valueBytes(bytes) > bounds.valueBytes)
      refuse("malformed_json", "The body has too many values for its size: it would take too much memory");
    const value = parse(bytes.toString("utf8"));
    const excess = beyondBounds(value, bounds);
    if (excess !== undefined) refuse("malformed_json", `The body ${excess}`);
    return value;
  } catch (error) {
    if (isUtf8(bytes)) keepRaw?.(bytes.toString("utf8"));
    throw error;
  }
}

/** A body of more bytes takes milliseconds to parse, and many may arrive at the same time. */
const LARGE_BODY = 64 * 1024;

/** The body as it was sent. Beyond the limit nothing more is kept. */
export async function readBytes(c: HttpContext, limit: number): Promise<Buffer> {
  const bytes = await receiveBytes(c, limit);
  if (bytes.length > LARGE_BODY) await c.env?.takeTurn?.();
  return bytes;
}

async function receiveBytes(c: HttpContext, limit: number): Promise<Buffer> {
  const { incoming } = c.env ?? {};
  const announced = c.req.header("content-length");
  if (Number(announced ?? 0) > limit) refuseTooLarge(limit);
  if (incoming !== undefined && announced === undefined && c.req.header("transfer-encoding") === undefined)
    return Buffer.alloc(0);
  try {
    // HTTP bounds the body by its announced length.
    if (incoming !== undefined && announced !== undefined) return Buffer.from(await c.req.arrayBuffer());
    const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;
    return await collectBytes(chunks, limit, () => refuseTooLarge(limit));
  } catch (error) {
    if (error instanceof Problem) throw error;
    refuse("malformed_json", "The body was cut off");
  }
}

const JSON_MEDIA_TYPE = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;

function assertMediaType(c: HttpContext): void {
  const encoding = c.req.header("content-encoding");
  if (encoding !== undefined && encoding !== "identity") {
    refuse("media_type_unsupported", "content-encoding must be absent: compressed bodies are not accepted");
  }
  const type = c.req.header("content-type");
  if (type !== undefined && JSON_MEDIA_TYPE.test(type)) return;
  const got = type === undefined ? "it is missing" : `got ${quote(type)}`;
  refuse("media_type_unsupported", `content-type must be application/json, ${got}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    refuse("malformed_json", `The body is not JSON${reasonOf(error instanceof Error ? error.message : "", text)}`);
  }
}

/** Says where the problem is. The parser's own message quotes the body, which may hold a secret. */
function reasonOf(parserMessage: string, text: string): string {
  if (text.startsWith("\ufeff")) return ": it must not begin with a byte order mark";
  const [where, position] = /position (\d+)(?: \(line \d+ column \d+\))?/.exec(parserMessage) ?? [];
  const endsEarly = /^Unexpected end|^Unterminated/.test(parserMessage) || Number(position) >= text.length;
  if (endsEarly) return ": it ends too early";
  if (where !== undefined) return `: unexpected character at ${where}`;
  const character = /^Unexpected token '(.)'/u.exec(parserMessage)?.[1];
  return character === undefined ? "" : `: unexpected ${quote(character)}`;
}

function refuseTooLarge(limit: number): never {
  refuse("body_too_large", `The body must be at most ${limit} bytes`);
}
