/**
 * Where the companies' records live. What is in `data` is the truth; a store that keeps it elsewhere too says with `durable` when it
 * has it.
 */
export interface Store<Company> {
  readonly data: StoredSandbox<Company>;
  /** Resolves once everything that was changed so far is kept. Undefined when nothing has to be waited for. */
  durable(): Promise<void> | undefined;
}

export interface StoredSandbox<Company> {
  readonly schemaVersion: 1;
  readonly companies: Map<string, Company>;
}
