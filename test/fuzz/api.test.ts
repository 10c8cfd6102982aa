import { afterAll, describe, expect, it } from "vitest";
import { operationIds, operations } from "../../src/contract/operations.js";
import { expectCleanPrototypes, expectPromised, openFuzzWorld, runs } from "../support/fuzz.js";
import { brokenJson, extremeJson, hostileJson, hostileText, mutated } from "../support/hostile.js";
import fc from "../support/fast-check.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

const world = openFuzzWorld({ autoProvision: true });
afterAll(async () => {
  expect(world.bugs).toEqual([]);
  expectCleanPrototypes();
  await world.close();
});

const words = [
  ...Object.keys(chargeRequest()),
  ...Object.keys(transferRequest()),
  "metadata",
  "transactions",
  "topic",
  "url",
  "transfer",
  "https://shop.test/",
];
const value = hostileJson(words);
const operation = fc.constantFrom(...operationIds).map((id) => operations[id]);

const send = async (method: string, path: string, body: string | undefined, headers = {}): Promise<void> => {
  // `fetch` sends no body with GET.
  const sent = method === "GET" ? undefined : body;
  expectPromised(await world.api(method, path, sent, headers), { method, path, body: sent, headers });
};

const pathOf = (path: string, id: string): string =>
  // Clients remove the segments "." and ".." from a URL.
  path.replace(":id", encodeURIComponent(id.replaceAll(/\p{Surrogate}/gu, "?").replace(/^\.{1,2}$/, "...")));

describe("the API under test", () => {
  it("survives hostile bodies", async () => {
    await fc.assert(
      fc.asyncProperty(operation, hostileText, value, ({ method, path }, id, body) =>
        send(method, pathOf(path, id), JSON.stringify(body)),
      ),
      runs(),
    );
  });

  it("survives bodies that are nearly valid", async () => {
    const right = fc.constantFrom<[string, unknown]>(
      ["/v1/charges", chargeRequest({ metadata: { a: [1, { b: null }] } })],
      ["/v1/transactions", transferRequest()],
      ["/v1/transactions/batch", { transactions: [transferRequest(), transferRequest()] }],
      ["/v1/webhooks", { topic: "charges/events", url: "https://hooks.shop.test/in" }],
    );
    const how = fc.constantFrom("replace" as const, "remove" as const, "repeat" as const);
    await fc.assert(
      fc.asyncProperty(right, fc.nat(), value, how, ([path, body], at, other, change) =>
        send("POST", path, JSON.stringify(mutated(body, at, other, change))),
      ),
      runs(),
    );
  });

  it("survives bodies that are not JSON", async () => {
    await fc.assert(
      fc.asyncProperty(operation, brokenJson(value), ({ method, path }, body) => send(method, pathOf(path, "x"), body)),
      runs(),
    );
  });

  it("survives deep, wide and long bodies", async () => {
    await fc.assert(
      fc.asyncProperty(operation, extremeJson, ({ method, path }, body) => send(method, pathOf(path, "x"), body)),
      runs(0.02),
    );
  });

  it("survives hostile queries and headers", async () => {
    const headerText = hostileText.map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, "").trim());
    const headers = fc.dictionary(
      fc.constantFrom(
        "authorization",
        "x-company-id",
        "content-type",
        "content-length",
        "content-encoding",
        "origin",
        "host",
        "x-forwarded-host",
        "__proto__",
      ),
      fc.oneof(
        headerText,
        headerText.map((text) => `Bearer ${text}`),
      ),
      { maxKeys: 4, noNullPrototype: true },
    );
    const query = fc
      .array(fc.tuple(fc.oneof(hostileText, fc.constantFrom("limit", "cursor", "msisdn")), hostileText), {
        maxLength: 4,
      })
      .map((pairs) => new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString());
    await fc.assert(
      fc.asyncProperty(operation, query, headers, value, ({ method, path }, asked, given, body) =>
        send(method, `${pathOf(path, "x")}?${asked}`, JSON.stringify(body), given),
      ),
      runs(),
    );
  });
});
