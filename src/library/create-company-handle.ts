import { balanceOf } from "../domain/accounts/ledger.js";
import { fromXof, toXof } from "../domain/values/money.js";
import { setBalance } from "../domain/accounts/set-balance.js";
import { UsageError } from "../kernel/problem.js";
import { settle } from "../sandbox/clock/advance.js";
import { changeProfile } from "../sandbox/state/profile.js";
import type { Company } from "../sandbox/company/company.js";
import { usableToken } from "../sandbox/state/company-record.js";
import type { Sandbox as Core } from "../sandbox/sandbox.js";
import type { CompanyHandle } from "./company-handle.js";
import { createClockHandle } from "./create-clock-handle.js";
import { createCustomersHandle } from "./create-customers-handle.js";
import { createRulesHandle } from "./create-rules-handle.js";
import { createWebhookLog } from "./create-webhook-log.js";
import { type Door, createFetch } from "./in-process-fetch.js";
import { checkBalance } from "./parse-options.js";

/** The handle of the company `id`, whichever company stands under it: a reset puts another in the place of the first. */
export function createCompanyHandle(core: Core, door: Door, id: string): CompanyHandle {
  const { identity: first } = open(core, id).record;
  // A handle that is closed still says whose it was.
  const identity = () => core.findCompany(id)?.record.identity ?? first;
  const current = (): Company => {
    const company = open(core, id);
    // "Before any request is handled, everything due at or before the company's now has happened."
    void company.ready();
    return company;
  };
  const remove = async (): Promise<void> => {
    const company = core.findCompany(id);
    if (company !== undefined) core.remove(company);
  };
  const handle: CompanyHandle = {
    url: door.url,
    get accessToken() {
      return usableToken(identity());
    },
    companyId: id,
    get secretKey() {
      return identity().secretKey;
    },
    get env() {
      return {
        SANDBOX_URL: door.url,
        SANDBOX_ACCESS_TOKEN: handle.accessToken,
        SANDBOX_COMPANY_ID: id,
        SANDBOX_SECRET_KEY: handle.secretKey,
      };
    },
    clock: createClockHandle(current),
    webhooks: createWebhookLog(current),
    customers: createCustomersHandle(current),
    rules: createRulesHandle(current),
    get balance() {
      return toXof(balanceOf(current()));
    },
    setBalance(xof) {
      const problem = checkBalance(xof);
      if (problem !== undefined) throw new UsageError("input", `balance must be ${problem}, got ${String(xof)}.`);
      current().run(setBalance, fromXof(xof));
    },
    setProfile: (patch) => changeProfile(current(), patch),
    fetch: createFetch(door, () => {
      open(core, id);
      return handle;
    }),
    coverage: () => core.coverage.of(current()),
    findings: () => core.observationOf(open(core, id).id).findings.list(),
    settle: async () => void (await settle(current())),
    reset: async () => void core.reset(current()),
    close: remove,
    [Symbol.asyncDispose]: remove,
  };
  return handle;
}

function open(core: Core, id: string): Company {
  const company = core.findCompany(id);
  if (company !== undefined && !company.closed) return company;
  const what = company === undefined ? `the company ${id} was closed` : "the sandbox was closed";
  throw new UsageError("state", `Failed to use the company ${id}: ${what} before.`);
}
