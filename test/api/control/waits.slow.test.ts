import { expect, it } from "vitest";
import { WAITS_MAX } from "../../../src/http/control/deliveries-routes.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { openWorld } from "../../support/world.js";

it("calls that wait for a delivery do not search all deliveries for one that was never there as they want it", async () => {
  const world = openWorld({ transport: createScriptedTransport(() => 200), balance: 1e9 });
  const { api, control } = world;
  expect((await control("POST", "/rules", { on: "delivery", then: { drop: true } })).status).toBe(201);
  await api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://hook.test/" });
  for (let n = 0; n < 20; n++)
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: `http://hook.test/${n}` });
  for (let n = 0; n < 10; n++) {
    const transactions = Array.from({ length: 500 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  const waiting = Array.from({ length: WAITS_MAX }, () =>
    control("GET", "/deliveries/wait?topic=charges/events&status=pending&timeout=10m"),
  );
  const pay = async () => {
    const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
    expect((await api("POST", `/v1/charges/${id}/pay`)).status).toBe(200);
    await control("POST", "/settle");
  };
  await pay();
  // The rule drops the webhook, which was pending only within its step.
  expect(await longestStop(pay)).toBeLessThan(400);
  await control("DELETE", "/rules");
  await pay();
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});
