import { describe, expect, it } from "vitest";
import { pages } from "../../src/http/pages/dashboard/registry.js";
import { STATE_VALUE_BYTES_MAX } from "../../src/sandbox/state/state.js";
import { DASHBOARD, ORIGIN, visit } from "../support/dashboard.js";
import { openDesk } from "../support/desk.js";
import { startLive } from "../support/live.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

const CHARGES = 10_000;
/** Five times what was measured: some machines are slow. */
const SERVER_MS_MAX = 200;
/** The fastest counts: other programs use the machine, too. */
const RUNS = 7;

it("answers every page within 200 ms of server time with 10 000 charges", { timeout: 300_000 }, async () => {
  const live = await startLive();
  const receiver = await live.receiverFor("charges/events", { status: 503 });
  let last = "";
  for (let n = 1; n <= CHARGES; n++) {
    const { body } = await live.api("POST", "/v1/charges", chargeRequest({ externalId: `order-${n}` }));
    last = body.id;
    if (n % 10 === 0) await live.api("POST", `/v1/charges/${last}/pay`);
  }
  await receiver.waitFor(1);
  await live.settle();
  const visitor = visit(live.app);
  const paths = pages.map(({ path }) => path).filter((path) => !path.includes(":"));
  const delivery = live.deliveries().at(-1)?.id ?? "";
  const asked = [
    ...paths.map((path) => (path === "" ? "/_sandbox" : `/_sandbox/dashboard${path}`)),
    `/_sandbox/dashboard/charges/${last}`,
    `/_sandbox/dashboard/deliveries/${delivery}`,
    "/_sandbox/dashboard/requests/req_11000",
    "/_sandbox?q=order-77",
    "/_sandbox?q=nowhere",
    "/_sandbox?only=failing",
    "/_sandbox/dashboard/charges?q=order-77&status=paid",
    "/_sandbox/dashboard/deliveries?status=failing",
  ];
  const slow: string[] = [];
  for (const path of asked) {
    let best = Infinity;
    for (let run = 0; run < RUNS; run++) {
      const before = performance.now();
      expect((await visitor.get(path)).status, path).toBeLessThan(500);
      best = Math.min(best, performance.now() - before);
    }
    if (best >= SERVER_MS_MAX) slow.push(`${path}: ${Math.round(best)} ms`);
  }
  expect(slow).toEqual([]);
});

it("searches a list of long texts immediately", async () => {
  const world = openWorld();
  const description = "É€".repeat(190_000);
  for (let n = 1; n <= 300; n++) {
    const { status } = await world.api("POST", "/v1/charges", chargeRequest({ externalId: `order-${n}`, description }));
    expect(status).toBe(201);
  }
  const visitor = visit(world.app);
  await visitor.get("/_sandbox/dashboard/charges");
  const stopMs = await longestStop(async () => {
    expect((await visitor.get("/_sandbox/dashboard/charges?q=nowhere")).status).toBe(200);
  });
  expect(stopMs).toBeLessThan(200);
});

it("shows requests with thousands of parts and escapes immediately", async () => {
  const world = openWorld();
  const query = "%2541YWJjYWJjYWJjYWJj&".repeat(700);
  for (let n = 1; n <= 40; n++) await world.api("GET", `/v1/balance?${query}`);
  const visitor = visit(world.app);
  await visitor.get("/_sandbox/dashboard/charges");
  const stopMs = await longestStop(async () => {
    expect((await visitor.get("/_sandbox")).text).toContain("/v1/balance");
  });
  expect(stopMs).toBeLessThan(800);
});

it("long texts of a client do not make any page long", async () => {
  const desk = await openDesk();
  const { live } = desk;
  const long = "x".repeat(200_000);
  await live.subscribe("charges/events", `http://127.0.0.1:9/${"x".repeat(2_000)}`);
  const charge = await live.createCharge({ externalId: long, description: long, metadata: { [long]: long } });
  await live.control("POST", `/charges/${charge.id}/cancel`);
  const transfer = await live.createTransfer({ reference: long, description: long });
  await live.http("GET", `/v1/charges/${"y".repeat(10_000)}`);
  await live.http("POST", "/v1/charges", { long });
  const paths = ["", "/charges", "/transfers", "/subscriptions", "/deliveries", "/ledger"];
  const details = [`/charges/${charge.id}`, `/transfers/${transfer.id}`];
  const requests = ["req_2", "req_3", "req_5"].map((id) => `/requests/${id}`);
  for (const path of [...paths, ...details, ...requests])
    expect((await desk.open(path)).html.length, path).toBeLessThan(250_000);
});

describe("the state", () => {
  it("of a file that would fill the memory is refused before it is parsed", async () => {
    const { app } = openWorld();
    const { html } = await visit(app).get(`${DASHBOARD}/state`);
    const form = new FormData();
    form.set("formToken", /name="formToken" value="([^"]*)"/.exec(html)?.[1] ?? "");
    form.set("state", new File([`[${"{},".repeat(STATE_VALUE_BYTES_MAX / 100)}{}]`], "state.json"));
    const path = `${ORIGIN}${DASHBOARD}/actions/putState`;
    const answer = await app.request(path, { method: "POST", headers: { origin: ORIGIN }, body: form });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The file has too many values for its size");
  });
});

describe("the dashboard under hostile requests", () => {
  it("shows a list whose address has thousands of parameters", async () => {
    const live = await startLive();
    await live.createCharge();
    const names = Array.from({ length: 20_000 }, (_, at) => at.toString(36)).join("&");
    const stopMs = await longestStop(async () => {
      expect((await visit(live.app).get(`${DASHBOARD}/charges?${names}`)).status).toBe(200);
    });
    expect(stopMs).toBeLessThan(2_500);
  });
});
