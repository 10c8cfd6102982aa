import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import { openWorld } from "../../support/world.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const MIB = 1024 * 1024;

it("coverage keeps no reasons of failures that a state brought, once the company was reset", async () => {
  const { api, control } = openWorld();
  await control("POST", "/rules", { on: "payment", then: { outcome: "failed", error: "odd", after: "5m" } });
  const charge = await api("POST", "/v1/charges", chargeRequest());
  await api("POST", `/v1/charges/${charge.body.id}/pay`);
  const { body: state } = await control("GET", "/state");
  const fail = async (error: string) => {
    state.payments[0].plan.error = error;
    expect((await control("PUT", "/state", state)).status).toBe(200);
    const { body } = await control("POST", "/clock/advance", { by: "6m" });
    expect(body.firedCount).toBe(1);
    await control("POST", "/reset");
  };
  await fail("odd");
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 1; n <= 8; n++) await fail("x".repeat(5 * MIB) + n);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MIB);
});
