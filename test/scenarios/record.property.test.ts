import { describe, expect, it } from "vitest";
import fc, { runs } from "../support/fast-check.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { type RecordedSandbox, recordedSandbox, replayRecording } from "../support/recording.js";

/** What a session has made so far; actions choose from it. */
interface Made {
  readonly charges: string[];
  readonly transfers: string[];
  readonly webhooks: string[];
  readonly rules: string[];
  readonly states: unknown[];
}

interface Stage extends RecordedSandbox {
  readonly receiver: Receiver;
  readonly made: Made;
  readonly company: string;
}

type Action = (stage: Stage) => Promise<unknown>;

const number = fc.nat({ max: 5 });
const msisdns = ["+2250700000001", "+2250700000002", "+2250700000003", "+2250700000004", "+2250799999999", "12"];
const msisdn = fc.constantFrom(...msisdns);
const amount = fc.constantFrom(5_000, 5_001, 7_777, 60_000, 500_001, -1, 1.5);

function pick(list: readonly string[], index: number): string {
  return list[index % Math.max(1, list.length)] ?? "b2c1a7f0-0000-4000-8000-000000000000";
}

function note(list: string[], { body }: { readonly body: Readonly<Record<string, unknown>> }): void {
  if (typeof body["id"] === "string") list.push(body["id"]);
}

const createCharge = fc.record({ index: number, amount, odd: fc.boolean() }).map(({ index, amount, odd }): Action => {
  const urls = { onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
  const metadata = odd ? { $in: ["${charge}", index], id: "mine", "a.b": null } : {};
  const body = { amount, externalId: `order-${index}`, description: "Shoes ${x} $5", metadata, ...urls };
  return async ({ api, made, company }) => note(made.charges, await api("POST", "/v1/charges", body, { company }));
});

const onCharge = fc
  .record({ index: number, what: fc.constantFrom("pay", "refund", "read"), msisdn, amount: fc.option(amount) })
  .map(({ index, what, msisdn, amount }): Action => {
    return ({ api, made, company }) => {
      const path = `/v1/charges/${pick(made.charges, index)}`;
      if (what === "read") return api("GET", path, undefined, { company });
      const body = what === "pay" ? { msisdn } : amount === null ? undefined : { amount };
      return api("POST", `${path}/${what}`, body, { company });
    };
  });

const createTransfer = fc.record({ index: number, amount, msisdn }).map(({ index, amount, msisdn }): Action => {
  const body = { amount, msisdn, reference: `payout-${index}`, type: "transfer" };
  return async ({ api, made, company }) =>
    note(made.transfers, await api("POST", "/v1/transactions", body, { company }));
});

const createBatch = fc
  .record({ index: number, parts: fc.array(fc.record({ amount, msisdn }), { minLength: 1, maxLength: 3 }) })
  .map(({ index, parts }): Action => {
    const transactions = parts.map((part, at) => ({ ...part, reference: `batch-${index}-${at}`, type: "transfer" }));
    return async ({ api, made, company }) => {
      const answer = await api("POST", "/v1/transactions/batch", { transactions }, { company });
      const list = answer.body["transactions"];
      if (Array.isArray(list)) for (const body of list) note(made.transfers, { body });
    };
  });

const reads = fc
  .record({
    index: number,
    path: fc.constantFrom("balance", "webhooks?limit=2", "transactions/ID", "nothing", "check"),
  })
  .map(({ index, path }): Action => {
    return ({ api, made, company }) => {
      const check = `transactions/customers/check?msisdn=${encodeURIComponent(pick(msisdns, index))}`;
      const asked = path === "check" ? check : path.replace("ID", pick(made.transfers, index));
      return api("GET", `/v1/${asked}`, undefined, { company });
    };
  });

const topics = ["charges/events", "charge/events", "transactions/completed", "transactions/failed", "nothing"];
const subscribe = fc.record({ topic: fc.constantFrom(...topics), index: fc.nat({ max: 2 }) }).map(
  ({ topic, index }): Action =>
    async ({ api, made, company, receiver }) =>
      note(made.webhooks, await api("POST", "/v1/webhooks", { topic, url: `${receiver.url}/${index}` }, { company })),
);

const unsubscribe = number.map(
  (index): Action =>
    ({ api, made, company }) =>
      api("DELETE", `/v1/webhooks/${pick(made.webhooks, index)}`, undefined, { company }),
);

const refused = fc
  .constantFrom<readonly [string, string, unknown, Record<string, string | null>]>(
    ["POST", "/v1/charges", '{"amount":', { "content-type": "application/json" }],
    ["POST", "/v1/transactions", "amount=1", { "content-type": "text/plain" }],
    ["POST", "/v1/charges", { amount: 5_000 }, { "x-company-id": null }],
    ["POST", "/v1/charges", { amount: 5_000 }, { "x-company-id": "company_shop" }],
    ["GET", "/v1/balance", undefined, { authorization: null }],
    ["GET", "/v1/balance", undefined, { authorization: "Bearer ${nobody}" }],
    ["GET", "/v1/balance", undefined, { authorization: "Basic YTpi" }],
    ["HEAD", "/v1/balance", undefined, {}],
    ["DELETE", "/v1/balance", undefined, {}],
  )
  .map(
    ([method, path, body, headers]): Action =>
      ({ api, company }) =>
        api(method, path, body, { company, headers }),
  );

const page = fc.record({ index: number, action: fc.constantFrom("pay", "cancel"), msisdn }).map(
  ({ index, action, msisdn }): Action =>
    ({ form, made }) =>
      form(pick(made.charges, index), { action, msisdn }),
);

const rule = fc.oneof(
  fc.record({
    on: fc.constant("request"),
    match: fc.constantFrom(
      {},
      { path: "/v1/charges" },
      { path: "/v1/transactions/:id" },
      { headers: { "x-a": "1" } },
      { nth: 2 },
    ),
    then: fc.constantFrom<object>(
      { fault: "reset", commit: true },
      { fault: "hang", delay: "1ms" },
      { fault: "malformed", commit: true },
      { fault: "empty" },
      { status: 503 },
      { status: 200, body: { id: "none", $gt: 1 } },
      { status: 500, body: "text", commit: true },
      { headers: { "x-b": "1" } },
      { stale: true },
    ),
    times: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({
    on: fc.constant("payment"),
    then: fc.constantFrom<object>({ outcome: "failed", error: "no_funds" }, { outcome: "paid", after: "1m" }),
    times: fc.constant(2),
  }),
  fc.record({
    on: fc.constant("transfer"),
    then: fc.constantFrom<object>({ outcome: "failed", reason: "closed" }, { outcome: "completed", after: "3m" }),
    times: fc.constant(2),
  }),
  fc.record({
    on: fc.constant("delivery"),
    then: fc.constantFrom<object>(
      { drop: true },
      { delay: "2m" },
      { duplicate: 2 },
      { corruptSignature: true },
      { truncate: 5 },
      { reverse: true },
      { hold: "next" },
      { hold: 1, duplicate: 1 },
      { loseAnswers: 1 },
    ),
    times: fc.constant(2),
  }),
);

const addRule = rule.map(
  (body): Action =>
    async ({ control, made, company }) =>
      note(made.rules, await control("POST", "/rules", body, company)),
);

const control = fc
  .record({
    index: number,
    what: fc.constantFrom<readonly [string, string, unknown?]>(
      ["PUT", "/balance", { balance: 10_000 }],
      ["POST", "/reset"],
      ["POST", "/reset?everything"],
      ["POST", "/snapshots/one"],
      ["PUT", "/snapshots/one"],
      ["DELETE", "/snapshots/one"],
      ["PATCH", "/profile", { transfers: { settlement: "manual" } }],
      ["PATCH", "/profile", { webhooks: { topicSpelling: "singular" }, errors: { shape: "minimal" } }],
      ["PATCH", "/profile", { rateLimit: { requests: 2, per: "1m" } }],
      ["DELETE", "/rules"],
      ["DELETE", "/rules/RULE"],
      ["POST", "/charges/CHARGE/drop", { reason: "sold out" }],
      ["POST", "/charges/CHARGE/refund"],
      ["POST", "/transactions/TRANSFER/complete"],
      ["POST", "/transactions/TRANSFER/fail"],
      ["PUT", "/customers/+2250799999999", { firstName: "Aya", lastName: "K", kycStatus: "incomplete" }],
      ["POST", "/deliveries/DELIVERY/redeliver"],
      ["POST", "/companies/COMPANY/rotate", { accessToken: "at_new", overlap: "1h" }],
    ),
  })
  .map(({ index, what: [method, path, body] }): Action => {
    return (stage) => {
      const { made, company, sandbox } = stage;
      if (path === "/reset?everything") return stage.control("POST", "/reset?company=*");
      const deliveries = sandbox.findCompany(`company_${company}`)?.world.deliveries.values() ?? [];
      const named = path
        .replace("RULE", pick(made.rules, index))
        .replace("CHARGE", pick(made.charges, index))
        .replace("TRANSFER", pick(made.transfers, index))
        .replace("COMPANY", `company_${company}`)
        .replace(
          "DELIVERY",
          pick(
            deliveries.map(({ id }) => id),
            index,
          ),
        );
      const selected = path.startsWith("/companies") ? undefined : company;
      return stage.control(method, named, body, selected);
    };
  });

const clock = fc.constantFrom<object>({ by: "1ms" }, { by: "90s" }, { by: "61m" }, { toNext: true }).map(
  (body): Action =>
    ({ control, company }) =>
      control("POST", "/clock/advance", body, company),
);

/** Puts in the state that another time had. */
const state = fc.boolean().map((isNew): Action => async ({ control, made, company }) => {
  if (isNew || made.states.length === 0) made.states.push((await control("GET", "/state", undefined, company)).body);
  else await control("PUT", "/state", made.states.pop(), company);
});

const settle: Action = ({ control, company }) => control("POST", "/settle", undefined, company);

const actions = fc.oneof(
  { weight: 6, arbitrary: createCharge },
  { weight: 6, arbitrary: onCharge },
  { weight: 5, arbitrary: createTransfer },
  { weight: 2, arbitrary: createBatch },
  { weight: 3, arbitrary: reads },
  { weight: 4, arbitrary: subscribe },
  { weight: 1, arbitrary: unsubscribe },
  { weight: 2, arbitrary: refused },
  { weight: 3, arbitrary: page },
  { weight: 3, arbitrary: addRule },
  { weight: 6, arbitrary: control },
  { weight: 4, arbitrary: clock },
  { weight: 1, arbitrary: state },
  { weight: 1, arbitrary: fc.constant(settle) },
);

const sessions = fc.array(fc.tuple(actions, fc.constantFrom("sandbox", "sandbox", "sandbox", "shop")), {
  minLength: 1,
  maxLength: 30,
  size: "max",
});

describe("a recorded file", () => {
  it("passes when replayed, whatever the session did", async () => {
    const receiver = await startReceiver();
    await fc.assert(
      fc.asyncProperty(sessions, fc.constantFrom(200, 200, 500), async (session, status) => {
        receiver.reply({ status });
        const recorded = recordedSandbox();
        const made: Made = { charges: [], transfers: [], webhooks: [], rules: [], states: [] };
        for (const [act, company] of session) await act({ ...recorded, receiver, made, company });
        await settle({ ...recorded, receiver, made, company: "sandbox" });
        await recorded.close();
        expect(recorded.recorder.problems()).toEqual([]);
        const text = recorded.recorder.render();
        const difference = await replayRecording(text);
        expect(difference === undefined ? "" : `${difference}\n${text}`).toBe("");
      }),
      { numRuns: runs(60) },
    );
  });
});
