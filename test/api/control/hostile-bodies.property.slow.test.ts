import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createControlApp } from "../../../src/http/server/control-app.js";
import { createReplayer } from "../../../src/scenarios/replayer.js";
import { runs } from "../../support/fast-check.js";
import { expectPromised, type FuzzWorld, openFuzzWorld } from "../../support/fuzz.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createWorld } from "../../support/world.js";

/** The number itself in `npm run test:slow`, a tenth of it in `npm test`. */
const share = (count: number): number => (count * runs(100)) / 100;
/** The JSON of a list that has `item` `count` times. */
const list = (item: string, count: number): string => `[${Array.from({ length: share(count) }, () => item).join(",")}]`;
const members = (count: number, value: string): string =>
  `{${Array.from({ length: share(count) }, (_, at) => `"k ${at}":${value}`).join(",")}}`;

/** About a mebibyte each in `npm run test:slow`, with a problem in every place. */
const empties = list("{}", 349_000);
const strange = members(54_000, "1");
const wrongMatchers = list('{"$x":1}', 110_000);
const expressions = list('"${a}"', 110_000);
const twoOfEach = list("0", 500_000);

const charge = (field: string, value: string): string => `{"charges":[{"${field}":${value}}]}`;

/** Bodies for single calls, in addition to those for every call. */
const bodies: Readonly<Record<string, readonly string[]>> = {
  "PUT /state": [
    `{"charges":${empties}}`,
    charge("entries", empties),
    charge("entries", list("{}", 20_000)),
    `{"ledger":[{"postings":${empties}}],"batches":[{"transactionIds":${twoOfEach}}]}`,
    `{"deliveries":[{"attempts":[{"request":{"headers":${strange}}}]}]}`,
    `{"events":[{"subject":{"kind":"charge","charge":{"entries":${empties}}}}]}`,
    `{"rules":[{"rule":{"on":"request","match":{"body":${wrongMatchers}},"then":{"status":500}}}]}`,
    `{"profile":{"webhooks":{"chargeEvents":${twoOfEach}}}}`,
  ],
  "POST /rules": [
    `{"on":"request","match":${strange},"then":{"status":500}}`,
    `{"on":"request","match":{"body":${wrongMatchers}},"then":{"status":500}}`,
    `{"on":"request","match":{"body":{"$in":${wrongMatchers}}},"then":{"status":500}}`,
    `{"on":"request","then":{"headers":${strange}}}`,
    `{"on":"request","then":{"headers":${members(54_000, '""')}}}`,
    `{"on":"delivery","then":${strange}}`,
  ],
  "PATCH /profile": [
    `{"webhooks":{"chargeEvents":${twoOfEach}}}`,
    `{"webhooks":{"allow":${twoOfEach}}}`,
    `{"webhooks":{"retry":${twoOfEach}}}`,
    `{"webhooks":${strange}}`,
    `{"transfers":{"settlement":${strange}}}`,
  ],
  "POST /companies": [`{"clock":${strange}}`, `{"profile":{"webhooks":{"chargeEvents":${twoOfEach}}}}`],
  "POST /requests/verify": [
    `{"match":${strange}}`,
    `{"match":{"body":${wrongMatchers}}}`,
    `{"match":{"headers":${members(27_000, '{"$x":1}')}}}`,
  ],
  "POST /scenarios/replay": [
    `{"steps":${empties}}`,
    `{"steps":[{"parallel":${empties}}]}`,
    `{"steps":[{"repeat":{"times":2,"steps":${empties}}}]}`,
    `{"steps":[{"request":"GET /v1/balance","headers":${members(54_000, "true")}}]}`,
    `{"steps":[{"request":"GET /v1/balance","query":${members(54_000, "[]")}}]}`,
    `{"steps":[{"request":"GET /v1/balance","save":${members(54_000, '"x"')}}]}`,
    `{"steps":[{"request":"GET /v1/balance","expect":{"body":${wrongMatchers}}}]}`,
    `{"steps":[{"request":"GET /v1/balance","expect":{"headers":${members(27_000, '{"$x":1}')}}}]}`,
    `{"steps":[{"request":"POST /v1/charges","body":${expressions}}]}`,
    `{"steps":[{"rule":${strange}}]}`,
    `{"given":{"charges":${empties}}}`,
    `{"given":{"customers":${empties},"transactions":[],"webhooks":[]}}`,
    `{"given":{"rules":${empties}}}`,
    `{"given":{"webhooks":${empties}}}`,
    `{"given":{"profile":${strange}}}`,
    `{"tags":${twoOfEach}}`,
  ],
};

const { sandbox } = createWorld();
/** Every call that takes JSON, whatever its parameters. */
const calls = createControlApp(sandbox, { replayer: createReplayer({ sandbox, fetch, folder: ".", env: {} }) })
  .routes.filter(
    ({ method, path }) => method.startsWith("P") && !/\/(?:dashboard.*|assets.*|sign|_sandbox)$/.test(path),
  )
  .map(
    ({ method, path }) =>
      `${method} ${path.slice("/_sandbox".length).replace("companies/:id", "companies/company_sandbox")}`,
  );

const MESSAGES_MAX = 101;
const ANSWER_CHARACTERS_MAX = 200_000;
const STOP_MAX_MS = 3_000;

let world: FuzzWorld;
beforeEach(() => (world = openFuzzWorld()));
afterEach(async () => {
  expect(world.bugs).toEqual([]);
  await world.close();
});

async function expectBriefly(send: () => ReturnType<FuzzWorld["control"]>): Promise<void> {
  let answer: Awaited<ReturnType<FuzzWorld["control"]>> | undefined;
  const stopMs = await longestStop(async () => (answer = await send()));
  if (answer === undefined) throw new Error("There is no answer.");
  expectPromised(answer, "a hostile body");
  expect(answer.status).toBe(400);
  expect(answer.body.message.length).toBeLessThanOrEqual(MESSAGES_MAX);
  expect(answer.text.length).toBeLessThan(ANSWER_CHARACTERS_MAX);
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
}

it("knows the calls", () => {
  expect(calls.length).toBeGreaterThan(15);
  expect(Object.keys(bodies).filter((call) => !calls.includes(call))).toEqual([]);
});

describe.each(calls)("%s refuses briefly, however much is wrong:", (call) => {
  const [method = "", path = ""] = call.split(" ");
  const texts = [empties, strange, ...(bodies[call] ?? [])];
  it.each(texts.map((text, at) => [text.slice(0, 80), at] as const))("%s", (_, at) =>
    expectBriefly(() => world.control(method, path.replace(":id", "x"), texts[at])),
  );
});

describe("the API under test refuses briefly, however much is wrong:", () => {
  it.each([
    ["a batch of objects with nothing", "/transactions/batch", `{"transactions":${list("{}", 10_000)}}`],
    [
      "a batch of wrong amounts",
      "/transactions/batch",
      JSON.stringify({ transactions: Array.from({ length: share(5_000) }, () => transferRequest({ amount: 1 })) }),
    ],
    ["lists for fields", "/charges", JSON.stringify(chargeRequest({ metadata: [] })).replace("[]", empties)],
  ])("%s", async (_, path, text) => {
    await world.control("PATCH", "/profile", { batch: { maxItems: 10_000 } });
    await expectBriefly(() => world.api("POST", `/v1${path}`, text));
  });
});
