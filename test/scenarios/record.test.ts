import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { resolveOptions } from "../../src/sandbox/config/options.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { longestStop } from "../support/loop-stops.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { type RecordedSandbox, recordedSandbox, replayRecording } from "../support/recording.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});

function open(...given: Parameters<typeof recordedSandbox>): RecordedSandbox {
  const opened = recordedSandbox(...given);
  onTestFinished(opened.close);
  return opened;
}

/** Returns the text of a recording, after checking that its replay passes. */
async function recordingOf({ control, recorder }: RecordedSandbox): Promise<string> {
  await control("POST", "/settle");
  expect(recorder.problems()).toEqual([]);
  const text = recorder.render();
  expect(await replayRecording(text)).toBeUndefined();
  return text;
}

/** A charge that was created. */
async function createCharge({ api }: RecordedSandbox, change: Record<string, unknown> = {}): Promise<string> {
  return String((await api("POST", "/v1/charges", chargeRequest(change))).body["id"]);
}

describe("a recording", () => {
  it("has requests, time and webhooks", async () => {
    const session = open();
    const { api, control, recorder } = session;
    const order = { description: "Costs ${nothing}, says $5", metadata: { $gt: 1, id: "mine" } };
    await api("POST", "/v1/webhooks", { topic: "charge/events", url: receiver.url });
    await api("POST", "/v1/webhooks", { topic: "transactions/completed", url: receiver.url });
    const page = await api("GET", "/v1/webhooks?limit=1");
    const { next } = page.body["cursor"] as { next: string };
    await api("GET", `/v1/webhooks?limit=1&cursor=${next}`);
    const charge = await createCharge(session, { ...order, externalId: "order-1" });
    await api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    await api("POST", "/v1/charges", { amount: -1 });
    await api("POST", `/v1/charges/${charge}/pay`);
    await api("POST", `/v1/charges/${charge}/refund`, { amount: 4000 });
    const transfer = await api("POST", "/v1/transactions", transferRequest());
    const dropped = await createCharge(session);
    await control("POST", "/clock/advance", { by: "1h" });
    await api("GET", `/v1/charges/${dropped}`);
    await api("GET", `/v1/transactions/${String(transfer.body["id"])}`);
    await api("GET", "/v1/balance", undefined, { headers: { authorization: "Bearer nobody" } });
    await api("GET", "/v1/charges/unknown");
    const text = await recordingOf(session);
    expect(recorder.size).toBe(15);
    expect(text).toMatch(/advance: 2s[^]*advance: 59m58s/);
    expect(text).toContain("url: ${receiver}");
    expect(text).toContain("request: POST /v1/charges/${charge}/pay");
    expect(text.match(/ webhook:/g)).toHaveLength(4);
    expect(text).not.toContain(charge);
    expect(text).not.toContain("at_sandbox");
    expect(text).not.toContain("secret_sandbox");
    expect(await replayRecording(text.replace("refunded: 4000", "refunded: 4001"))).toContain("expected 4001");
  });

  it("has requests with the id of a transfer in the form that webhooks show", async () => {
    const session = open();
    const { api } = session;
    const { body } = await api("POST", "/v1/transactions", transferRequest());
    const plain = String(body["id"]).replace("txn_", "");
    expect((await api("GET", `/v1/transactions/${plain}`)).status).toBe(200);
    await createCharge(session, { metadata: { transaction: plain } });
    expect(await recordingOf(session)).not.toContain(plain);
  });

  it("has the last advance too, with the webhooks that it causes", async () => {
    const session = open();
    await session.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await createCharge(session);
    await session.control("POST", "/clock/advance", { by: "2h" });
    expect(await recordingOf(session)).toMatch(/advance: 1h\n[^]*status: dropped[^]*advance: 1h\n$/);
  });

  it("has rules, also those from the beginning, and the answers that they change or lose", async () => {
    const limited = { on: "request", match: { path: "/v1/balance" }, then: { status: 503 }, times: 2 };
    const session = open();
    const { api, control } = session;
    await control("POST", "/rules", limited);
    const { body } = await control("POST", "/rules", {
      name: "lost",
      on: "request",
      match: { path: "/v1/charges", headers: { "x-try": "1" } },
      then: { fault: "reset", commit: true },
    });
    await api("GET", "/v1/balance");
    await api("POST", "/v1/charges", chargeRequest({ externalId: "lost" }), { headers: { "x-try": "1" } });
    await api("POST", "/v1/charges", chargeRequest({ externalId: "lost" }));
    await control("DELETE", `/rules/${String(body["id"])}`);
    await api("POST", "/v1/charges", chargeRequest({ externalId: "last" }), { headers: { "x-try": "1" } });
    await control("POST", "/rules", { on: "payment", then: { outcome: "failed", error: "no_funds" } });
    const [lost] = session.sandbox.defaultCompany.world.charges.values();
    await api("POST", `/v1/charges/${String(lost?.id)}/pay`);
    await control("DELETE", "/rules");
    const text = await recordingOf(session);
    expect(text).toContain("lost: true");
    expect(text).toContain("error: no_funds");
    expect(text).toContain("DELETE /_sandbox/rules/${rule");
  });

  it("has the ids of what a request made, although a rule lost or replaced its answer", async () => {
    const session = open();
    const { api, control, sandbox } = session;
    const read = async (): Promise<void> => {
      const { charges, transfers } = sandbox.defaultCompany.world;
      for (const { id } of charges.values()) expect((await api("GET", `/v1/charges/${id}`)).status).toBe(200);
      for (const { id } of transfers.values()) expect((await api("GET", `/v1/transactions/${id}`)).status).toBe(200);
    };
    for (const then of [{ fault: "reset" }, { status: 503 }]) {
      await control("POST", "/rules", { on: "request", match: { method: "POST" }, then: { ...then, commit: true } });
      await api("POST", "/v1/transactions/batch", { transactions: [transferRequest(), transferRequest()] });
      await api("POST", "/v1/transactions", transferRequest());
      await api("POST", "/v1/charges", chargeRequest());
      await read();
    }
    expect(sandbox.defaultCompany.world.transfers.values()).toHaveLength(6);
    await recordingOf(session);
  });

  it("begins with the rules in force, and has them after a reset", async () => {
    const { sandbox } = open();
    const { defaults } = sandbox.options;
    const rule = {
      name: null,
      on: "request",
      match: { path: "/v1/balance" },
      then: { status: 503 },
      times: 1,
    } as const;
    const session = open({
      companies: [{ ...sandbox.options.companies[0]!, frozenAt: defaults.frozenAt, rules: [rule] }],
    });
    await session.api("GET", "/v1/balance");
    await session.api("GET", "/v1/balance");
    await session.control("POST", "/reset");
    await session.api("GET", "/v1/balance");
    expect(await recordingOf(session)).toMatch(/given:[^]*rules:[^]*steps:/);
  });

  it("has what a seeded session makes after a reset, under the same ids as before", async () => {
    const session = open({ seed: 1 });
    const { api, control } = session;
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const made = new Set<string>();
    for (const reset of ["/reset", "/snapshots/clean", "/reset"]) {
      await control("POST", "/snapshots/clean");
      await control(reset === "/reset" ? "POST" : "PUT", reset);
      const charge = await createCharge(session, { externalId: "order-1" });
      const { body } = await api("POST", "/v1/transactions", transferRequest());
      const rule = await control("POST", "/rules", { on: "payment", then: { outcome: "paid" } });
      await api("POST", `/v1/charges/${charge}/pay`);
      await api("GET", `/v1/transactions/${String(body["id"]).replace("txn_", "")}`);
      await control("DELETE", `/rules/${String(rule.body["id"])}`);
      made.add(charge);
    }
    expect(made.size).toBeLessThan(3);
    await recordingOf(session);
  });

  it("has customer checks of a seeded session, whose names a replay does not draw", async () => {
    const session = open({ seed: 1 });
    await session.control("PATCH", "/profile", { customers: { unlisted: "generated" } });
    const { body } = await session.api("GET", "/v1/transactions/customers/check?msisdn=%2B2250700000099");
    const text = await recordingOf(session);
    expect(text).toContain("kycStatus: complete");
    expect(text).not.toContain(String(body["lastName"]));
  });

  it("has the webhooks of a subscription whose URL holds a token", async () => {
    const session = open();
    await session.api("POST", "/v1/webhooks", { topic: "charges/events", url: `${receiver.url}?token=at_sandbox` });
    await session.api("POST", `/v1/charges/${await createCharge(session)}/pay`);
    const text = await recordingOf(session);
    expect(text).toContain("- webhook:");
    expect(text).not.toContain("at_sandbox");
  });

  it("has control calls in their order, whatever the clock shows", async () => {
    const session = open();
    const { api, control } = session;
    await control("PUT", "/balance", { balance: 6000 });
    await control("PUT", "/customers/+2250700000099", { firstName: "Aya", lastName: "Kouame" });
    await api("GET", "/v1/transactions/customers/check?msisdn=%2B2250700000099");
    await control("PATCH", "/profile", { transfers: { settlement: "manual" } });
    const transfer = await api("POST", "/v1/transactions", transferRequest());
    await control("POST", `/transactions/${String(transfer.body["id"])}/fail`, { reason: "too late" });
    await control("POST", "/clock/advance", { by: "1d" });
    await control("POST", "/snapshots/paid");
    const charge = await createCharge(session, { externalId: "again" });
    await control("POST", `/charges/${charge}/drop`);
    await control("PUT", "/snapshots/paid");
    await createCharge(session, { externalId: "again" });
    await control("POST", "/reset");
    await createCharge(session, { externalId: "again" });
    await api("GET", "/v1/balance");
    await control("POST", "/reset?company=*");
    await createCharge(session, { externalId: "again" });
    const text = await recordingOf(session);
    expect(text.match(/externalId: again\n {6}description/g)).toHaveLength(4);
    expect(text).toContain("failureReason: too late");
  });

  it("has a state that was put in, with earlier identifiers still in use", async () => {
    const session = open();
    await session.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const charge = await createCharge(session);
    const state = await session.control("GET", "/state");
    await session.control("POST", "/clock/advance", { by: "3h" });
    await session.control("PUT", "/state", state.body);
    await session.api("POST", `/v1/charges/${charge}/pay`);
    expect(await recordingOf(session)).toContain("request: PUT /_sandbox/state");
  });

  it("has payments on the payment page", async () => {
    const session = open();
    await session.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const charge = await createCharge(session);
    expect((await session.form(charge, { action: "cancel" })).status).toBe(303);
    expect((await session.form(charge, { action: "pay", msisdn: "+2250700000002" })).status).toBe(303);
    expect((await session.form(charge, { action: "pay", msisdn: "+225 07 00 00 00 01" })).status).toBe(303);
    await session.api("GET", `/v1/charges/${charge}`);
    const text = await recordingOf(session);
    expect(text).toContain("POST /_sandbox/charges/${charge}/cancel");
    expect(text).toMatch(/POST \/_sandbox\/charges\/\$\{charge\}\/pay[^]*attempts: 1[^]*status: paid/);
  });

  it("has other companies, with their initial records and their webhooks", async () => {
    const session = open();
    const { api, control } = session;
    const other = { company: "shop.2" };
    const profile = { transfers: { settlement: "manual" } };
    await control("POST", "/companies", { companyId: "company_shop.2", balance: 70, profile, clock: "frozen" });
    await api("GET", "/v1/balance", undefined, other);
    await api("GET", "/v1/balance", undefined, { company: "unseen" });
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url }, other);
    await api("POST", "/v1/charges", chargeRequest(), other);
    await control("POST", "/clock/advance", { by: "1h" }, "shop.2");
    await control("POST", "/rules", { on: "request", then: { status: 500, body: { no: 1 } }, times: 1 }, "shop.2");
    await api("GET", "/v1/balance", undefined, other);
    await control("POST", "/reset", undefined, "shop.2");
    await api("GET", "/v1/balance", undefined, other);
    await api("GET", "/v1/balance", undefined, { ...other, headers: { "x-company-id": "company_sandbox" } });
    await control("DELETE", "/companies/company_shop.2");
    await api("GET", "/v1/balance", undefined, other);
    const text = await recordingOf(session);
    expect(text).toContain("as: shop.2");
    expect(text).toContain("as: unseen");
    expect(text.match(/PUT \/_sandbox\/balance/g)).toHaveLength(2);
    expect(text).toMatch(/webhook:[^]*status: dropped/);
  });

  it("has the settings of another company without those of the first", async () => {
    const { companies } = resolveOptions();
    const [first = expect.fail()] = companies;
    const profile = { errors: { shape: "message" as const }, transfers: { settlement: "manual" as const, min: 10 } };
    const session = open({ companies: [{ ...first, profile }] });
    await session.control("POST", "/companies", { companyId: "company_shop", profile: { transfers: { min: 20 } } });
    for (const company of ["sandbox", "shop"]) {
      await session.api("GET", "/v1/charges/unknown", undefined, { company });
      const { id } = (await session.api("POST", "/v1/transactions", transferRequest(), { company })).body;
      await session.control("POST", "/clock/advance", { by: "1h" }, company);
      await session.api("GET", `/v1/transactions/${String(id)}`, undefined, { company });
    }
    await recordingOf(session);
  });

  it("has the time of another company from when it was opened or reset", async () => {
    const session = open();
    const { control } = session;
    const shop = {
      ...session,
      api: (...[method, path, body]: Parameters<typeof session.api>) =>
        session.api(method, path, body, { company: "shop" }),
    };
    await control("POST", "/companies", { companyId: "company_shop", clock: "2025-01-15T09:00:00Z" });
    const expire = async (): Promise<void> => {
      const charge = await createCharge(shop);
      await control("POST", "/clock/advance", { by: "1h" }, "shop");
      await shop.api("GET", `/v1/charges/${charge}`);
    };
    await expire();
    await control("POST", "/reset", undefined, "shop");
    await expire();
    expect((await recordingOf(session)).match(/status: dropped/g)).toHaveLength(2);
  });

  it("has subscriptions of several URLs, webhooks sent again, and none that a rule has changed", async () => {
    const session = open();
    const { api, control, sandbox } = session;
    await control("PATCH", "/profile", { webhooks: { duplicateSubscription: "conflict" } });
    for (const path of ["/a", "/b", "/a"])
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.origin + path });
    const charge = await createCharge(session);
    await api("POST", `/v1/charges/${charge}/pay`);
    await control("POST", "/settle");
    const [delivery] = sandbox.defaultCompany.world.deliveries.values();
    await control("POST", `/deliveries/${String(delivery?.id)}/redeliver`);
    await control("POST", "/rules", { on: "delivery", then: { drop: true } });
    const unsent = await createCharge(session);
    await api("POST", `/v1/charges/${unsent}/pay`);
    const text = await recordingOf(session);
    expect(text).toContain("url: ${receiver}?2");
    expect(text).toMatch(/count: 3\n/);
    expect(text.match(/ webhook:/g)).toHaveLength(2);
  });

  it("has events that were sent on demand, and their effects", async () => {
    const session = open();
    const { api, control } = session;
    for (const topic of ["charges/events", "transactions/completed"])
      await api("POST", "/v1/webhooks", { topic, url: receiver.url });
    for (const topic of ["charges/events", "transactions/started", "transactions/completed", "transactions/failed"]) {
      const id = String((await control("POST", "/events", { topic })).body["resource"]);
      await api("GET", `/v1/${topic === "charges/events" ? "charges" : "transactions"}/${id}`);
    }
    const text = await recordingOf(session);
    expect(text).not.toMatch(/: test-/);
    expect(text.match(/ webhook:/g)).toHaveLength(2);
  });

  it("has requests with bodies, tokens and headers that are wrong", async () => {
    const session = open();
    const { api, recorder } = session;
    await api("POST", "/v1/charges", '{"amount":', { headers: { "content-type": "application/json" } });
    await api("POST", "/v1/charges", "amount=1", { headers: { "content-type": "text/plain" } });
    await api("POST", "/v1/charges", chargeRequest(), { headers: { "x-company-id": null } });
    await api("POST", "/v1/charges", chargeRequest(), { headers: { "x-company-id": "company_nobody" } });
    await api("GET", "/v1/balance", undefined, { headers: { authorization: null } });
    await api("GET", "/v1/balance", undefined, { headers: { authorization: "Basic YTpi" } });
    await api("GET", "/v1/nothing");
    await api("PUT", "/v1/balance");
    await recordingOf(session);
    expect(recorder.size).toBe(8);
  });

  it("of a running clock has the time between requests", async () => {
    const session = open({ defaults: resolveOptions().defaults, companies: resolveOptions().companies });
    const { api, control } = session;
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await createCharge(session, { externalId: "first" });
    await control("POST", "/clock/advance", { by: "59m59s" });
    await createCharge(session, { externalId: "second" });
    await control("POST", "/clock/advance", { by: "2s" });
    await control("POST", "/snapshots/one");
    await control("PUT", "/clock", { mode: "frozen" });
    await control("POST", "/reset");
    await api("GET", "/v1/balance");
    await control("PUT", "/snapshots/one");
    await api("GET", "/v1/balance");
    const text = await recordingOf(session);
    expect(text).toMatch(/advance: 59m59[^]*externalId: first\n {8}status: dropped/);
  });

  it("of a running clock has what falls due after a snapshot was restored, or a reset", async () => {
    let now = systemClock.now();
    const running = { defaults: resolveOptions().defaults, companies: resolveOptions().companies };
    // Time passes between any two looks at the clock.
    const session = open(running, undefined, { system: { ...systemClock, now: () => ++now } });
    const { api, control, sandbox } = session;
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await createCharge(session);
    await control("POST", "/snapshots/one");
    await control("PUT", "/snapshots/one");
    await control("POST", "/clock/advance", { toNext: true });
    expect(await recordingOf(session)).toMatch(/ webhook:[^]*status: dropped/);
    const { openedAt, world } = sandbox.reset(sandbox.defaultCompany);
    expect(world.ledger.values()[0]?.at).toBe(openedAt);
  });

  it("of a frozen clock stays there at requests with an unknown token, also with tenancy", async () => {
    const session = open({ tenancy: true });
    const charge = await createCharge(session);
    await session.api("GET", "/v1/balance", undefined, { headers: { authorization: "Bearer nobody" } });
    await session.api("GET", `/v1/charges/${charge}`);
    expect(await recordingOf(session)).not.toContain("advance");
  });

  it("leaves out the replays of scenarios", async () => {
    const session = open();
    const { createReplayer } = await import("../../src/scenarios/replayer.js");
    const { createApp } = await import("../../src/http/server/app.js");
    const { sandbox } = session;
    const replayer = createReplayer({
      sandbox,
      fetch: (request) => createApp(sandbox).fetch(request),
      folder: ".",
      env: {},
    });
    await replayer.replay({ steps: [{ request: "GET /v1/balance" }] }, new AbortController().signal);
    await replayer.close();
    expect(session.recorder.size).toBe(0);
    await recordingOf(session);
  });
});

it("leaves out requests whose bodies could not be read, and says how many", async () => {
  const session = open();
  await createCharge(session);
  const headers = { "content-type": "application/json" };
  await session.api("POST", "/v1/charges", "x".repeat(1_100_000), { headers });
  await session.api("POST", "/v1/charges", new Uint8Array([0x22, 0xff, 0x22]), { headers });
  await createCharge(session);
  expect(session.recorder.size).toBe(2);
  expect(await recordingOf(session)).toContain("2 request(s) are left out, because their bodies could not be read.");
});

it("keeps the beginning of a session with more companies than a scenario may have", async () => {
  const session = open();
  for (let index = 1; index <= 102; index++)
    await session.api("GET", "/v1/balance", undefined, { company: `test${index}` });
  await session.api("GET", "/v1/balance");
  const text = await recordingOf(session);
  expect(text).toContain("It has reached its limit: the last 3 request(s) are left out.");
  expect(text).toContain("as: test100\n");
});

it("says what a scenario cannot repeat", async () => {
  const { control, recorder } = open();
  await control("DELETE", "/companies/company_sandbox");
  expect(recorder.problems()).toEqual([
    "DELETE /_sandbox/companies/company_sandbox: it removes the company that is recorded. Reset it instead.",
  ]);
});

it("secrets are redacted everywhere in a recording", async () => {
  const session = open({ adminToken: "admin-s3cret" });
  const { api, recorder, sandbox } = session;
  await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  const metadata = { at_sandbox: ["secret_sandbox"], "admin-s3cret": 1 };
  const made = await createCharge(session, { externalId: "ref-secret_sandbox", metadata });
  await api("POST", `/v1/charges/${made}/pay`);
  await api("GET", "/v1/charges/secret_sandbox?token=at_sandbox");
  await api("POST", "/v1/charges", '{"secret_sandbox', { headers: { "content-type": "application/json" } });
  const text = recorder.render();
  expect(sandbox.defaultCompany.world.deliveries.size).toBe(1);
  expect(text).not.toMatch(/at_sandbox|secret_sandbox|admin-s3cret/);
  expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThan(4);
});

it.each([
  ["malformed", "s3cret-key-1"],
  ["malformed only because of it", '{"externalId": "an-s3cret-key-"-1"}', 's3cret-key-"-1'],
  ["refused for a field", { ...chargeRequest(), amount: "s3cret-key-1" }],
  ["refused as a conflict", { ...chargeRequest(), externalId: "s3cret-key-1" }],
])(
  "a request that is %s and holds a secret is left out, and the rest is recorded",
  async (_, body, secretKey = "s3cret-key-1") => {
    const session = open();
    const { api, control, recorder } = session;
    await createCharge(session, { externalId: "s3cret-key-1" });
    expect((await api("POST", "/v1/charges", body)).status).toBeGreaterThanOrEqual(400);
    await createCharge(session, { externalId: "after" });
    await control("POST", "/companies/company_sandbox/rotate", { secretKey });
    const text = await recordingOf(session);
    expect(recorder.size).toBe(2);
    expect(text).toContain("1 request(s) are left out, because they were refused and hold secrets.");
    expect(text).toContain("externalId: after");
    expect(text).not.toContain(secretKey);
  },
);

it.each([
  ["requests", { limits: { ...DEFAULT_LIMITS, recordedRequests: 3 } }, undefined, 3],
  ["bytes", {}, 23_000, 3],
])("a recording holds no more than its limit of %s, and says what it left out", async (_, limits, bytes, kept) => {
  const session = open(limits, bytes);
  for (let made = 0; made < 8; made++) await createCharge(session, { metadata: { text: "x".repeat(3_000) } });
  expect(session.recorder.size).toBe(kept);
  expect(await recordingOf(session)).toContain(`the last ${8 - kept} request(s) are left out`);
});

it("a recording counts the identifiers of the deliveries that a redelivery looks up", async () => {
  const { api, control, recorder } = open({}, 20_000);
  for (let made = 0; made < 10; made++)
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: `${receiver.url}/${made}` });
  await control("POST", "/events", { topic: "charges/events" });
  await control("POST", "/settle");
  const deliveries = (await control("GET", "/deliveries")).body["data"] as readonly { readonly id: string }[];
  expect(recorder.notes()).toEqual([]);
  for (let made = 0; made < 30; made++) {
    await control("POST", `/deliveries/${deliveries[0]?.id}/redeliver`);
    await control("POST", "/settle");
  }
  expect(recorder.notes()).toEqual([expect.stringContaining("It has reached its limit")]);
});

it("a recording does not expect bodies that a scenario may not have", async () => {
  const session = open();
  const { api } = session;
  await api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  const transactions = Array.from({ length: 500 }, () => transferRequest());
  expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  const charge = await createCharge(session, { metadata: { receipt: "x".repeat(120_000) } });
  await api("POST", `/v1/charges/${charge}/pay`);
  const text = await recordingOf(session);
  expect(text.match(/status: 20[01]$/gm)).toHaveLength(4);
  expect(text.match(/ webhook:/g)).toHaveLength(1);
}, 60_000);

it("a recording counts the names of the headers that its rules match", async () => {
  const { control, recorder } = open({}, 20_000);
  for (let made = 0; made < 13; made++) {
    const headers = { [`x-${made}${"x".repeat(1_000)}`]: "x" };
    await control("POST", "/rules", { on: "request", match: { headers }, then: { status: 500 } });
    await control("DELETE", "/rules");
  }
  expect(recorder.notes()).toEqual([expect.stringContaining("It has reached its limit")]);
});

it.each([".", "a.", "~", '"', "${", "-", "\\", "a b"])(
  "a recording of a long text of %j is written quickly",
  async (piece) => {
    const session = open();
    await createCharge(session, { metadata: { text: piece.repeat(30_000) } });
    expect(await longestStop(async () => void session.recorder.render())).toBeLessThan(500);
  },
);
