import { UsageError } from "../../src/kernel/messages/problem.js";

/** The messages of the UsageError("file") that `read` throws; none when it does not throw. */
export async function fileProblemsOf(read: () => unknown): Promise<readonly string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file") return error.messages;
    throw error;
  }
}
