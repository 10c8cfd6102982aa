import { fromXof, isExactXof, toXof } from "../domain/accounts/money.js";
import { balanceOf } from "../domain/accounts/ledger.js";
import { setBalance } from "../domain/accounts/set-balance.js";
import { findCustomer, setCustomer } from "../domain/customers/check-customer.js";
import type { Customer, CustomerCheck } from "../domain/customers/customer.js";
import { isMsisdn, msisdnKey } from "../domain/msisdn.js";
import { mergeOverrides } from "../domain/profile/merge-overrides.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import type { ProfileInput } from "../domain/profile/settings.js";
import { UsageError } from "../kernel/problem.js";
import { settle } from "../sandbox/advance.js";
import type { Company, Operation } from "../sandbox/company.js";
import type { Sandbox as Core } from "../sandbox/sandbox.js";
import { type ClockHandle, createClockHandle } from "./clock-handle.js";
import { createWebhookLog, type WebhookLog } from "./webhook-log.js";

/** One company as a test uses it: its credentials, its clock, its webhooks, and its world. */
export interface CompanyHandle {
  /** Base address: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly accessToken: string;
  readonly companyId: string;
  readonly secretKey: string;
  /** The four above as `SANDBOX_URL`, `SANDBOX_ACCESS_TOKEN`, `SANDBOX_COMPANY_ID`, `SANDBOX_SECRET_KEY`, for a child process. */
  readonly env: Readonly<
    Record<"SANDBOX_URL" | "SANDBOX_ACCESS_TOKEN" | "SANDBOX_COMPANY_ID" | "SANDBOX_SECRET_KEY", string>
  >;
  readonly clock: ClockHandle;
  readonly customers: CustomersHandle;
  readonly webhooks: WebhookLog;
  /** XOF. */
  readonly balance: number;
  setBalance(xof: number): void;
  /** Changes settings from the next request on; null returns one to its default. */
  setProfile(patch: ProfileInput): void;
  /**
   * A request to the sandbox in process, without a socket. A path is enough; the company's `Authorization` and `X-Company-Id` are added unless
   * given. `json` is sent as the body.
   */
  fetch(path: string, init?: FetchInit): Promise<Response>;
  /** Resolves when no delivery is in flight and nothing is due now. Moves no time. */
  settle(): Promise<void>;
  /** The company back to how it began. */
  reset(): Promise<void>;
}

export interface FetchInit extends RequestInit {
  readonly json?: unknown;
}

export interface CustomersHandle {
  /** Registers a person under a number, or changes them. `kycStatus` is `complete` unless given. */
  set(msisdn: string, person: Omit<CustomerCheck, "kycStatus"> & { kycStatus?: string }): void;
  get(msisdn: string): CustomerCheck | undefined;
  delete(msisdn: string): void;
}

export interface HandleParts {
  readonly core: Core;
  readonly url: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

export function createCompanyHandle(parts: HandleParts, id: string): CompanyHandle {
  const { core, url } = parts;
  const current = (): Company => {
    const company = core.findCompany(id);
    if (company === undefined) throw new UsageError("state", `The company ${id} is closed.`);
    return company;
  };
  /** Whatever is due happens first, as before any request. */
  const run = <Input, Output>(operation: Operation<Input, Output>, input: Input): Output => {
    const company = current();
    void company.ready();
    return company.run(operation, input);
  };
  const token = (): string => current().record.identity.tokens[0]?.token ?? "";
  return {
    url,
    get accessToken() {
      return token();
    },
    companyId: id,
    get secretKey() {
      return current().record.identity.secretKey;
    },
    get env() {
      return {
        SANDBOX_URL: url,
        SANDBOX_ACCESS_TOKEN: token(),
        SANDBOX_COMPANY_ID: id,
        SANDBOX_SECRET_KEY: current().record.identity.secretKey,
      };
    },
    clock: createClockHandle(current),
    webhooks: createWebhookLog(current),
    customers: {
      set: (msisdn, person) =>
        void run((work) => setCustomer(work, checked(msisdn), { kycStatus: "complete", ...person }), undefined),
      get: (msisdn) => renderCustomer(findCustomer(current(), checked(msisdn))),
      delete: (msisdn) => run((work) => work.remove(work.world.customers, msisdnKey(checked(msisdn))), undefined),
    },
    get balance() {
      return toXof(balanceOf(current()));
    },
    setBalance(xof) {
      if (!isExactXof(xof) || xof < 0) {
        throw new UsageError(
          "input",
          `balance must be a number of XOF, at least 0, with at most four decimals, got ${xof}.`,
        );
      }
      run(setBalance, fromXof(xof));
    },
    setProfile(patch) {
      const company = current();
      const parsed = parseProfile(mergeOverrides(company.record.overrides, patch));
      if (!parsed.ok)
        throw new UsageError(
          "input",
          parsed.problems.map(({ message }) => message),
        );
      company.record.overrides = parsed.overrides;
      company.profile = parsed.profile;
    },
    fetch: async (path, { json, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token()}`);
      if (!headers.has("x-company-id")) headers.set("x-company-id", id);
      if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
      const body = json === undefined ? init.body : JSON.stringify(json);
      const request = new Request(new URL(path, url), {
        method: body == null ? "GET" : "POST",
        ...init,
        headers,
        ...(body == null ? {} : { body }),
      });
      return parts.fetch(request);
    },
    settle: async () => void (await settle(current())),
    reset: async () => void core.reset(current()),
  };
}

function checked(msisdn: string): string {
  if (isMsisdn(msisdn)) return msisdn;
  throw new UsageError(
    "input",
    `msisdn must be a phone number: 8 to 15 digits after an optional + or 00, got ${JSON.stringify(msisdn)}.`,
  );
}

function renderCustomer(customer: Customer | undefined): CustomerCheck | undefined {
  if (customer === undefined) return undefined;
  const { firstName, lastName, kycStatus } = customer;
  return { firstName, lastName, kycStatus };
}
