import { expect } from "vitest";
import { type Live, startLive } from "../../support/live.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import type { WorldOptions } from "../../support/world.js";

export const order = (reference: string) => transferRequest({ amount: 10_000, msisdn: "+2250700000010", reference });

/** Sends a payout; undefined when no answer came that could be read. */
export async function pay(live: Live, reference: string): Promise<number | undefined> {
  const answer = await live.http("POST", "/v1/transactions", order(reference)).catch(() => undefined);
  return answer?.body === undefined ? undefined : answer.status;
}

/** A sandbox with a rule for the next payout. */
export async function openWith(then: object, options: WorldOptions = {}): Promise<Live> {
  const live = await startLive(options);
  const rule = { on: "request", match: { method: "POST", path: "/v1/transactions" }, then, times: 1 };
  expect((await live.control("POST", "/rules", rule)).status).toBe(201);
  return live;
}

const externalIds = ["0b0e7f0a-9c1e-4d3f-8a55-6f6f6f6f6f6f", "5d2c7c1e-1b1e-4f3f-9a55-7f7f7f7f7f7f"];

/** Makes two charges. Returns references of payouts that contain their names. */
export async function nameCharges(live: Live, name: "id" | "externalId"): Promise<readonly [string, string]> {
  const names: string[] = [];
  for (const externalId of externalIds) {
    const { body } = await live.http("POST", "/v1/charges", chargeRequest({ externalId }));
    names.push(`payout-${body[name]}`);
  }
  return [names[0] ?? "", names[1] ?? ""];
}
