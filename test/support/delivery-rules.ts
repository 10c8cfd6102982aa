import { verifySignature } from "../../src/webhooks.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { type Live, startLive } from "./live.js";
import { type Receiver, startReceiver } from "./receiver.js";
import type { LooseJson, WorldOptions } from "./world.js";

export const IMMEDIATE: WorldOptions = { profile: { transfers: { settlement: "immediate" } } };

/** A receiver of every topic, and one rule about its deliveries. */
export async function withRule(
  then: LooseJson,
  { match, times, ...options }: WorldOptions & { match?: LooseJson; times?: number } = {},
) {
  const live = await startLive({ forges: true, ...options });
  const receiver = await startReceiver();
  for (const topic of ["charges/events", "transactions/started", "transactions/completed", "transactions/failed"])
    await live.subscribe(topic, receiver.url);
  const rule = await live.control("POST", "/rules", { on: "delivery", match, then, times });
  if (rule.status !== 201) throw new Error(rule.text);
  return { live, receiver, ruleId: String(rule.body.id) };
}

export async function payCharge(live: Live): Promise<string> {
  const { id } = await live.createCharge();
  await live.ok("POST", `/v1/charges/${id}/pay`);
  return id;
}

/** For each webhook, the status in its data, or the last word of its topic. */
export const sentTo = (receiver: Receiver): string[] =>
  receiver.received.map(({ body }) => (body.topic === "charges/events" ? body.data.status : body.topic.split("/")[1]));

export const isSigned = ({ raw, headers }: Receiver["received"][number]): boolean =>
  verifySignature(raw, String(headers["x-service-hmac-sha256"]), DEFAULT_COMPANY.secretKey);
