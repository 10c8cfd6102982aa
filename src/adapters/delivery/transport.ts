import type { Attempt, Headers } from "../../domain/model/delivery.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";

export interface TransportRequest {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Headers;
  /** Real time from the start of the attempt to the end of the answer, ms. */
  readonly timeoutMs: number;
  /** Whether certificates are accepted that are not trusted. */
  readonly insecureTls: boolean;
  /** `webhooks.allow`: the permitted receivers. Every attempt is checked, including the addresses that a name resolves to. */
  readonly allow: AllowedHosts;
  /** Aborts the attempt when its company is reset or closed. */
  readonly signal: AbortSignal;
}

/** The outcome of an attempt, without its time on the company's clock. */
export type TransportResult = Pick<Attempt, "status" | "latencyMs" | "error" | "response">;

export interface Transport {
  /** Never rejects: the result says what failed. */
  send(request: TransportRequest): Promise<TransportResult>;
  close(): Promise<void>;
}
