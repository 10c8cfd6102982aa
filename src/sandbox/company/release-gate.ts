/** Decides when the deliveries of a change start. */
export interface ReleaseGate {
  /** Calls `release` when deliveries may start: immediately, or when an answer has been written. */
  after(release: () => void): void;
  /** The answer waits for these attempts, which begin when their change is kept. */
  before(attempts: Promise<unknown>): void;
}

export const releaseImmediately: ReleaseGate = { after: (release) => release(), before: () => undefined };
