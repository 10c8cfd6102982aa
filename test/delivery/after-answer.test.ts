import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createHeldStore } from "../support/held-store.js";
import { answerAfter, gate, type Live, startLive } from "../support/live.js";
import { connectTo } from "../support/raw-http.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { createWorld } from "../support/world.js";

/** POST without a body, as bytes. */
function post(live: Live, path: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(live.url).host}`,
    "Authorization: Bearer at_sandbox",
    "X-Company-Id: company_sandbox",
    "Content-Length: 0",
    "\r\n",
  ].join("\r\n");
}

async function open(live: Live, bytes: string): Promise<Socket> {
  const socket = await connectTo(live.url);
  socket.write(bytes);
  return socket;
}

async function leave(socket: Socket): Promise<void> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resetAndDestroy();
  await closed;
}

describe("deliveries start when the API's answer has been written", () => {
  it("start no earlier, however long the answer takes", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    const letGo = store.hold();
    const paid = live.http("POST", `/v1/charges/${id}/pay`);
    await store.held(1);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(live.deliveries()).toMatchObject([{ status: "pending", attempts: [] }]);
    expect([receiver.received.length, receiver.connectionsMade]).toEqual([0, 0]);
    letGo(0);
    expect((await paid).body.status).toBe("paid");
    await receiver.waitFor(1);
  });

  it("start when the change is stored, if a rule sends them before the answer", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await live.receiverFor("charges/events");
    await live.control("POST", "/rules", { on: "delivery", then: { before: "response" } });
    const { id } = await live.createCharge();
    const letGo = store.hold();
    const paid = live.http("POST", `/v1/charges/${id}/pay`);
    await store.held(1);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([receiver.received.length, receiver.connectionsMade]).toEqual([0, 0]);
    letGo(0);
    expect((await paid).body.status).toBe("paid");
    expect(receiver.received).toHaveLength(1);
  });

  it("do not delay the answer", async () => {
    const live = await startLive();
    const answered = gate();
    await live.receiverFor("charges/events", answerAfter(answered));
    expect((await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`)).status).toBe("paid");
    answered.open();
    await live.settle();
    expect(live.deliveries()[0]?.status).toBe("succeeded");
  });

  it("start in process when the answer has been returned", async () => {
    const transport = createScriptedTransport(() => 200);
    const world = createWorld({ transport });
    await world.api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    const order = { amount: 5_000, msisdn: "0700000001", reference: "r", type: "transfer" };
    const response = await world.app.request("/v1/transactions", {
      method: "POST",
      headers: { authorization: "Bearer at_sandbox", "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    expect([response.status, transport.sent.length]).toEqual([201, 0]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(transport.sent).toHaveLength(1);
    await world.close();
  });

  it("are awaited by an advance, with the answer", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    const other = await live.createCharge();
    const letGo = store.hold();
    const paid = live.http("POST", `/v1/charges/${id}/pay`);
    await store.held(1);
    const advanced = live.advance("1h");
    await new Promise((resolve) => setImmediate(resolve));
    expect(live.company.world.charges.get(other.id)?.status).toBe("due");
    letGo(0);
    await Promise.all([paid, advanced]);
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid", "dropped"]);
  });
});

describe("a client that leaves before its answer", () => {
  it("still has its work done and, when that is stored, its webhooks sent", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    const letGo = store.hold();
    const socket = await open(live, post(live, `/v1/charges/${id}/pay`));
    await store.held(1);
    await leave(socket);
    await store.held(2); // its webhooks wait, too
    expect([receiver.received.length, receiver.connectionsMade]).toEqual([0, 0]);
    letGo(0);
    letGo(1);
    await receiver.waitFor(1);
    expect(await live.settle()).toEqual([]);
    expect((await live.ok("GET", `/v1/charges/${id}`)).status).toBe("paid");
  });

  it.each([
    ["sends again", "POST", (id = "") => `/_sandbox/deliveries/${id}/redeliver`],
    ["restores with a snapshot", "PUT", () => "/_sandbox/snapshots/a"],
  ])("has the webhooks sent once that it %s, when the change is stored", async (_, method, pathOf) => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const hung = gate();
    const receiver = await live.receiverFor("charges/events", async () => {
      await hung.opened;
      return { status: 500 };
    });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await receiver.waitFor(1);
    await live.control("POST", "/snapshots/a");
    hung.open();
    await live.settle();
    let attempts = 0;
    live.company.events.on("attempting", () => attempts++);
    const letGo = store.hold();
    const socket = await open(live, post(live, pathOf(live.deliveries()[0]?.id)).replace("POST", method));
    await store.held(1);
    await leave(socket);
    await store.held(2);
    expect(receiver.received).toHaveLength(1);
    for (const waiting of [0, 1, 2]) letGo(waiting);
    await receiver.waitFor(2);
    expect(attempts).toBe(1);
  });

  it("still has its webhooks sent when it left before the work was done", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    const { company } = live;
    const asked = gate();
    const left = gate();
    const ready = company.ready.bind(company);
    company.ready = () => {
      company.ready = ready;
      asked.open();
      return left.opened;
    };
    const socket = await open(live, post(live, `/v1/charges/${id}/pay`));
    await asked.opened;
    await leave(socket);
    await live.http("GET", "/v1/balance"); // by then the server has seen it leave
    left.open();
    await receiver.waitFor(1);
    expect(await live.settle()).toEqual([]);
    expect(live.deliveries()[0]?.status).toBe("succeeded");
  });

  it("webhooks of pipelined requests start when their own answer is written", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push((await live.createCharge()).id);
    const socket = await open(live, ids.map((id) => post(live, `/v1/charges/${id}/pay`)).join(""));
    await receiver.waitFor(12);
    expect(new Set(receiver.received.map(({ body }) => body.data.id))).toEqual(new Set(ids));
    await leave(socket);
  });
});

it("sends all that fail again with one listener of the answer", async () => {
  const live = await startLive({ profile: { webhooks: { retry: "none" } } });
  await live.subscribe("transactions/started", "http://127.0.0.1:9/");
  for (let n = 0; n < 15; n++) await live.createTransfer();
  await live.settle();
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  const { body } = await live.http("POST", "/_sandbox/deliveries/redeliver");
  await live.settle();
  process.off("warning", note);
  expect([body.redelivered, warnings]).toEqual([15, []]);
});
