import { expect, it } from "vitest";
import { BODY_IS_CUT, type HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { LiveComparison, type LiveComparisonOptions } from "../../src/calibration/proxy/live-comparison.js";
import { describeDrift } from "../../src/calibration/report/reporters.js";
import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import type { ProfileInput, Sandbox } from "../../src/index.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { recordWith, transferOf } from "../support/calibrate.js";
import { chargeRequest } from "../support/requests.js";

/** Compares the parts of the exchanges with a sandbox, one after the other. */
async function compare(...parts: readonly (readonly HttpExchange[])[]) {
  return compareWith(inProcess, parts);
}

const inProcess: LiveComparisonOptions["fetchTo"] = (core) => createInProcessFetch(() => createApp(core));

async function compareWith(fetchTo: LiveComparisonOptions["fetchTo"], parts: readonly (readonly HttpExchange[])[]) {
  const { comparison, compareAt, notes, found } = open(fetchTo);
  let index = 0;
  for (const part of parts) {
    for (const exchange of part) comparison.add(exchange, index++);
    compareAt(Date.UTC(2026, 0, 15, 12));
  }
  await comparison.close();
  const { compared, hasFailed } = comparison;
  return { notes, found, differences: comparison.differences(), compared, hasFailed };
}

function open(fetchTo: LiveComparisonOptions["fetchTo"] = inProcess) {
  const notes: string[] = [];
  const found: string[] = [];
  let now = Date.UTC(2026, 0, 15, 12);
  let compareNow = (): void => undefined;
  const comparison = new LiveComparison({
    profile: {},
    secretKey: undefined,
    comparesWebhooks: true,
    system: {
      ...systemClock,
      now: () => now,
      after(_, task) {
        compareNow = task;
        return () => undefined;
      },
    },
    fetchTo,
    onDifference: (drift) => void found.push(describeDrift(drift)),
    onNote: (note) => void notes.push(note),
  });
  const compareAt = (at: number): void => {
    now = at;
    compareNow();
  };
  return { comparison, compareAt, notes, found };
}

async function sell(sandbox: Sandbox): Promise<void> {
  await sandbox.fetch("/v1/balance");
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
  const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeRequest() });
  const { id } = await created.json();
  await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  await sandbox.fetch(`/v1/charges/${id}`);
  await sandbox.fetch("/v1/transactions/customers/check?msisdn=%2B2250712345678");
  await sandbox.fetch("/v1/balance");
}

const record = (profile: ProfileInput = {}): Promise<HttpExchange[]> => recordWith(profile, sell);

it("finds nothing in the traffic of a sandbox with the same settings, whole or in parts", async () => {
  const recorded = await record();
  expect(await compare(recorded)).toMatchObject({ found: [], notes: [], compared: recorded.length });
  expect(await compare(...recorded.map((exchange) => [exchange]))).toMatchObject({
    found: [],
    compared: recorded.length,
  });
});

it("reports each difference once, with the request in which it was seen first, and counts the others", async () => {
  const recorded = await record({ http: { createdStatus: 200 } });
  const { found, differences } = await compare(recorded.slice(0, 2), recorded.slice(2));
  expect(found).toEqual([
    "the status is 200, not 201. In 1 of 1, first in #1 POST /v1/webhooks.",
    "the status is 200, not 201. In 1 of 1, first in #2 POST /v1/charges.",
  ]);
  expect(differences).toMatchObject([
    { count: 1, of: 1 },
    { count: 1, of: 1 },
  ]);
});

it("infers earlier customers, balance and subscriptions, and says what it does not compare", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    sandbox.customers.set("+2250712345678", { firstName: "Awa", lastName: "Koné", kycStatus: "complete" });
    sandbox.setBalance(5_000);
    await sell(sandbox);
  });
  const later = recorded.filter(({ url, method }) => !(url.endsWith("/v1/webhooks") && method === "POST"));
  expect(later).toHaveLength(recorded.length - 1);
  expect((await compare(later)).found).toEqual([]);
  const withoutCharge = later.filter(({ url }) => !url.endsWith("/v1/charges"));
  const { found, notes } = await compare(withoutCharge);
  expect(found).toEqual([]);
  expect(notes).toEqual([
    expect.stringMatching(
      /^POST \/v1\/charges\/:id\/pay of \S+ is not compared: the recording does not show how it was made\.$/,
    ),
    expect.stringMatching(/^GET \/v1\/charges\/:id of \S+ is not compared/),
    expect.stringMatching(/^Webhooks about \S+ are not compared: it was made before the recording\.$/),
  ]);
});

it("lists a webhook that did not come when the recording ends", async () => {
  const recorded = await record();
  const webhooks = recorded.filter(({ url }) => url.endsWith("/hooks"));
  expect(webhooks).toHaveLength(1);
  const { found } = await compare(recorded.filter((exchange) => !webhooks.includes(exchange)));
  expect(found).toEqual([expect.stringContaining("only the sandbox has the webhook:")]);
});

it("compares one company, and no exchange whose body was cut", async () => {
  const recorded = await record();
  const others = recorded.map((exchange) => ({
    ...exchange,
    headers: exchange.headers.map(([name, value]) => [name, value === "company_sandbox" ? "other" : value] as const),
  }));
  const { notes, found } = await compare([...recorded, ...others.filter(({ url }) => url.endsWith("/v1/charges"))]);
  expect([notes, found]).toEqual([["Only the first company is compared: start a proxy for each."], []]);
  const cut = recorded.map((exchange) => ({ ...exchange, comment: BODY_IS_CUT }));
  expect(await compare(cut)).toMatchObject({ compared: 0, found: [] });
});

it("counts neither requests without an answer nor requests outside the API", async () => {
  const recorded = await record();
  const unanswered = { ...recorded[0]!, answer: undefined };
  expect(await compare([unanswered])).toMatchObject({ found: [], compared: 0 });
  const traced = { ...recorded[0]!, method: "TRACE" };
  expect(await compare([traced, ...recorded])).toMatchObject({ found: [], notes: [], compared: recorded.length });
});

it("says that it has stopped when the sandbox fails", async () => {
  const failing = () => () => Promise.reject(new Error("no room"));
  expect(await compareWith(failing, [await record()])).toMatchObject({
    notes: ["The comparison has stopped: no room"],
    compared: 0,
    hasFailed: true,
  });
});

it("leaves out what exceeds its limits, and says so once", async () => {
  const [balance] = await record();
  const big = { ...balance!, url: "https://staging.test/assets", body: Buffer.alloc(20 * 1024 * 1024) };
  const { notes, compared } = await compare([balance!, big, big, big]);
  expect([notes, compared]).toEqual([["There is more traffic than can be compared."], 1]);
});

it("sends overlapping requests to the sandbox in the order in which the service handled them", async () => {
  let id = "";
  const pay = (reference: string) => async (sandbox: Sandbox) => {
    const made = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf(reference) });
    ({ id } = await made.json());
  };
  const recorded = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/charges", { json: chargeRequest() });
    await sandbox.clock.advance(200);
    await pay("salary-1")(sandbox);
    await sandbox.clock.advance(100);
    await sandbox.fetch("/v1/charges", { json: chargeRequest() });
    await sandbox.clock.advance(1_905);
    await sandbox.fetch(`/v1/transactions/${id}`);
  });
  const [first, paid, other, read] = recorded as [HttpExchange, HttpExchange, HttpExchange, HttpExchange];
  const { comparison, compareAt, found } = open();
  comparison.add(first, 0);
  comparison.add(other, 1);
  compareAt(first.startedAt + 1_003);
  await systemClock.yieldToEventLoop();
  // Its answer took 900 ms.
  comparison.add({ ...paid, ms: 900 }, 2);
  comparison.add(read, 3);
  await comparison.close();
  expect(found).toEqual([]);
});

it("does not fail when nothing is left to compare after its end", async () => {
  const { comparison, compareAt, notes } = open();
  for (const [index, exchange] of (await record()).entries()) comparison.add(exchange, index);
  await comparison.close();
  compareAt(Date.UTC(2026, 0, 15, 13));
  await comparison.close();
  expect([comparison.hasFailed, notes]).toEqual([false, []]);
});

it("keeps 1 000 kinds of differences, and says that there are more", async () => {
  const [balance] = await record();
  const withMembers = (first: number): HttpExchange => {
    const members = Array.from({ length: 600 }, (_, index) => [`member${first + index}`, 1] as const);
    const body = Buffer.from(JSON.stringify({ balance: 1, ...Object.fromEntries(members) }));
    return { ...balance!, answer: { ...balance!.answer!, body } };
  };
  const { differences, found, notes, hasFailed } = await compare([
    withMembers(0),
    withMembers(600),
    withMembers(1_200),
  ]);
  expect([differences.length, found.length, hasFailed]).toEqual([1_000, 1_000, false]);
  expect(notes).toEqual(["There are more than 1000 kinds of differences: further kinds are not listed."]);
});
