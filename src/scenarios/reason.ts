/** Why something failed, in words: of a failed connection the cause, which is where the reason stands. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // One for each address of a name that was tried; their own text is empty.
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(reasonOf))].join("; ");
  const own = error.message === "" ? error.name : error.message;
  return error.cause instanceof Error ? `${own}: ${reasonOf(error.cause)}` : own;
}
