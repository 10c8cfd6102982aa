import type { Attempt, Headers } from "../../domain/model/delivery.js";
import type { AllowedHosts } from "../../domain/profile/profile.js";

export interface TransportRequest {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Headers;
  /** Real time from the start of the attempt to the end of the answer, ms. */
  readonly timeoutMs: number;
  /** Accept certificates that nobody signed. */
  readonly insecureTls: boolean;
  /** `webhooks.allow`: whom to call. Checked for each attempt, also for the addresses that a name stands for. */
  readonly allow: AllowedHosts;
  /** Gives the attempt up: its company was reset or closed. */
  readonly signal: AbortSignal;
}

/** What an attempt came to, without its place in the company's time. */
export type TransportResult = Pick<Attempt, "status" | "latencyMs" | "error" | "response">;

export interface Transport {
  /** Never rejects: what went wrong is in the result. */
  send(request: TransportRequest): Promise<TransportResult>;
  close(): Promise<void>;
}
