import type { World } from "../domain/model/work.js";
import type { Instant } from "../kernel/time/instant.js";
import type { Company } from "./company/company.js";
import type { CompanyEvents } from "./company/company-deps.js";
import type { Exchange } from "./company/exchange.js";
import type { Finding } from "./findings/finding.js";

export interface SandboxEvents extends CompanyEvents {
  /** A request to the API was answered. */
  readonly exchange: ExchangeEvent;
  readonly controlled: ControlCalled;
  readonly finding: FindingEvent;
  /** Later requests or webhooks have shown that a finding was no mistake. */
  readonly findingWithdrawn: FindingEvent;
  /** A company is about to be reset or removed. */
  readonly forgets: { readonly company: Company; readonly reset: boolean };
  /** The company's state is about to be replaced, by a snapshot for example. The requests in its journal are kept. */
  readonly replaces: { readonly company: Company; readonly next: World };
}

interface FindingEvent {
  readonly companyId: string;
  readonly finding: Finding;
}

export interface ExchangeEvent {
  readonly exchange: Exchange;
  /** The company that the request counts towards, even with an unknown token; undefined when there is none. */
  readonly companyId: string | undefined;
  /** The request's id in that company's journal; undefined when it is not there. */
  readonly requestId: string | undefined;
}

/** A call of the control API has changed something, or a customer has done the same on the payment page. */
export interface ControlCalled {
  /** The place of the call in the order of `Sandbox.takeTurn`. */
  readonly turn: number;
  /** The company that the call is about, or `*`; undefined for the default company. */
  readonly companyId: string | undefined;
  /** The company's time before the call; undefined for a call about the sandbox as a whole. */
  readonly at: Instant | undefined;
  /** `POST /charges/:id/pay`, below `/_sandbox`. */
  readonly route: string;
  /** The path's `:id`. */
  readonly id: string;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly answer: unknown;
}
