import { afterEach, describe, expect, it } from "vitest";
import { createControlApp } from "../../src/http/server/control-app.js";
import { createReplayer } from "../../src/scenarios/replayer.js";
import { expectCleanPrototypes, expectPromised, type FuzzWorld, openFuzzWorld, runs } from "../support/fuzz.js";
import { brokenJson, extremeJson, hostileJson, hostileText, mutated } from "../support/hostile.js";
import fc from "../support/fast-check.js";
import { mutations } from "../support/mutations.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { createWorld } from "../support/world.js";

let world: FuzzWorld;
/** Counts successful calls: refusing everything would test nothing. */
let taken = 0;
afterEach(async () => {
  expect(taken).toBeGreaterThan(0);
  taken = 0;
  expect(world.bugs).toEqual([]);
  expectCleanPrototypes();
  await world.close();
});

/** A company with some of every record. */
async function openBusy(): Promise<FuzzWorld> {
  world = openFuzzWorld({ transport: createScriptedTransport((_, index) => (index % 3 === 0 ? 500 : 200)) });
  const { api, control } = world;
  for (const topic of ["charges/events", "transactions/started", "transactions/completed"])
    await api("POST", "/v1/webhooks", { topic, url: "http://hook.test/in" });
  await control("POST", "/rules", { on: "delivery", match: { topic: "charges/events" }, then: { reverse: true } });
  const charges = [];
  for (let made = 0; made < 4; made++)
    charges.push((await api("POST", "/v1/charges", chargeRequest({ metadata: { made } }))).body.id);
  await api("POST", `/v1/charges/${charges[0]}/pay`);
  await api("POST", `/v1/charges/${charges[1]}/pay`);
  await api("POST", `/v1/charges/${charges[1]}/refund`, { amount: 100 });
  for (let last = 1; last < 5; last++)
    await api("POST", "/v1/transactions", transferRequest({ msisdn: `+225070000000${last}` }));
  await api("POST", "/v1/transactions/batch", { transactions: [transferRequest(), transferRequest()] });
  await control("POST", "/clock/advance", { by: "10s" });
  await control("POST", "/snapshots/a");
  return world;
}

/** Every call, `PUT /customers/:id`, except streams, pages and metrics, which are not JSON. */
const sandbox = createWorld().sandbox;
const routes = createControlApp(sandbox, {
  replayer: createReplayer({ sandbox, fetch, folder: ".", env: {} }),
})
  .routes.filter(
    ({ method, path }) => method !== "ALL" && /^\/_sandbox\/(?!assets\/|dashboard(?:\/|$)|stream$|metrics$)/.test(path),
  )
  .map(({ method, path }) => `${method} ${path.slice("/_sandbox".length)}`);

const words = [
  "by",
  "to",
  "toNext",
  "settle",
  "lookAhead",
  "maxWaitMs",
  "mode",
  "now",
  "frozen",
  "running",
  "1h",
  "10ms",
  "balance",
  "companyId",
  "accessToken",
  "secretKey",
  "clock",
  "profile",
  "expiresIn",
  "overlap",
  "on",
  "match",
  "then",
  "times",
  "request",
  "delivery",
  "transfer",
  "payment",
  "outcome",
  "failed",
  "reason",
  "after",
  "drop",
  "duplicate",
  "truncate",
  "reverse",
  "before",
  "response",
  "fault",
  "reset",
  "hang",
  "status",
  "body",
  "headers",
  "method",
  "path",
  "query",
  "topic",
  "url",
  "data",
  "msisdn",
  "amount",
  "reference",
  "externalId",
  "count",
  "limit",
  "cursor",
  "$regex",
  "$type",
  "$gt",
  "$in",
  "$length",
  "$contains",
  "$exact",
  "$any",
  "$absent",
  "(a+)+$",
  "firstName",
  "lastName",
  "kycStatus",
  "file",
  "steps",
  "given",
  "use",
  "charges",
  "transfers",
  "webhooks",
  "ttl",
  "retry",
  "allow",
  "server",
  "bodyLimit",
  "errors",
  "shape",
  "message",
  "rateLimit",
  "settlement",
  "polls",
] as const;

const value = hostileJson(words);
const route = fc.constantFrom(...routes);
const id = fc.oneof(hostileText, fc.constantFrom("company_sandbox", "a", "+2250700000001"));
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "company",
        "limit",
        "cursor",
        "status",
        "after",
        "topic",
        "resource",
        "format",
        "kind",
        "__proto__",
      ),
      hostileText,
    ),
    {
      maxLength: 2,
    },
  )
  .map((pairs) => new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString());

async function call(asked: string, named: string, parameters: string, body: string | undefined): Promise<void> {
  const [method = "", template = ""] = asked.split(" ");
  const path = template.replace(":id", encodeURIComponent(named.replaceAll(/\p{Surrogate}/gu, "?")));
  // Do not wait for a webhook that never comes.
  const wait = template === "/deliveries/wait" ? "timeout=1ms&" : "";
  const sent = method === "GET" || method === "DELETE" ? undefined : body;
  const answer = await world.control(method, `${path}?${wait}${parameters}`, sent);
  expectPromised(answer, { asked, named, parameters, sent });
  if (answer.status < 300) taken++;
  // Otherwise every further call would be refused, because there is no company.
  if (world.sandbox.findCompany("company_sandbox") === undefined) await world.control("POST", "/reset?company=*");
}

describe("the control API", () => {
  it("is covered completely by this test", async () => {
    await openBusy();
    expect(routes.length).toBeGreaterThan(40);
    await call("GET /health", "", "", undefined);
  });

  it("survives hostile calls in any order", async () => {
    await openBusy();
    await fc.assert(
      fc.asyncProperty(route, id, query, value, (asked, named, parameters, body) =>
        call(asked, named, parameters, JSON.stringify(body)),
      ),
      runs(),
    );
  });

  it("survives bodies that are not JSON, and extreme ones", async () => {
    await openBusy();
    await fc.assert(
      fc.asyncProperty(route, brokenJson(value), (asked, body) => call(asked, "x", "", body)),
      runs(0.5),
    );
    await fc.assert(
      fc.asyncProperty(route, extremeJson, (asked, body) => call(asked, "x", "", body)),
      runs(0.02),
    );
  });

  it("survives calls that are nearly valid", async () => {
    await openBusy();
    const right = fc.constantFrom<[string, unknown]>(
      ["POST /clock/advance", { by: "1s", settle: true, lookAhead: false, maxWaitMs: 10 }],
      ["PUT /clock", { mode: "frozen", now: "2030-01-01T00:00:00Z" }],
      [
        "POST /companies",
        { companyId: "company_x", accessToken: "at_x", secretKey: "s", balance: 1, clock: "frozen", profile: {} },
      ],
      ["POST /companies/:id/rotate", { accessToken: true, expiresIn: "1h", overlap: "1m" }],
      [
        "POST /rules",
        {
          name: "r",
          on: "request",
          match: { path: "/v1/charges/:id", headers: { a: { $regex: "x" } } },
          then: { status: 503, body: { a: 1 }, headers: { "retry-after": "1" } },
          times: 1,
        },
      ],
      [
        "POST /rules",
        {
          on: "delivery",
          match: { topic: "charges/events", data: { amount: { $gt: 1 } } },
          then: { duplicate: 2, truncate: 3, corruptSignature: true },
        },
      ],
      [
        "POST /requests/verify",
        {
          match: { method: "POST", path: "/v1/charges", status: { $gte: 200 }, body: { amount: 1 } },
          count: { $gte: 1 },
        },
      ],
      [
        "PATCH /profile",
        {
          charges: { ttl: "1h" },
          webhooks: { retry: ["1s"], allow: ["shop.test"] },
          transfers: { fee: { rate: 0.01 } },
        },
      ],
      ["PUT /customers/:id", { firstName: "A", lastName: "B", kycStatus: "complete" }],
      ["PUT /balance", { balance: 1 }],
    );
    const how = fc.constantFrom("replace" as const, "remove" as const, "repeat" as const);
    await fc.assert(
      fc.asyncProperty(right, id, fc.nat(), value, how, ([asked, body], named, at, other, change) =>
        call(asked, named, "", JSON.stringify(mutated(body, at, other, change))),
      ),
      runs(),
    );
  });

  it("accepts or refuses scenarios that are nearly valid", async () => {
    await openBusy();
    await fc.assert(
      fc.asyncProperty(mutations, (scenario) => call("POST /scenarios/replay", "x", "", JSON.stringify(scenario))),
      runs(0.05),
    );
  });
});

describe("a state that is put in", () => {
  const how = fc.constantFrom("replace" as const, "remove" as const, "repeat" as const);
  const looks = [
    "/state",
    "/clock",
    "/charges",
    "/transactions",
    "/batches",
    "/rules",
    "/events",
    "/deliveries",
    "/ledger",
    "/coverage",
    "/findings",
  ];

  it("is refused, or is valid", async () => {
    const { control, api } = await openBusy();
    const whole = (await control("GET", "/state")).body;
    const stateWords = [
      ...new Set(
        JSON.stringify(whole)
          .match(/"[a-zA-Z.]+"/g)
          ?.map((word) => word.slice(1, -1)),
      ),
    ];
    await fc.assert(
      fc.asyncProperty(fc.nat(), hostileJson(stateWords), how, async (at, other, change) => {
        const state = mutated(whole, at, other, change);
        const put = await control("PUT", "/state", JSON.stringify(state) ?? "null");
        expectPromised(put, { at, other, change });
        if (put.status !== 200) return;
        taken++;
        for (const look of looks) expectPromised(await control("GET", look), { look, at, other, change });
        expectPromised(await api("POST", "/v1/charges", chargeRequest()), { at, other, change });
        expectPromised(await control("POST", "/clock/advance", { by: "1h", maxWaitMs: 50 }), { at, other, change });
        expectPromised(await control("GET", "/state"), { at, other, change });
      }),
      runs(0.25),
    );
  });
});
