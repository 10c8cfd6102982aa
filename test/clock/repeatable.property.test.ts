import { describe, expect, it } from "vitest";
import { hashToSeed } from "../../src/kernel/records/ids.js";
import fc, { runs } from "../support/fast-check.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { type TestWorld, createWorld } from "../support/world.js";
import { type AdvanceResult, advance } from "../../src/sandbox/company/advance.js";
import type { Company } from "../../src/sandbox/company/company.js";

/** A step of a scenario. `pick` chooses among the records that it has created so far. */
type Step =
  | { readonly do: "charge"; readonly amount: number }
  | { readonly do: "pay"; readonly pick: number; readonly fails: boolean }
  | { readonly do: "refund"; readonly pick: number; readonly part: boolean }
  | { readonly do: "transfer"; readonly late: boolean }
  | { readonly do: "batch"; readonly items: number }
  | { readonly do: "unsubscribe"; readonly pick: number }
  | { readonly do: "advance"; readonly ms: number; readonly cut: number };

const pick = fc.nat(20);
/** Spans around the instants of settlements, retries and expiries. */
const span = fc.oneof(
  fc.constantFrom(0, 1, 1_999, 2_000, 10_000, 60_000, 3_599_999, 3_600_000, 7_200_000),
  fc.integer({ min: 0, max: 4 * 3_600_000 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("charge" as const), amount: fc.integer({ min: 1, max: 9_999 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pay" as const), pick, fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refund" as const), pick, part: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("transfer" as const), late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("batch" as const), items: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unsubscribe" as const), pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: span, cut: fc.nat(1_000) }) },
);
const scenario = fc.array(step, { minLength: 1, maxLength: 25 });

const TOPICS = [
  "charges/events",
  "charge/events",
  "transactions/started",
  "transactions/completed",
  "transaction/failed",
];
const RECEIVERS = ["http://one.test/a", "http://one.test/b", "http://two.test/"];

type Move = (company: Company, step: Extract<Step, { do: "advance" }>) => Promise<AdvanceResult[]>;

const inOne: Move = async (company, { ms }) => [await advance(company, { byMs: ms })];
const inTwo: Move = async (company, { ms, cut }) => {
  const first = Math.floor((ms * cut) / 1_000);
  return [await advance(company, { byMs: first }), await advance(company, { byMs: ms - first })];
};

/** Plays a scenario in a new sandbox and returns everything observable. `noise` decides which receiver answers first. */
async function play(steps: readonly Step[], move: Move, noise: number) {
  let turn = 0;
  const attempts = new Map<string, number>();
  const transport = createScriptedTransport(
    ({ body, url }) => {
      const key = url + body;
      const attempt = attempts.get(key) ?? 0;
      attempts.set(key, attempt + 1);
      return hashToSeed(key, attempt) % 3 === 0 ? 200 : 500;
    },
    () => hashToSeed(noise, turn++) % 40,
  );
  const world = createWorld({ transport, seed: 7 });
  const company = world.sandbox.defaultCompany;
  const moved: AdvanceResult[] = [];
  for (const url of RECEIVERS) for (const topic of TOPICS) await world.api("POST", "/v1/webhooks", { topic, url });
  for (const [index, current] of steps.entries()) {
    if (current.do === "advance") moved.push(...(await move(company, current)));
    else await act(world, current, index);
  }
  moved.push(...(await move(company, { do: "advance", ms: 86_400_000, cut: 500 })));
  await world.close();
  return { company, moved, sent: transport.sent };
}

async function act(world: TestWorld, current: Exclude<Step, { do: "advance" }>, index: number): Promise<void> {
  const { charges, subscriptions } = world.sandbox.defaultCompany.world;
  const chosen = (rows: readonly { readonly id: string }[], at: number) =>
    rows[at % Math.max(1, rows.length)]?.id ?? "none";
  const item = (n: number) => ({
    amount: 5_000 + n,
    msisdn: n % 2 ? "+2250700000002" : "0799",
    reference: `${index}-${n}`,
  });
  switch (current.do) {
    case "charge":
      await world.api("POST", "/v1/charges", {
        amount: current.amount,
        externalId: `order-${index}`,
        description: "Shoes",
        onCanceledRedirectionUrl: "https://shop.test/no",
        onCompletedRedirectionUrl: "https://shop.test/yes",
      });
      return;
    case "pay": {
      const body = current.fails ? { msisdn: "+2250700000002" } : {};
      await world.api("POST", `/v1/charges/${chosen(charges.values(), current.pick)}/pay`, body);
      return;
    }
    case "refund":
      await world.api(
        "POST",
        `/v1/charges/${chosen(charges.values(), current.pick)}/refund`,
        current.part ? { amount: 1 } : {},
      );
      return;
    case "transfer":
      await world.api("POST", "/v1/transactions", {
        ...item(index),
        ...(current.late ? { msisdn: "+2250700000004" } : {}),
        type: "transfer",
      });
      return;
    case "batch":
      await world.api("POST", "/v1/transactions/batch", {
        transactions: Array.from({ length: current.items }, (_, n) => item(n)),
      });
      return;
    case "unsubscribe":
      await world.api("DELETE", `/v1/webhooks/${chosen(subscriptions.values(), current.pick)}`);
  }
}

/** Everything that a company has stored, sequence numbers included. */
function dump({ world, record, clock }: Company): string {
  const { due, ...tables } = world;
  const rows = Object.entries(tables).map(([name, table]) => [name, table.values()]);
  return JSON.stringify(
    { rows, due: due.values(), clock: clock.save(), seq: record.seq, ids: record.idPosition },
    undefined,
    1,
  );
}

function fired(moved: readonly AdvanceResult[]) {
  return moved.flatMap((result) => result.fired);
}

/** The attempts by resource and receiver, since the order between resources may differ. */
function bytes(sent: Awaited<ReturnType<typeof play>>["sent"]): string[] {
  return sent.map(({ url, body, headers }) => JSON.stringify([url, body, headers])).sort();
}

describe("the same scenario gives the same bytes", () => {
  it("with advance(a + b) as with advance(a), advance(b), whichever receiver answers first", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), fc.nat(), async (steps, oneNoise, otherNoise) => {
        const whole = await play(steps, inOne, oneNoise);
        const parts = await play(steps, inTwo, otherNoise);
        expect(fired(parts.moved)).toEqual(fired(whole.moved));
        expect(dump(parts.company)).toBe(dump(whole.company));
        expect(bytes(parts.sent)).toEqual(bytes(whole.sent));
      }),
      { numRuns: runs(60) },
    );
  }, 60_000);

  it("over real sockets, with several resources and subscriptions", async () => {
    const first = await playLive();
    const second = await playLive();
    expect(second).toEqual(first);
    expect(first.received).not.toEqual([]);
  });
});

/** A seeded scenario over TCP, with a receiver that sometimes fails and calls the API back. */
async function playLive() {
  const live = await startLive({ seed: 42 });
  const attempts = new Map<string, number>();
  const receiver = await startReceiver(async ({ raw, body }) => {
    const attempt = attempts.get(raw.toString()) ?? 0;
    attempts.set(raw.toString(), attempt + 1);
    await live.http("GET", "/v1/balance");
    return { status: (body.data.amount + attempt) % 3 === 0 ? 500 : 200 };
  });
  for (const topic of TOPICS) {
    await live.subscribe(topic, `${receiver.origin}/one`);
    await live.subscribe(topic, `${receiver.origin}/two`);
  }
  const charges: string[] = [];
  for (let n = 0; n < 6; n++) {
    charges.push((await live.createCharge({ externalId: `order-${n}`, amount: 1_000 + n })).id);
    await live.createTransfer({ reference: `payout-${n}`, amount: 5_000 + n });
    await live.advance("7m");
  }
  for (const id of charges.slice(0, 3)) await live.http("POST", `/v1/charges/${id}/pay`);
  await live.http("POST", `/v1/charges/${charges[1]}/refund`, { amount: 1 });
  await live.http("POST", `/v1/charges/${charges[1]}/refund`);
  await live.advance("1d");
  const headers = ["content-type", "x-service-hmac-sha256", "user-agent", "content-length"] as const;
  return {
    events: live
      .events()
      .map((event) => JSON.stringify(event).replaceAll(live.url, "").replaceAll(receiver.origin, "")),
    received: receiver.received
      .map((request) => [request.path, request.raw.toString(), headers.map((name) => request.headers[name])].join(" "))
      .sort(),
  };
}
