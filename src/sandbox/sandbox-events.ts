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
  /** What came later proves that a finding was no mistake. */
  readonly findingWithdrawn: FindingEvent;
  /** A company is about to be reset or removed. */
  readonly forgets: { readonly company: Company; readonly reset: boolean };
  /** Another state, such as a snapshot, is about to be put in the place of the company's. Its requests stay. */
  readonly replaces: { readonly company: Company };
}

interface FindingEvent {
  readonly companyId: string;
  readonly finding: Finding;
}

export interface ExchangeEvent {
  readonly exchange: Exchange;
  /** Which company it counts for, also when its token is unknown; undefined when there is no company left. */
  readonly companyId: string | undefined;
  /** Its id in that company's journal; undefined when it is not there. */
  readonly requestId: string | undefined;
}

/** A changing call of the control API has succeeded, or a customer has done on the payment page what this call does. */
export interface ControlCalled {
  /** The place of its work in the order of `Sandbox.takeTurn`. */
  readonly turn: number;
  /** The company that it is about, or `*`; undefined for the first. */
  readonly companyId: string | undefined;
  /** Of the company, before the work; undefined for a call about the sandbox as a whole. */
  readonly at: Instant | undefined;
  /** `POST /charges/:id/pay`, below `/_sandbox`. */
  readonly route: string;
  /** The path's `:id`. */
  readonly id: string;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly answer: unknown;
}
