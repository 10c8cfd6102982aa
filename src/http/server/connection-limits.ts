/** What one connection may take, of time and of memory, before there is a request. */
export interface ConnectionLimits {
  /** The request line and the headers together, bytes. */
  readonly headerBytes: number;
  /** How many headers. */
  readonly headers: number;
  /** From its first byte to the end of a request's headers, ms. */
  readonly headersMs: number;
  /** From its first byte to the end of a request's body, ms. */
  readonly requestMs: number;
  /** How often connections are looked at for what takes too long, ms. */
  readonly checkMs: number;
  /** How long a connection is kept for a next request, ms. */
  readonly keepAliveMs: number;
}

/** A client that is slow on purpose holds a connection for so long. A whole state of 256 MiB comes in two minutes over 20 Mbit/s. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headerBytes: 16 * 1024,
  headers: 1_000,
  headersMs: 10_000,
  requestMs: 120_000,
  checkMs: 1_000,
  keepAliveMs: 5_000,
};
