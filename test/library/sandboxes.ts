import { onTestFinished } from "vitest";
import { type Charge, type CompanyHandle, createSandbox, type Sandbox, type SandboxOptions } from "../../src/index.js";

/** A sandbox of the library that is closed after the test. Its clock is frozen by default. */
export async function create(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z", ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export function order(externalId: string) {
  return {
    amount: 10_000,
    externalId,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
}

export function payout(reference: string) {
  return { type: "transfer", amount: 5000, msisdn: "+2250700000001", reference };
}

export async function createCharge(company: CompanyHandle, externalId: string): Promise<Charge> {
  const answer = await company.fetch<Charge>("/v1/charges", { json: order(externalId) });
  return answer.json();
}

export async function pay(company: CompanyHandle, chargeId: string): Promise<void> {
  await company.fetch(`/v1/charges/${chargeId}/pay`, { method: "POST" });
}
