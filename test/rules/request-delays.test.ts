import { describe, expect, it } from "vitest";
import { type Door, doors, openDoor, untilTrue } from "../support/doors.js";
import { createFakeSystem } from "../support/fake-system.js";
import { chargeRequest } from "../support/requests.js";

const FIVE = 5_000;

async function delayed(door: Door, then: Readonly<Record<string, unknown>> = {}) {
  const system = createFakeSystem();
  const ruled = await openDoor(door, { system });
  const waiting = (): Promise<void> => untilTrue(() => system.pending.includes(FIVE));
  const addRule = () => ruled.rule({ then: { delay: "5s", ...then }, times: 1 });
  return { ...ruled, system, waiting, addRule };
}

/** Whether the promise is settled after some turns of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise
    .catch(() => undefined)
    .finally(() => {
      settled = true;
    });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe.each(doors)("a delay, %s,", (door) => {
  it("alone delays the answer and its webhooks, but not the work", async () => {
    const { live, ask, addRule, system, waiting } = await delayed(door);
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await addRule();
    const asked = ask("POST", `/v1/charges/${id}/pay`);
    await waiting();
    expect(live.company.world.charges.get(id)?.status).toBe("paid");
    system.pass(FIVE - 1);
    expect(await isSettled(asked)).toBe(false);
    expect(receiver.connectionsMade).toBe(0);
    system.pass(1);
    const { status, text } = await asked;
    expect([status, JSON.parse(text).status]).toEqual([200, "paid"]);
    await receiver.waitFor(1);
  });

  it.each([
    ["a status", { status: 503 }],
    ["a fault", { fault: "reset" }],
  ])("comes before %s", async (_, then) => {
    const { live, ask, addRule, system, waiting } = await delayed(door, then);
    await addRule();
    const asked = ask("POST", "/v1/charges", { body: chargeRequest() });
    const outcome = asked.then(
      ({ status }) => ({ status }),
      () => ({ fault: "reset" }),
    );
    await waiting();
    expect(await isSettled(outcome)).toBe(false);
    system.pass(FIVE);
    expect(await outcome).toEqual(then);
    expect(live.company.world.charges.size).toBe(0);
  });

  it("ends when the client leaves, and webhooks are sent", async () => {
    const { live, ask, addRule, system, waiting } = await delayed(door);
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await addRule();
    const patience = new AbortController();
    const asked = ask("POST", `/v1/charges/${id}/pay`, { signal: patience.signal });
    await waiting();
    patience.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    await receiver.waitFor(1);
    expect(system.pending).not.toContain(FIVE);
  });

  it("ends with the answer when its company is reset", async () => {
    const { live, ask, addRule, system, waiting } = await delayed(door);
    await addRule();
    const asked = ask("POST", "/v1/charges", { body: chargeRequest() });
    await waiting();
    await live.control("POST", "/reset");
    expect((await asked).status).toBe(201);
    expect(system.pending).not.toContain(FIVE);
  });

  it("does not delay other requests, and continues when they change the company", async () => {
    const { live, ask, addRule, system, waiting } = await delayed(door);
    await addRule();
    const asked = ask("GET", "/v1/balance");
    await waiting();
    expect((await ask("POST", "/v1/charges", { body: chargeRequest() })).status).toBe(201);
    expect(await isSettled(asked)).toBe(false);
    await live.advance("1h");
    expect(await isSettled(asked)).toBe(false);
    system.pass(FIVE);
    expect((await asked).status).toBe(200);
  });
});
