import type { ServerResponse } from "node:http";
import type { Refused } from "../shared/env.js";

/** Stands for all clients without a known token. */
export const UNKNOWN_CLIENT = "";

/** As large as the largest answer of the control API may be. */
export const UNREAD_BYTES_MAX = 256 * 1024 * 1024;

/** Answers that a client has not read are in memory. This bounds them for each client with a known token. */
export class UnreadAnswers {
  readonly #answers = new Map<string, Set<ServerResponse>>();

  /** Counts the unread bytes of `answer` from now on. Returns why there is no room for another answer; undefined when there is. */
  add(client: string, answer: ServerResponse): Refused | undefined {
    // The answers of unknown clients are small, and one such client must not lock out the others.
    if (client === UNKNOWN_CLIENT) return undefined;
    const answers = this.#answers.get(client) ?? new Set();
    let bytes = 0;
    for (const { writableLength } of answers) bytes += writableLength;
    if (bytes > UNREAD_BYTES_MAX)
      return { status: 429, message: "Over 256 MiB of earlier answers are not read yet. Read them first" };
    this.#answers.set(client, answers.add(answer));
    answer.once("close", () => {
      answers.delete(answer);
      if (answers.size === 0) this.#answers.delete(client);
    });
    return undefined;
  }
}
