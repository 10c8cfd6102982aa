import * as z from "zod";
import { renderCharge } from "../contract/charges.js";
import { parseRequest } from "../contract/parse.js";
import type { ChargeBody, SubscriptionBody } from "../contract/resources.js";
import { renderSubscription, subscriptionRequest } from "../contract/subscriptions.js";
import { payCharge } from "../domain/charges/pay-charge.js";
import { createSubscription } from "../domain/deliveries/subscriptions.js";
import { isApiProblem } from "../domain/model/problem-codes.js";
import { renderDelivery } from "../http/control/render-control.js";
import { msisdn as msisdnField } from "../domain/values/fields.js";
import { balanceOf } from "../domain/accounts/ledger.js";
import { fromXof, toXof } from "../domain/values/money.js";
import { setBalance } from "../domain/accounts/set-balance.js";
import { UsageError } from "../kernel/messages/problem.js";
import { settle } from "../sandbox/company/advance.js";
import { changeProfile } from "../sandbox/state/profile.js";
import type { Company } from "../sandbox/company/company.js";
import { usableToken } from "../sandbox/state/company-record.js";
import type { Sandbox as Core } from "../sandbox/sandbox.js";
import { type ClockHandle, createClockHandle } from "./clock-handle.js";
import { type CustomersHandle, createCustomersHandle } from "./customers-handle.js";
import { type RulesHandle, createRulesHandle } from "./rules-handle.js";
import { type WebhookDelivery, type WebhookLog, createWebhookLog } from "./webhook-log.js";
import { type CompanyFetch, type Endpoint, createFetch } from "./in-process-fetch.js";
import { balanceField } from "./sandbox-options.js";
import type { Coverage } from "../sandbox/coverage/coverage-report.js";
import { redactCoverage } from "../sandbox/coverage/render-coverage.js";
import type { Finding } from "../sandbox/findings/finding.js";
import type { TopicName } from "./webhook-events.js";
import type { ProfileInput } from "../domain/profile/profile.js";

/**
 * A company for a test: its credentials, clock, webhooks and state, isolated from other companies. Once the company or the whole sandbox is closed,
 * everything but the credentials throws `UsageError`.
 */
export interface CompanyHandle extends AsyncDisposable {
  /** The base address, `http://127.0.0.1:<port>`. All companies of a sandbox have the same one; the access token selects the company. */
  readonly url: string;
  /** For `Authorization: Bearer …`. */
  readonly accessToken: string;
  /** For `X-Company-Id`. */
  readonly companyId: string;
  /** Signs webhooks. */
  readonly secretKey: string;
  /** Environment variables for a child process: the four values above. */
  readonly env: Readonly<
    Record<"SANDBOX_URL" | "SANDBOX_ACCESS_TOKEN" | "SANDBOX_COMPANY_ID" | "SANDBOX_SECRET_KEY", string>
  >;
  readonly clock: ClockHandle;
  readonly webhooks: WebhookLog;
  readonly customers: CustomersHandle;
  readonly rules: RulesHandle;
  /** In XOF, with up to four decimals because of fees. */
  readonly balance: number;
  /** Sets the balance by an adjustment in the ledger. Throws `UsageError` for anything but an amount of XOF from 0. */
  setBalance(xof: number): void;
  /**
   * Replaces settings from the next request on; null restores a default. Throws `UsageError` with every problem, and then changes nothing.
   *
   * @example
   * ```ts
   * sandbox.setProfile({ transfers: { settlement: "manual" } });
   * ```
   */
  setProfile(patch: ProfileInput): void;
  /**
   * `fetch` in process, without a socket, for any client that takes a `fetch`. Accepts a path or a URL of this sandbox; rejects with `UsageError`
   * for any other URL. Adds the company's `Authorization` and `X-Company-Id` unless given, and `?company=` to calls of the control API
   * (`/_sandbox/…`). The default method is GET, or POST with a body.
   *
   * @example
   * ```ts
   * const answer = await sandbox.fetch<Transaction>("/v1/transactions", {
   *   json: { type: "transfer", amount: 5000, msisdn: "+2250700000001", reference: "payout-1" },
   * });
   * const { id, status } = await answer.json();
   * ```
   */
  readonly fetch: CompanyFetch;
  /**
   * What the requests to this company covered of the contract, and what they did not: operations with their statuses, transitions, error causes,
   * topics, rules, and the open points that the results depend on. A reset keeps it, so that a test suite adds up.
   */
  coverage(): Coverage;
  /**
   * Pays a charge as its customer does on the payment page: with test numbers, rules and settings. Returns the charge as GET shows it. Throws
   * `UsageError` for an unknown charge and one that is not due.
   *
   * @param msisdn of the payer, such as `+2250700000001`.
   */
  pay(chargeId: string, msisdn: string): ChargeBody;
  /** Subscribes to a topic, as POST /v1/webhooks does. Throws `UsageError` for an unknown topic and a URL that is not permitted. */
  subscribe(topic: TopicName, url: string): SubscriptionBody;
  /** Deliveries of webhooks with their attempts, oldest first. */
  deliveries(): readonly WebhookDelivery[];
  /** Resolves when no delivery is in flight and nothing is due now. Does not move time. */
  settle(): Promise<void>;
  /**
   * Dangerous behaviour of the client under test, oldest first: what happened, why it is dangerous, the fix, and the requests that show it. The
   * last 1000 are kept; a reset clears them.
   *
   * @example
   * ```ts
   * const dangers = sandbox.findings().map(({ kind, why, fix }) => `${kind}: ${why} ${fix}`);
   * ```
   */
  findings(): readonly Finding[];
  /** Restores the initial state: fixtures, balance, profile, rules and clock. Pending deliveries are cancelled. */
  reset(): Promise<void>;
  /** Closes the company: its token becomes unknown. May be called twice. */
  close(): Promise<void>;
}

/** The handle of the company `id`, which stays valid when a reset replaces the company. */
export function createCompanyHandle(core: Core, endpoint: Endpoint, id: string): CompanyHandle {
  const { identity: first } = open(core, id).record;
  // The credentials of a closed company can still be read.
  const identity = () => core.findCompany(id)?.record.identity ?? first;
  const current = (): Company => {
    const company = open(core, id);
    // What is due happens first, as before a request. A long queue continues in the background.
    void company.ready();
    return company;
  };
  const remove = async (): Promise<void> => {
    const company = core.findCompany(id);
    if (company !== undefined) core.remove(company);
  };
  const handle: CompanyHandle = {
    url: endpoint.url,
    get accessToken() {
      return usableToken(identity());
    },
    companyId: id,
    get secretKey() {
      return identity().secretKey;
    },
    get env() {
      return {
        SANDBOX_URL: endpoint.url,
        SANDBOX_ACCESS_TOKEN: handle.accessToken,
        SANDBOX_COMPANY_ID: id,
        SANDBOX_SECRET_KEY: handle.secretKey,
      };
    },
    clock: createClockHandle(current),
    webhooks: createWebhookLog(current, core.redactor.text),
    customers: createCustomersHandle(current),
    rules: createRulesHandle(current),
    get balance() {
      return toXof(balanceOf(current()));
    },
    setBalance(xof) {
      const [issue] = balanceField.safeParse(xof).error?.issues ?? [];
      if (issue !== undefined) throw new UsageError("input", `balance ${issue.message}, got ${String(xof)}.`);
      current().run(setBalance, fromXof(xof));
    },
    setProfile: (patch) => changeProfile(current(), patch),
    fetch: createFetch(endpoint, () => {
      open(core, id);
      return handle;
    }),
    coverage: () => redactCoverage(core.coverage.of(current()), core.redactor),
    findings: () => core.observationOf(open(core, id).id).findings.list(),
    pay: (chargeId, msisdn) =>
      attempt("pay the charge", () => {
        const company = current();
        const payer = parseRequest(z.object({ msisdn: msisdnField }), { msisdn });
        return renderCharge(company.run(payCharge, { chargeId, msisdn: payer.msisdn }), "read", company.profile);
      }),
    subscribe: (topic, url) =>
      attempt("subscribe", () => {
        const company = current();
        const request = parseRequest(subscriptionRequest(company.profile), { topic, url });
        return renderSubscription(company.run(createSubscription, request), company.profile);
      }),
    deliveries: () =>
      current()
        .world.deliveries.values()
        .map((delivery) => renderDelivery(delivery)),
    settle: async () => void (await settle(current())),
    reset: async () => void core.reset(current()),
    close: remove,
    [Symbol.asyncDispose]: remove,
  };
  return handle;
}

/** Throws UsageError where the API would refuse the operation. */
function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    const kind = error.code === "invalid_request" ? "input" : "state";
    throw new UsageError(kind, `Failed to ${what}: ${error.messages.join("; ")}.`, { cause: error });
  }
}

function open(core: Core, id: string): Company {
  const company = core.findCompany(id);
  if (company !== undefined && !company.closed) return company;
  const what = company === undefined ? `the company ${id} was closed` : "the sandbox was closed";
  throw new UsageError("state", `Failed to use the company ${id}: ${what} before.`);
}
