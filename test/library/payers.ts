import type { Sandbox } from "../../src/index.js";

export const payout = (reference: string) => ({ type: "transfer", amount: 5000, msisdn: "+2250700000010", reference });

/** Sends a payout until an answer comes. */
export async function pay(sandbox: Sandbox, referenceOf: (attempt: number) => string, order = {}): Promise<void> {
  const headers = { authorization: `Bearer ${sandbox.accessToken}`, "content-type": "application/json" };
  for (let attempt = 1; attempt <= 3; attempt++) {
    const body = JSON.stringify({ ...payout(referenceOf(attempt)), ...order });
    const answer = await fetch(`${sandbox.url}/v1/transactions`, { method: "POST", headers, body }).catch(() => null);
    if (answer?.status === 201 || answer?.status === 409) return;
  }
  throw new Error("not paid");
}

export const careful = (sandbox: Sandbox) => pay(sandbox, () => "salary-1");
/** Pays again under a new reference when an answer is lost. */
export const careless = (sandbox: Sandbox) => pay(sandbox, (attempt) => `salary-${attempt}`);

/** Options of a quick experiment. */
export const quick = { skip: ["slow"], sandbox: { clock: "frozen" } } as const;
