import { expect, it, vi } from "vitest";
import { setupFor } from "../../src/sandbox/config/options.js";
import type { SandboxParts } from "../../src/sandbox/sandbox-parts.js";
import { startReceiver } from "../audit/receivers.js";
import { openAuditDesk, sound, startHeld } from "../support/audit-desk.js";
import { DASHBOARD, signIn, visit } from "../support/dashboard.js";
import { transferRequest } from "../support/requests.js";
import { createFakeSystem } from "../support/fake-system.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { openWorld, type TestWorld } from "../support/world.js";

const ADMIN = "s3cret-admin-token";
const FORMER = "at_former_7bqf2Zk1Xw";
const NEXT = "at_next_9LmP4tRs8v9Q";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A tenant, and what an administrator does with its company. */
function open(parts: SandboxParts = {}) {
  const setup = { ...setupFor(FORMER), id: "company_x", balance: 0, frozenAt: 0, profile: {}, fixtures: [] };
  const transport = createScriptedTransport(() => 200);
  const world = openWorld({ tenancy: true, adminToken: ADMIN, companies: [setup], transport, ...parts });
  return {
    ...world,
    replaceToken: () => world.control("POST", "/companies/company_x/rotate", { accessToken: NEXT }, bearer(ADMIN)),
    async giveIdAway() {
      await world.control("DELETE", "/companies/company_x", undefined, bearer(ADMIN));
      await world.control("POST", "/companies", { companyId: "company_x", accessToken: NEXT }, bearer(ADMIN));
    },
  };
}

/** All text of a stream until it ends. */
async function readStream({ app }: TestWorld, path: string, headers: Readonly<Record<string, string>>) {
  const { body } = await app.request(path, { headers });
  const read = async (): Promise<string> => {
    let text = "";
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    return text;
  };
  return { text: read() };
}

it.each(["replaceToken", "giveIdAway"] as const)("a stream ends and shows nothing more after %s", async (end) => {
  const world = open();
  const { text } = await readStream(world, "/_sandbox/stream", bearer(FORMER));
  await world[end]();
  await world.api("GET", "/v1/balance?later", undefined, bearer(NEXT));
  expect(await text).not.toContain("later");
});

it.each(["a snapshot", "a state"])(
  "a token that has expired does not work again after %s from before",
  async (from) => {
    const { control, api } = open();
    await control("POST", "/snapshots/before", undefined, bearer(FORMER));
    const state = (await control("GET", "/state", undefined, bearer(FORMER))).body;
    await control("POST", "/companies/company_x/rotate", { accessToken: NEXT, overlap: "1h" }, bearer(FORMER));
    await control("POST", "/clock/advance", { by: "2h" }, bearer(NEXT));
    if (from === "a state") await control("PUT", "/state", state, bearer(NEXT));
    else await control("PUT", "/snapshots/before", undefined, bearer(NEXT));
    const statusOf = async (token: string): Promise<number> =>
      (await api("GET", "/v1/balance", undefined, { ...bearer(token), "x-company-id": "company_x" })).status;
    expect(await statusOf(NEXT)).toBe(200);
    expect(await statusOf(FORMER)).toBe(401);
  },
);

/** Sends the second piece of the body when `meanwhile` is done. */
async function send(
  { app }: Pick<TestWorld, "app">,
  method: string,
  path: string,
  [first, second]: readonly [string, string],
  meanwhile: () => Promise<unknown>,
): Promise<Response> {
  const bytes = new TransformStream<Uint8Array, Uint8Array>();
  const headers = { ...bearer(FORMER), "content-type": "application/json" };
  const asked = app.request(path, { method, headers, body: bytes.readable, duplex: "half" });
  const writer = bytes.writable.getWriter();
  await writer.write(Buffer.from(first));
  await meanwhile();
  await writer.write(Buffer.from(second));
  await writer.close();
  return asked;
}

it.each(["replaceToken", "giveIdAway"] as const)("the updates of an open page end after %s", async (end) => {
  const world = open();
  const visitor = visit(world.app);
  await signIn(visitor, FORMER);
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const { text } = await readStream(world, `http://localhost:4010${DASHBOARD}/live`, { cookie });
  await world[end]();
  await world.api("GET", "/v1/balance", undefined, bearer(NEXT));
  expect(await text).not.toContain("changed");
});

it("a call that waits for a delivery shows none after its token was replaced", async () => {
  const world = open();
  const { events } = world.sandbox;
  const listeners = events.listenerCount("changed");
  const waited = world.control("GET", "/deliveries/wait?timeout=1m", undefined, bearer(FORMER));
  await vi.waitUntil(() => events.listenerCount("changed") > listeners);
  await world.replaceToken();
  const own = { ...bearer(NEXT), "x-company-id": "company_x" };
  const subscription = { topic: "charges/events", url: "https://hooks.test/" };
  expect((await world.api("POST", "/v1/webhooks", subscription, own)).status).toBe(201);
  await world.control("POST", "/events", { topic: "charges/events" }, bearer(NEXT));
  expect((await waited).status).toBe(404);
});

it.each(["replaceToken", "giveIdAway"] as const)("a call whose body comes after %s does nothing", async (end) => {
  const world = open();
  const answer = await send(world, "PUT", "/_sandbox/balance", ['{"balance":', "5}"], () => world[end]());
  expect(answer.status).toBe(404);
  expect((await world.control("GET", "/balance", undefined, bearer(NEXT))).body.balance).not.toBe(5);
});

it("the next company of an id does not see a request whose body comes late", async () => {
  const world = open();
  const pieces = ['{"reference":', '"of the former tenant"}'] as const;
  const answer = await send(world, "POST", "/v1/transactions", pieces, () => world.giveIdAway());
  expect(answer.status).toBe(401);
  expect((await world.control("GET", "/requests", undefined, bearer(NEXT))).body.data).toEqual([]);
});

it("the next company of an id does not see the rules of the former one in its coverage", async () => {
  const system = createFakeSystem();
  const world = open({ system });
  const { control, api } = world;
  await control("PUT", "/clock", { mode: "running" }, bearer(FORMER));
  await control("PUT", "/balance", { balance: 10_000_000 }, bearer(FORMER));
  const rule = { name: "of the former tenant", on: "request", match: { path: "/v1/balance" }, then: { status: 503 } };
  expect((await control("POST", "/rules", rule, bearer(FORMER))).status).toBe(201);
  const transactions = Array.from({ length: 500 }, () => transferRequest());
  const own = { ...bearer(FORMER), "x-company-id": "company_x" };
  expect((await api("POST", "/v1/transactions/batch", { transactions }, own)).status).toBe(201);
  system.pass(10_000, "late");
  // The call waits for the 500 payouts that are due.
  const asked = control("GET", "/coverage", undefined, bearer(FORMER));
  await world.giveIdAway();
  expect((await asked).status).toBe(404);
  expect((await control("GET", "/coverage", undefined, bearer(NEXT))).text).not.toContain("of the former tenant");
});

it("the dashboard keeps nothing of a removed company for the next one of its id", async () => {
  const desk = await openAuditDesk();
  const { control } = desk.world;
  const replace = async (): Promise<void> => {
    await control("DELETE", "/companies/company_x");
    await control("POST", "/companies", { companyId: "company_x" });
  };
  await replace();
  const receiver = await startReceiver(sound);
  const audited = await desk.audit({ url: receiver.url, only: "valid-event" }, "company_x");
  expect(audited.text).toContain(receiver.url);
  await desk.get(`${DASHBOARD}/clock?company=company_x`);
  const done = await desk.act("balance", { balance: "777" }, "company_x");
  expect(done.text).toContain("The balance is set.");
  await replace();
  const page = await desk.get(`${DASHBOARD}/audit?company=company_x&outcome=1`);
  expect(page.text).not.toContain(receiver.url);
  expect(page.text).not.toContain("The balance is set.");

  const held = await startHeld();
  const path = `${DASHBOARD}/audit?company=company_x`;
  await desk.get(path);
  const audit = desk.post(path, { url: held.url, only: "valid-event" });
  await held.asked;
  await replace();
  held.open();
  await audit;
  expect((await desk.get(path)).text).not.toContain(held.url);
});
