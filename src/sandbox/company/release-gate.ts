/** Decides when the deliveries of a change start. */
export interface ReleaseGate {
  /** Calls `release` when deliveries may start: immediately, or when an answer has been written. */
  after(release: () => void): void;
  /** Makes the answer wait for these attempts, which begin when their change is stored. */
  before(attempts: Promise<unknown>): void;
}

export const releaseImmediately: ReleaseGate = { after: (release) => release(), before: () => undefined };
