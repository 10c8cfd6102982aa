import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../../src/index.js";
import { REPLAY_MS_MAX, REPLAYS_MAX } from "../../../src/scenarios/replayer.js";
import { createFakeSystem } from "../../support/fake-system.js";
import { type Live, startLive } from "../../support/live.js";
import { connectTo } from "../../support/raw-http.js";
import { startReceiver } from "../../support/receiver.js";
import { openWorld, type TestWorld } from "../../support/world.js";

const forever = { steps: [{ wait: "24h" }] };

function companiesOf({ sandbox }: Pick<TestWorld, "sandbox">): readonly string[] {
  return sandbox.companies.map(({ id }) => id);
}

async function countOf(answer: Response): Promise<number> {
  return ((await answer.json()) as { count: number }).count;
}

/** Resolves when the replay's company has been opened. */
async function begun(world: Pick<TestWorld, "sandbox">, count = 1): Promise<void> {
  while (companiesOf(world).length < 1 + count) await world.sandbox.system.yieldToEventLoop();
}

async function gone(world: Pick<TestWorld, "sandbox">): Promise<void> {
  while (companiesOf(world).length > 1) await world.sandbox.system.yieldToEventLoop();
}

/** A client that sends the scenario and leaves when it is being replayed. */
async function leaveDuring(live: Live, scenario: unknown, companies = 1): Promise<void> {
  const body = JSON.stringify(scenario);
  const socket = await connectTo(live.url);
  socket.write(
    `POST /_sandbox/scenarios/replay HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const answered = once(socket, "data").then(([answer]) => Promise.reject(new Error(String(answer))));
  await Promise.race([begun(live, companies), answered]);
  socket.destroy();
}

describe("a replay ends with its client, and leaves no company", () => {
  it.each([
    ["waits", [{ wait: "24h" }]],
    ["waits in a branch", [{ parallel: [{ wait: "24h" }, { repeat: { times: 2, steps: [{ wait: "24h" }] } }] }]],
    ["asks again and again", [{ clock: { mode: "running" } }, eventually("/v1/nothing")]],
    ["waits for an answer", [{ rule: { on: "request", then: { fault: "hang" } } }, { request: "GET /v1/balance" }]],
    ["waits for another company's answer", [hangs, { request: "GET /v1/balance", token: "at_sandbox" }]],
    ["has another company", [{ request: "GET /v1/balance", as: "shop" }, { wait: "24h" }]],
    ["repeats itself", [{ repeat: { times: 100_000, steps: [{ request: "GET /v1/balance" }] } }]],
  ])("one that %s", async (_, steps) => {
    const live = await startLive();
    await leaveDuring(live, { steps });
    await gone(live);
    expect(companiesOf(live)).toEqual(["company_sandbox"]);
    await live.control("DELETE", "/rules");
  });

  it("one that waits for a receiver", async () => {
    const live = await startLive();
    const receiver = await startReceiver("hang");
    const charge = {
      amount: 1,
      externalId: "a",
      description: "b",
      onCanceledRedirectionUrl: url,
      onCompletedRedirectionUrl: url,
    };
    const steps = [
      { request: "POST /v1/charges", body: charge },
      { request: "POST /_sandbox/clock/advance", body: { by: "1h", maxWaitMs: 3_600_000 } },
    ];
    await leaveDuring(live, { given: { webhooks: [{ topic: "charges/events", url: receiver.url }] }, steps });
    await gone(live);
    expect(companiesOf(live)).toEqual(["company_sandbox"]);
  });
});

it("other work has its turn while the companies of an ended replay are removed", async () => {
  const live = await startLive();
  const others = Array.from({ length: 20 }, (_, index) => ({ request: "GET /v1/balance", as: `shop-${index}` }));
  await leaveDuring(live, { steps: [...others, { wait: "24h" }] }, 21);
  const counts = new Set<number>();
  for (let count = 22; count > 1; count = companiesOf(live).length) {
    counts.add(count);
    await live.sandbox.system.yieldToEventLoop();
  }
  expect(counts.size).toBeGreaterThan(10);
});

const url = "https://shop.test/";
const hangs = {
  request: "POST /_sandbox/rules?company=company_sandbox",
  body: { on: "request", then: { fault: "hang" } },
};

function eventually(path: string) {
  return { eventually: { within: "24h", every: "1s", request: `GET ${path}`, expect: { status: 200 } } };
}

it("a replay ends when the server stops, and its client learns why", async () => {
  const live = await startLive();
  const answer = live.control("POST", "/scenarios/replay", forever);
  await begun(live);
  const closing = live.close();
  expect((await answer).body).toMatchObject({
    outcome: "error",
    failure: { step: "wait", message: "The sandbox stops", position: { line: 3 } },
  });
  await closing;
  expect(companiesOf(live)).toEqual(["company_sandbox"]);
});

it("a replay gets its webhooks with tenancy, although tenants may not send to private addresses", async () => {
  const live = await startLive({ tenancy: true, adminToken: "s3cret-admin-token" });
  const step = { request: "POST /_sandbox/events", body: { topic: "charges/events" } };
  const reset = { request: "POST /_sandbox/reset" };
  const { body } = await live.control(
    "POST",
    "/scenarios/replay",
    {
      given: { webhooks: [{ topic: "charges/events" }] },
      steps: [reset, step, { webhook: { topic: "charges/events", count: 1 } }],
    },
    { authorization: "Bearer s3cret-admin-token" },
  );
  expect(body).toMatchObject({ outcome: "passed" });
});

it("a replay without a socket ends when the sandbox is closed", async () => {
  const sandbox = await createSandbox();
  const answer = sandbox.fetch("/_sandbox/scenarios/replay", { json: { steps: [{ parallel: [{ wait: "24h" }] }] } });
  while ((await sandbox.fetch("/_sandbox/companies").then(countOf)) < 2) await setImmediate();
  await sandbox.close();
  expect(await (await answer).json()).toMatchObject({ outcome: "error", failure: { message: "The sandbox stops" } });
});

it("a replay ends when its time is over", async () => {
  const system = createFakeSystem();
  const world = openWorld({ system });
  const answer = world.control("POST", "/scenarios/replay", forever);
  await begun(world);
  system.pass(REPLAY_MS_MAX - 1);
  expect(companiesOf(world)).toHaveLength(2);
  system.pass(1);
  expect((await answer).body).toMatchObject({
    outcome: "error",
    failure: { step: "wait", message: /^The replay took longer than 10m/ },
  });
  expect(companiesOf(world)).toEqual(["company_sandbox"]);
});

it("only a limited number run at once: the next is refused until one has ended", async () => {
  const live = await startLive();
  const leaving = new AbortController();
  const send = (signal: AbortSignal) =>
    fetch(`${live.url}/_sandbox/scenarios/replay`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(forever),
      signal,
    }).catch(() => undefined);
  const sent = Array.from({ length: REPLAYS_MAX }, () => send(leaving.signal));
  await begun(live, REPLAYS_MAX);
  const refused = await live.control("POST", "/scenarios/replay", forever);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.body.message).toEqual([
    "Failed to replay: 64 scenarios are being replayed. Wait until one has ended.",
  ]);
  leaving.abort();
  await Promise.all(sent);
  await gone(live);
  const again = await live.control("POST", "/scenarios/replay", { steps: [{ request: "GET /v1/balance" }] });
  expect(again.body).toMatchObject({ outcome: "passed" });
});

it("a scenario that replays itself ends", async () => {
  const world = openWorld();
  await mkdir("reports", { recursive: true });
  const folder = await mkdtemp(join("reports", "replays-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "self.yaml");
  const step = `request: POST /_sandbox/scenarios/replay, body: { file: ${file} }, expect: { status: 200 }`;
  await writeFile(file, `steps: [{ ${step} }]\n`);
  const { body } = await world.control("POST", "/scenarios/replay", { file });
  expect(body.outcome).toBe("passed");
  expect(companiesOf(world)).toEqual(["company_sandbox"]);
});

it("a failed step shows its first 100 differences, with short paths", async () => {
  const { control } = openWorld();
  const nested = (value: unknown): unknown =>
    Array.from({ length: 40 }).reduce<unknown>((inner) => ({ ["a".repeat(1_000)]: inner }), value);
  const members = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`member${at}`, 1]));
  const { body } = await control("POST", "/scenarios/replay", {
    given: { rules: [{ on: "request", then: { status: 200, body: nested({}) } }] },
    steps: [{ request: "GET /v1/balance", expect: { body: nested(members) } }],
  });
  const { message, mismatches, text } = body.failure;
  expect(message).toBe("The answer is not what was expected (the first 100 of 2000 differences)");
  expect(mismatches).toHaveLength(100);
  expect(Math.max(...mismatches.map(({ path }: { path: string }) => path.length))).toBeLessThan(2_100);
  expect(text.length).toBeLessThan(500_000);
});

it("redacts the rules that never fired", async () => {
  const { control } = openWorld();
  const headers = { authorization: "Bearer ${token}", "x-key": "${secretKey}" };
  const answer = await control("POST", "/scenarios/replay", {
    steps: [
      { rule: { on: "request", match: { headers }, then: { status: 503 } } },
      { request: "GET /v1/nothing", token: null, expect: { status: 404 } },
    ],
  });
  expect(answer.body.outcome).toBe("passed");
  expect(answer.text).toContain('\\"x-key\\":\\"[redacted]\\"');
  expect(answer.text).not.toMatch(/at_replay|secret_replay/);
});
