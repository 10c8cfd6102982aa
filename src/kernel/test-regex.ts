import isSafe from "safe-regex2";
import { Script } from "node:vm";

/** What a pattern with repetitions inside of repetitions is given, real time: as long as that everything else stands still. */
const TIMEOUT_MS = 50;

/**
 * Whether the text matches. Patterns such as `(a+)+$` can take longer than the age of the world over thirty characters that somebody else sends: what may
 * do so is stopped after a while, and then does not match.
 */
export function testRegex(pattern: string, text: string): boolean {
  const regex = new RegExp(pattern, "u");
  if (isSafe(regex)) return regex.test(text);
  try {
    return bounded.runInNewContext({ pattern, text }, { timeout: TIMEOUT_MS }) === true;
  } catch (error) {
    // Of another context, and so no instance of this one's Error.
    const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}

const bounded = new Script('new RegExp(pattern, "u").test(text)');
