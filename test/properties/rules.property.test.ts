import { expect, it } from "vitest";
import { webhookTopicOf } from "../../src/domain/deliveries/webhook-topic.js";
import { signBody } from "../../src/domain/deliveries/sign-delivery.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { assertBooksAreRight } from "../support/books.js";
import { useWorlds } from "../support/describe-api.js";
import fc, { runs } from "../support/fast-check.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { type ScriptedTransport, createScriptedTransport } from "../support/scripted-transport.js";
import { credentials, requestInit } from "../support/call.js";
import type { LooseJson, TestWorld } from "../support/world.js";
import { hashToSeed } from "../../src/kernel/records/ids.js";

const openWorld = useWorlds();

interface Stage {
  readonly world: TestWorld;
  readonly transport: ScriptedTransport;
}

interface Step {
  readonly does: string;
  readonly act: (stage: Stage, key: string) => Promise<unknown>;
}

const step = (does: string, act: Step["act"]): Step => ({ does, act });
const times = fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined });
const xof = fc.integer({ min: 5_000, max: 400_000 });
const msisdn = fc.integer({ min: 1, max: 8 }).map((role) => `+225070000000${role}`);
const duration = fc.constantFrom("0s", "1s", "2s", "10s", "59m59s", "1h", "3h");
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Rules of every kind, in every valid combination. */
const requestRule = fc.record({
  on: fc.constant("request"),
  match: fc.constantFrom(
    undefined,
    { path: "/v1/charges" },
    { path: "/v1/charges/:id/pay" },
    { method: "POST", nth: 2 },
  ),
  then: fc.oneof(
    fc.record({
      fault: fc.constantFrom("reset", "empty", "malformed"),
      commit: maybe(fc.boolean()),
    }),
    fc.record({ status: fc.constantFrom(200, 429, 500, 503), commit: maybe(fc.boolean()) }),
  ),
  times,
});
const transferRule = fc.record({
  on: fc.constant("transfer"),
  match: fc.constantFrom(undefined, { amount: { $gt: 100_000 } }, { nth: 2 }),
  then: fc.oneof(
    fc.record({ outcome: fc.constantFrom("completed", "failed"), after: maybe(duration) }),
    fc.constant({ outcome: "pending" }),
    fc.record({ after: duration }),
  ),
  times,
});
const paymentRule = fc.record({
  on: fc.constant("payment"),
  match: fc.constantFrom(undefined, { msisdn: "0700000001" }),
  then: fc.oneof(
    fc.record({ outcome: fc.constantFrom("paid", "failed"), after: maybe(duration) }),
    fc.record({ after: duration }),
  ),
  times,
});
const deliveryRule = fc.record({
  on: fc.constant("delivery"),
  match: fc.constantFrom(undefined, { topic: "charges/events" }, { topic: "transaction/started" }),
  then: fc.oneof(
    fc.constant({ drop: true }),
    fc.record({ delay: duration, duplicate: maybe(fc.integer({ min: 1, max: 2 })) }),
    fc.record({ corruptSignature: fc.constant(true), duplicate: maybe(fc.constant(1)) }),
    fc.constant({ corruptSignature: "first", duplicate: 1 }),
    fc.record({
      truncate: fc.constantFrom(0, 30),
      loseAnswers: maybe(fc.constant(1)),
      attempts: maybe(fc.constant(1)),
    }),
    fc.record({ hold: fc.constantFrom("next", "end", 1, 3), duplicate: maybe(fc.constant(2)) }),
    fc.constant({ before: "response" }),
    fc.constant({ reverse: true }),
  ),
  times,
});

const pick = fc.nat(9);

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .oneof(requestRule, transferRule, paymentRule, deliveryRule)
        .map((rule) => step(`rule ${JSON.stringify(rule)}`, ({ world }) => addRule(world, rule))),
    },
    pick.map((n) =>
      step(`remove rule #${n}`, ({ world }) =>
        world.control("DELETE", `/rules/${idAt(world.sandbox.defaultCompany.world.rules.values(), n)}`),
      ),
    ),
    {
      weight: 2,
      arbitrary: xof.map((amount) =>
        step(`charge ${amount}`, (stage, externalId) =>
          create(stage, "/v1/charges", chargeRequest({ amount, externalId }), () =>
            stage.world.sandbox.defaultCompany.world.charges.findBy("externalId", externalId),
          ),
        ),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(xof, msisdn)
        .map(([amount, payee]) =>
          step(`transfer ${amount} to ${payee}`, (stage, reference) =>
            create(stage, "/v1/transactions", transferRequest({ amount, msisdn: payee, reference }), () =>
              stage.world.sandbox.defaultCompany.world.transfers.findBy("reference", reference),
            ),
          ),
        ),
    },
    fc
      .tuple(pick, msisdn)
      .map(([n, payer]) =>
        step(`pay #${n} by ${payer}`, ({ world }) =>
          send(world, `/v1/charges/${chargeAt(world, n)}/pay`, { msisdn: payer }),
        ),
      ),
    fc
      .tuple(pick, xof)
      .map(([n, amount]) =>
        step(`refund ${amount} of #${n}`, ({ world }) =>
          send(world, `/v1/charges/${chargeAt(world, n)}/refund`, { amount }),
        ),
      ),
    duration.map((by) => step(`advance ${by}`, ({ world }) => world.control("POST", "/clock/advance", { by }))),
  ),
  { minLength: 3, maxLength: 25 },
);

async function addRule(world: TestWorld, rule: LooseJson): Promise<void> {
  const { status, text } = await world.control("POST", "/rules", rule);
  expect(status, text).toBe(201);
}

function chargeAt({ sandbox }: TestWorld, n: number): string {
  return idAt(sandbox.defaultCompany.world.charges.values(), n);
}

function idAt(rows: readonly { readonly id: string }[], n: number): string {
  return rows[n % Math.max(1, rows.length)]?.id ?? "none";
}

/** Sends a request; its status is 0 when the answer is lost. */
async function send({ app }: TestWorld, path: string, body: unknown): Promise<{ status: number; body: LooseJson }> {
  const response = await app.request(path, requestInit("POST", body, credentials));
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

/**
 * The effect of a request whose answer was lost is visible afterwards: whether its work is done depends on the rule, and not on the answer. What was done is
 * found under the caller's reference, and what was not done is not.
 */
async function create(
  { world }: Stage,
  path: string,
  body: LooseJson,
  find: () => { readonly id: string } | undefined,
): Promise<void> {
  const { rules } = world.sandbox.defaultCompany.world;
  const rule = rules.values().findLast(({ on, match, matched }) => {
    const { path: wanted = path, nth = matched + 1 } = match;
    return on === "request" && wanted === path && nth === matched + 1;
  });
  const answer = await send(world, path, body);
  const made = find();
  if (rule?.on !== "request") {
    expect(made !== undefined).toBe(answer.status === 201);
  } else if (rule.then.commit !== true) {
    expect(made).toBeUndefined();
  } else if (path === "/v1/charges") {
    expect(made).toBeDefined();
  } else if (made === undefined) {
    const { rules: left } = world.sandbox.defaultCompany.world;
    for (const { id } of left.values().filter(({ on }) => on === "request"))
      await world.control("DELETE", `/rules/${id}`);
    // The request was refused, and is refused again.
    expect((await send(world, path, body)).status).toBe(422);
  }
  if (made !== undefined && rule === undefined) expect(String(answer.body.id)).toContain(made.id);
}

/** Checks that only events were sent, and that each body with a valid signature is an event byte for byte. */
function assertHappened({ world, transport }: Stage): void {
  const { events, deliveries } = world.sandbox.defaultCompany.world;
  const eventOf = new Map(deliveries.values().map(({ body, eventId }) => [body, eventId]));
  for (const { body, headers } of transport.sent) {
    const text = body.toString();
    const isSigned = headers["x-service-hmac-sha256"] === signBody(body, DEFAULT_COMPANY.secretKey);
    const whole = [...eventOf.keys()].filter((full) => full === text || (!isSigned && full.startsWith(text)));
    expect(whole.length, text).toBeGreaterThan(0);
    for (const full of isSigned ? whole : []) expect(events.get(eventOf.get(full) ?? "")).toBeDefined();
  }
  for (const { status, attempts } of deliveries.values()) if (status === "failed") expect(attempts).toEqual([]);
  // Each event with a subscriber has a delivery, whether a rule dropped it or not.
  const enqueued = new Set(deliveries.values().map(({ eventId }) => eventId));
  const { profile } = world.sandbox.defaultCompany;
  const unsent = events
    .values()
    .filter((event) => webhookTopicOf(profile, event) !== undefined && !enqueued.has(event.id));
  expect(unsent).toEqual([]);
}

async function open(): Promise<Stage> {
  const transport = createScriptedTransport(({ body, headers }) =>
    hashToSeed(`${body.toString()}${JSON.stringify(headers)}`, 0) % 3 === 0 ? 500 : 200,
  );
  const world = await openWorld({ seed: 7, transport, forges: true });
  for (const topic of ["charges/events", "transaction/started", "transactions/completed", "transactions/failed"]) {
    await world.api("POST", "/v1/webhooks", { topic, url: "http://shop.test/hook" });
  }
  return { world, transport };
}

async function play(stage: Stage, scenario: readonly Step[], afterEach: () => Promise<void>): Promise<void> {
  for (const [index, { act }] of scenario.entries()) {
    await act(stage, `step-${index}`);
    await afterEach();
  }
  await stage.world.control("DELETE", "/rules");
  await stage.world.control("POST", "/clock/advance", { by: "7d" });
}

it("any mix of rules and requests conserves money, and delivers only what happened", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (scenario) => {
      const stage = await open();
      await play(stage, scenario, async () => {
        const { ledger } = stage.world.sandbox.defaultCompany.world;
        expect(
          ledger.values().every(({ postings }) => postings.reduce((sum, { amount }) => sum + amount, 0) === 0),
        ).toBe(true);
      });
      await assertBooksAreRight(stage.world);
      assertHappened(stage);
      const { deliveries, holds, payments } = stage.world.sandbox.defaultCompany.world;
      expect(deliveries.values().filter(({ status }) => status === "pending")).toEqual([]);
      expect([holds.size, payments.size]).toEqual([0, 0]);
      await stage.world.close();
    }),
    { numRuns: runs(150) },
  );
}, 120_000);

it("the same seed repeats a run byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (scenario) => {
      const runs: string[] = [];
      for (let run = 0; run < 2; run++) {
        const stage = await open();
        await play(stage, scenario, async () => undefined);
        const { text } = await stage.world.control("GET", "/state");
        const sent = stage.transport.sent.map(({ body, headers }) => [body.toString(), headers]);
        runs.push(JSON.stringify([text, sent]));
        await stage.world.close();
      }
      expect(runs[1]).toBe(runs[0]);
    }),
    { numRuns: runs(60) },
  );
}, 120_000);
