import type { Query } from "../../contract/queries.js";
import type { JsonBounds } from "../../kernel/json.js";
import type { Company, Operation } from "../../sandbox/company/company.js";
import type { ReleaseGate } from "../../sandbox/delivery/release-gate.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { Refusal } from "./answer-control.js";

/** One call of the control API, read and checked, as a handler sees it. */
export interface ControlCall {
  readonly sandbox: Sandbox;
  /** `?company=` */
  readonly companyId: string | undefined;
  /** The other query parameters. */
  readonly query: Query;
  /** The path's `:id`. */
  readonly id: string;
  /** The parsed JSON; undefined when there was no body. */
  readonly body: unknown;
  /** The body as it was sent, for a route that takes bytes. */
  readonly bytes: Buffer;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Aborted when the server begins to stop; undefined without a server. */
  readonly stopping: AbortSignal | undefined;
  /** Lets webhooks go out once this call is answered. */
  readonly gate: ReleaseGate;
  /** An answer that is an error, when there is more to say than a thrown one could. */
  readonly refuse: (refusal: Refusal) => Response;
}

/** A call about one company, in which everything that is due has happened. */
export interface CompanyCall extends ControlCall {
  readonly company: Company;
  /** Everything of the operation or nothing; its webhooks go out once this call is answered. */
  readonly run: <Input, Output>(operation: Operation<Input, Output>, input: Input) => Output;
}

interface RouteBase {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sandbox`; `:id` for what is named in it. */
  readonly path: string;
  /** Default 200; 204 has no body. */
  readonly success?: 201 | 204;
  /** Its query parameters beside `company`. */
  readonly query?: readonly string[];
  /** Default: none is read. */
  readonly takes?: "json" | "bytes";
  /** Default {@link CONTROL_BODY_LIMIT}, bytes. */
  readonly bodyLimit?: number;
  /** Default: as for the API under test. */
  readonly bounds?: JsonBounds;
}

/**
 * Which company a call is about: `selected` by `?company=`, else the first; named in the `path`; or `none`. What `handle` returns is the body, a
 * whole answer, or a promise of either.
 */
export type ControlRoute = RouteBase &
  (
    | { readonly company: "selected" | "path"; readonly handle: (call: CompanyCall) => unknown }
    | { readonly company: "none"; readonly handle: (call: ControlCall) => unknown }
  );

/** The default of `server.bodyLimit`, which may be set so low that no call could set it back. */
export const CONTROL_BODY_LIMIT = 1024 * 1024;
