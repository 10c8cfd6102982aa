import { UsageError } from "../../src/kernel/messages/problem.js";

/** The messages with which this refuses a file; none when it does not. */
export async function fileProblemsOf(read: () => unknown): Promise<readonly string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file") return error.messages;
    throw error;
  }
}
