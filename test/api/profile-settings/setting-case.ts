import { expect } from "vitest";
import type { Json } from "../../../src/kernel/messages/json.js";
import type { ApiWorld } from "../../support/describe-api.js";
import type { Receiver, Reply } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import type { Answer, LooseJson } from "../../support/world.js";

/** A setting with another value than its default, and a check of its visible effect. */
export interface SettingCase {
  readonly setting: string;
  readonly value: Json;
  /** Passes under this value and fails under the default: each case proves both. */
  readonly shows: (world: SettingWorld) => Promise<void>;
  /** Under the default the check would wait in real time, so other tests cover that. */
  readonly waitsByDefault?: true;
}

export interface SettingWorld extends ApiWorld {
  /** A receiver that is closed after the test. */
  readonly receiver: (reply?: Reply) => Promise<Receiver>;
}

export async function createCharge({ api }: SettingWorld, change = {}): Promise<LooseJson> {
  return (await api("POST", "/v1/charges", chargeRequest(change))).body;
}

export async function createPaidCharge(world: SettingWorld, change = {}): Promise<LooseJson> {
  const { id } = await createCharge(world, change);
  return (await world.api("POST", `/v1/charges/${id}/pay`)).body;
}

export function createTransfer({ api }: SettingWorld, change = {}): Promise<Answer> {
  return api("POST", "/v1/transactions", transferRequest(change));
}

export async function readTransfer({ api }: SettingWorld, id: string): Promise<LooseJson> {
  return (await api("GET", `/v1/transactions/${id}`)).body;
}

export async function balanceOf({ api }: SettingWorld): Promise<number> {
  return (await api("GET", "/v1/balance")).body.balance;
}

/** Subscribes a new receiver to a topic. */
export async function subscribe(world: SettingWorld, topic: string, reply?: Reply): Promise<Receiver> {
  const receiver = await world.receiver(reply);
  expect((await world.api("POST", "/v1/webhooks", { topic, url: receiver.url })).status).toBeLessThan(300);
  return receiver;
}

export async function settle({ control }: SettingWorld): Promise<void> {
  expect((await control("POST", "/settle")).status).toBe(200);
}
