/** When the deliveries of a change go out. */
export interface ReleaseGate {
  /** Calls `release` when they may: at once, or when an answer has been written. */
  after(release: () => void): void;
  /** The answer waits for these, which are under way already. */
  before(attempts: Promise<unknown>): void;
}

export const atOnce: ReleaseGate = { after: (release) => release(), before: () => undefined };
