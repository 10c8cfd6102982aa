import type { CustomerCheckBody } from "../contract/resources.js";
import type { ProfileInput } from "../domain/profile/profile-input.js";
import type { Coverage } from "../sandbox/observation/coverage-report.js";
import type { Finding } from "../sandbox/observation/finding.js";
import type { ClockHandle } from "./clock-handle.js";
import type { RulesHandle } from "./rules-handle.js";
import type { WebhookLog } from "./webhook-log.js";

/**
 * One company as a test uses it: its credentials, its clock, its webhooks, and its world. Nothing in it is seen by another company. Everything but
 * the credentials throws `UsageError` once the company, or the whole sandbox, is closed.
 */
export interface CompanyHandle extends AsyncDisposable {
  /** Base address: `http://127.0.0.1:<port>`. The same for all companies of a sandbox: the access token selects one. */
  readonly url: string;
  /** Goes into `Authorization: Bearer …`. */
  readonly accessToken: string;
  /** Goes into `X-Company-Id`. */
  readonly companyId: string;
  /** Webhooks are signed with it. */
  readonly secretKey: string;
  /**
   * The four above for a child process.
   *
   * @example
   * ```ts
   * spawn("php", ["vendor/bin/phpunit"], { env: { ...process.env, ...sandbox.env } });
   * ```
   */
  readonly env: Readonly<
    Record<"SANDBOX_URL" | "SANDBOX_ACCESS_TOKEN" | "SANDBOX_COMPANY_ID" | "SANDBOX_SECRET_KEY", string>
  >;
  readonly clock: ClockHandle;
  readonly webhooks: WebhookLog;
  readonly customers: CustomersHandle;
  readonly rules: RulesHandle;
  /** XOF, with up to four decimals: fees may have some. */
  readonly balance: number;
  /**
   * Puts money on the account, or takes it away; the ledger shows it as an adjustment. Throws `UsageError` for what is no amount of XOF from 0
   * on.
   *
   * @example
   * ```ts
   * sandbox.setBalance(4999); // too little for the smallest transfer
   * ```
   */
  setBalance(xof: number): void;
  /**
   * Changes settings from the next request on, each whole; null returns one to its default. Throws `UsageError` with everything that is wrong,
   * and then nothing has changed.
   *
   * @example
   * ```ts
   * sandbox.setProfile({ transfers: { settlement: "manual" } });
   * ```
   */
  setProfile(patch: ProfileInput): void;
  /**
   * `fetch` in process, without a socket: can be given to any client that takes a `fetch`. A path is enough for an address. The company's
   * `Authorization` and `X-Company-Id` are sent unless others are given; a call of the control API (`/_sandbox/…`) is about this company unless it says
   * `?company=`. Without a method it is a GET, or with a body a POST.
   *
   * Rejects with `UsageError` for an address that is not this sandbox's.
   *
   * @example
   * ```ts
   * const answer = await sandbox.fetch<Transaction>("/v1/transactions", {
   *   json: { type: "transfer", amount: 5000, msisdn: "+2250700000001", reference: "payout-1" },
   * });
   * const { id, status } = await answer.json();
   * ```
   */
  readonly fetch: <Body = unknown>(input: string | URL | Request, init?: FetchInit) => Promise<JsonResponse<Body>>;
  /**
   * What was met of the contract by whoever called this company's API, and what never was: operations with their statuses, transitions, error causes,
   * topics; rules; and the open points that the results rest on. It outlives a reset, so that a whole suite adds to it.
   *
   * @example
   * ```ts
   * after(() => console.log(`${sandbox.coverage().percent} % of the contract`));
   * ```
   */
  coverage(): Coverage;
  /**
   * Resolves when no delivery is on the wire and nothing is due now. Moves no time.
   *
   * @example
   * ```ts
   * await sandbox.settle(); // whoever was to hear of it has heard
   * ```
   */
  settle(): Promise<void>;
  /**
   * What the client under test did that costs money in production, oldest first: what was seen, why it is dangerous, what to do, and the requests
   * that show it. A reset forgets them; the last 1000 are kept.
   *
   * @example
   * ```ts
   * const dangers = sandbox.findings().map(({ kind, why, fix }) => `${kind}: ${why} ${fix}`);
   * ```
   */
  findings(): readonly Finding[];
  /**
   * The company back to how it began: fixtures, balance, profile, rules and clock. What it still owed its subscribers is dropped.
   *
   * @example
   * ```ts
   * beforeEach(() => sandbox.reset());
   * ```
   */
  reset(): Promise<void>;
  /**
   * Closes the company: its token is unknown from now on. `await using` does it too. May be called twice.
   *
   * @example
   * ```ts
   * const company = await sandbox.company();
   * await company.close();
   * ```
   */
  close(): Promise<void>;
}

export interface FetchInit extends RequestInit {
  /** Sent as the body, with `content-type: application/json`. */
  readonly json?: unknown;
}

/** A response whose JSON is what the caller says it is. */
export interface JsonResponse<Body> extends Response {
  json(): Promise<Body>;
}

/** The people whom the customer check knows, beside the test numbers. */
export interface CustomersHandle {
  /**
   * Registers a person under a number, or changes the one who has it. Throws `UsageError` for what is no phone number, and for a name without a
   * visible character.
   *
   * @param msisdn 8 to 15 digits after an optional `+` or `00`; the country prefix 225 may be left out.
   *
   * @example
   * ```ts
   * sandbox.customers.set("+2250700000010", { firstName: "Awa", lastName: "Koné", kycStatus: "complete" });
   * ```
   */
  set(msisdn: string, person: Person): Customer;
  /**
   * Undefined when nobody is registered under the number. Throws `UsageError` for what is no phone number.
   *
   * @example
   * ```ts
   * const kycStatus = sandbox.customers.get("0700000010")?.kycStatus;
   * ```
   */
  get(msisdn: string): Customer | undefined;
  /**
   * Whoever was registered first comes first.
   *
   * @example
   * ```ts
   * const numbers = sandbox.customers.list().map(({ msisdn }) => msisdn);
   * ```
   */
  list(): readonly Customer[];
  /**
   * Does nothing when nobody is registered under the number. Throws `UsageError` for what is no phone number.
   *
   * @example
   * ```ts
   * sandbox.customers.delete("+2250700000010");
   * ```
   */
  delete(msisdn: string): void;
}

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  /** "`complete` means the customer is validated. Any other value means a customer identification problem." Default `complete`. */
  readonly kycStatus?: string;
}

export interface Customer extends Readonly<CustomerCheckBody> {
  /** As it was registered. */
  readonly msisdn: string;
}
