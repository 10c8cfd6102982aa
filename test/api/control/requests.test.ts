import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/sandbox/company/limits.js";
import { createHeldStore } from "../../support/held-store.js";
import { startReceiver, type Receiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

async function requests(query = ""): Promise<LooseJson[]> {
  const { status, body } = await world.control("GET", `/requests${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

async function ids(query = ""): Promise<string[]> {
  return (await requests(query)).map(({ id }) => id);
}

/** Makes `count` requests, one after the other. */
async function ask(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await world.api("GET", "/v1/balance");
}

describe("GET /requests", () => {
  it("shows a request with its answer", async () => {
    const order = transferRequest();
    const { body: transfer } = await world.api("POST", "/v1/transactions?source=app&source=again", order);
    expect(await requests()).toEqual([
      {
        id: "req_1",
        at: "2026-01-15T09:00:00.000Z",
        method: "POST",
        path: "/v1/transactions",
        query: { source: "app" },
        operation: "createTransaction",
        headers: {
          authorization: "[redacted]",
          "content-type": "application/json",
          "x-company-id": "company_sandbox",
        },
        body: order,
        status: 201,
        answer: transfer,
        problem: null,
        rule: null,
        fault: null,
        fate: "written",
        deliveries: [],
        settings: expect.arrayContaining(["http.createdStatus"]),
      },
    ]);
  });

  it("shows why a request was refused, and null for absent values", async () => {
    const { body: answer } = await world.api("POST", "/v1/transactions", "{");
    const [request] = await requests();
    expect(request).toMatchObject({ status: 400, problem: "malformed_json", body: null, answer, rule: null });
  });

  it("has requests to unknown paths and methods", async () => {
    await world.api("GET", "/v1/nothing");
    await world.api("PUT", "/v1/balance");
    expect(await requests()).toMatchObject([
      { method: "GET", path: "/v1/nothing", operation: null, status: 404, problem: "route_not_found" },
      { method: "PUT", path: "/v1/balance", operation: null, status: 405, problem: "method_not_allowed" },
    ]);
  });

  it("has no calls of the control API", async () => {
    await world.control("GET", "/balance");
    await world.control("PUT", "/balance", { balance: 1 });
    expect(await requests()).toEqual([]);
  });

  it("has the company's time", async () => {
    await ask(1);
    await world.control("POST", "/clock/advance", { by: "1h" });
    await ask(1);
    expect((await requests()).map(({ at }) => at)).toEqual(["2026-01-15T09:00:00.000Z", "2026-01-15T10:00:00.000Z"]);
  });

  it("comes in pages, oldest first", async () => {
    await ask(5);
    const first = (await world.control("GET", "/requests?limit=2")).body;
    expect(first).toMatchObject({ count: 2, limit: 2, cursor: { prev: null } });
    expect(first.data.map(({ id }: LooseJson) => id)).toEqual(["req_1", "req_2"]);
    const second = (await world.control("GET", `/requests?limit=2&cursor=${first.cursor.next}`)).body;
    expect(second.data.map(({ id }: LooseJson) => id)).toEqual(["req_3", "req_4"]);
    expect(await ids(`?limit=2&cursor=${second.cursor.next}`)).toEqual(["req_5"]);
    expect(await ids(`?limit=2&cursor=${second.cursor.prev}`)).toEqual(["req_1", "req_2"]);
  });

  it("filters", async () => {
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("GET", `/v1/charges/${charge.id}`);
    await world.api("POST", "/v1/charges", {});
    await world.api("GET", "/v1/balance");
    expect(await ids("?method=post")).toEqual(["req_1", "req_3"]);
    expect(await ids("?path=/v1/charges/:id")).toEqual(["req_2"]);
    expect(await ids(`?path=/v1/charges/${charge.id}`)).toEqual(["req_2"]);
    expect(await ids("?operation=createCharge")).toEqual(["req_1", "req_3"]);
    expect(await ids("?operation=createCharge&status=201")).toEqual(["req_1"]);
    expect(await ids("?problem=invalid_request")).toEqual(["req_3"]);
    expect(await ids("?fate=written")).toHaveLength(4);
    expect(await ids("?fate=lost")).toEqual([]);
    expect(await ids("?path=/v1/other")).toEqual([]);
  });

  it.each([
    ["operation=createCharg", 'did you mean "createCharge"?'],
    ["status=20", "status must be an HTTP status such as 201"],
    ["problem=invalid", "problem must be one of malformed_json"],
    ["fate=gone", "fate must be one of written, lost"],
    ["fault=rest", 'did you mean "reset"?'],
    ["path=v1/charges", "path must begin with / and have no query"],
    [`path=${"/:".repeat(50)}`, "path must have at most 50 parts where one stands for an id"],
    ["method=", "method must be an HTTP method such as POST"],
    ["rule=", "rule must be the id or the name of a rule"],
    ["satus=200", 'query has no "satus", only company, limit, cursor, method, path'],
    ["limit=1001", "limit must be a whole number from 1 to 1000"],
  ])("?%s is 400", async (query, message) => {
    const answer = await world.control("GET", `/requests?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message.replaceAll('"', '\\"'));
  });

  it("shows a body that is nested as deep as one may be, and none that is deeper", async () => {
    const lists = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    for (const depth of [200, 201]) await world.api("POST", "/v1/charges", lists(depth));
    const [deepest, deeper] = (await requests()).toSorted((a, b) => a.id.localeCompare(b.id));
    expect(JSON.stringify(deepest?.body)).toBe(lists(200));
    expect(deeper).toMatchObject({ body: null, status: 400 });
  });
});

describe("the effect of a rule", () => {
  it("is shown with the rule", async () => {
    const { body: rule } = await world.control("POST", "/rules", {
      name: "busy",
      on: "request",
      match: { path: "/v1/balance" },
      then: { status: 403 },
      times: 1,
    });
    await ask(2);
    expect(await requests()).toMatchObject([
      { status: 403, rule: { id: rule.id, name: "busy" }, fault: null, fate: "written" },
      { status: 200, rule: null },
    ]);
    expect(await ids("?rule=busy")).toEqual(["req_1"]);
    expect(await ids(`?rule=${rule.id}`)).toEqual(["req_1"]);
    expect(await ids("?rule=other")).toEqual([]);
  });

  it("shows no status when a fault replaced the answer, and the work that was done", async () => {
    const url = await world.listen();
    await world.control("POST", "/rules", { on: "request", then: { fault: "reset", commit: true } });
    const order = transferRequest();
    const sent = fetch(`${url}/v1/transactions`, {
      method: "POST",
      headers: { authorization: "Bearer at_sandbox", "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    await expect(sent).rejects.toThrow("fetch failed");
    const [request] = await requests();
    expect(request).toMatchObject({
      status: null,
      fate: "lost",
      fault: "reset",
      answer: { reference: order["reference"] },
    });
    expect(await ids("?fate=lost")).toEqual(["req_1"]);
    expect(await ids("?fault=reset")).toEqual(["req_1"]);
  });
});

describe("the deliveries that followed", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });

  async function deliveriesOf(...topics: string[]): Promise<Map<string, string>> {
    await world.control("POST", "/settle");
    const { body } = await world.control("GET", "/deliveries?limit=1000");
    return new Map(
      body.data.filter(({ topic }: LooseJson) => topics.includes(topic)).map(({ id, topic }: LooseJson) => [topic, id]),
    );
  }

  it("are those of its work, and later ones of what it created", async () => {
    const topics = ["transactions/started", "transactions/completed"];
    for (const topic of topics) await world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
    await world.control("DELETE", "/requests");
    await world.api("POST", "/v1/transactions", transferRequest());
    const own = await deliveriesOf(...topics);
    expect((await requests())[0].deliveries).toEqual([own.get("transactions/started")]);
    await world.control("POST", "/clock/advance", { by: "1m" });
    const all = await deliveriesOf(...topics);
    expect((await requests())[0].deliveries).toEqual(topics.map((topic) => all.get(topic)));
  });

  it("belong to one request each", async () => {
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await world.control("DELETE", "/requests");
    const { body: paid } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${paid.id}/pay`);
    const { body: byHand } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.control("POST", `/charges/${byHand.id}/pay`);
    await world.control("POST", "/settle");
    const { body } = await world.control("GET", "/deliveries");
    const of = (id: string): string[] =>
      body.data.filter(({ resource }: LooseJson) => resource === id).map((delivery: LooseJson) => delivery.id);
    expect(of(paid.id)).toHaveLength(1);
    expect(of(byHand.id)).toHaveLength(1);
    expect((await requests()).map(({ deliveries }) => deliveries)).toEqual([[], of(paid.id), of(byHand.id)]);
  });
});

describe("the company of a request", () => {
  beforeEach(async () => {
    await world.control("POST", "/companies", { companyId: "company_two" });
  });

  const counted = async () => ({ first: await ids(), second: await ids("?company=company_two") });

  it("is the token's company alone", async () => {
    await ask(1);
    await world.api("GET", "/v1/balance", undefined, { authorization: "Bearer at_two", "x-company-id": null });
    await world.api("GET", "/v1/balance", undefined, { authorization: "Bearer at_two", "x-company-id": null });
    expect(await counted()).toEqual({ first: ["req_1"], second: ["req_1", "req_2"] });
  });

  it("is, with an unknown token, the company of X-Company-Id, or else the first", async () => {
    const ask = (companyId: string | null, authorization: string | null = "Bearer at_unknown") =>
      world.api("GET", "/v1/balance", undefined, { authorization, "x-company-id": companyId });
    await ask("company_two");
    await ask("company_none");
    await ask(null);
    await ask("company_two", null);
    expect(await counted()).toEqual({ first: ["req_1", "req_2"], second: ["req_1", "req_2"] });
    expect((await requests()).map(({ status, problem }) => `${status} ${problem}`)).toEqual([
      "401 token_invalid",
      "401 token_invalid",
    ]);
  });

  it("is none when no company is left", async () => {
    await world.control("DELETE", "/companies/company_two");
    await world.control("DELETE", "/companies/company_sandbox");
    expect((await world.api("GET", "/v1/balance")).status).toBe(401);
    await world.control("POST", "/companies", {});
    const { body } = await world.control("GET", "/requests");
    expect(body.count).toBe(0);
  });

  it("of an unknown company is 404", async () => {
    expect((await world.control("GET", "/requests?company=company_none")).status).toBe(404);
  });
});

describe("forgetting requests", () => {
  it("DELETE forgets all, and later ids continue", async () => {
    await ask(2);
    const answer = await world.control("DELETE", "/requests");
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(await ids()).toEqual([]);
    await ask(1);
    expect(await ids()).toEqual(["req_3"]);
  });

  it("a reset forgets all, and ids begin again", async () => {
    await ask(2);
    await world.control("POST", "/reset");
    expect(await ids()).toEqual([]);
    await ask(1);
    expect(await ids()).toEqual(["req_1"]);
  });

  it("a reset also forgets requests that are being answered", async () => {
    const store = createHeldStore();
    await world.close();
    world = openWorld({ store });
    const letGo = store.hold();
    const answered = world.api("POST", "/v1/charges", chargeRequest());
    await store.held(1);
    const { sandbox } = world;
    sandbox.reset(sandbox.defaultCompany);
    letGo(0);
    await answered;
    expect(await ids()).toEqual([]);
  });

  it("a reset of all companies forgets them in each", async () => {
    await world.control("POST", "/companies", { companyId: "company_two" });
    await ask(2);
    await world.control("POST", "/reset?company=*");
    expect(await ids()).toEqual([]);
  });

  it("a reset of another company forgets nothing", async () => {
    await world.control("POST", "/companies", { companyId: "company_two" });
    await ask(1);
    await world.control("POST", "/reset?company=company_two");
    await world.control("DELETE", "/requests?company=company_two");
    expect(await ids()).toEqual(["req_1"]);
  });

  it("putting a state forgets nothing, and requests keep their deliveries", async () => {
    const receiver = await startReceiver();
    const { body: empty } = await world.control("GET", "/state");
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    const before = await requests();
    expect(before.at(-1)?.deliveries).toHaveLength(1);
    await world.control("PUT", "/state", empty);
    expect(await requests()).toEqual(before);
    await ask(1);
    expect(await ids()).toEqual(["req_1", "req_2", "req_3", "req_4"]);
  });

  it("a company that is opened again under its id begins without requests", async () => {
    await world.control("POST", "/companies", { companyId: "company_two" });
    await world.api("GET", "/v1/balance", undefined, { authorization: "Bearer at_two", "x-company-id": null });
    await world.control("DELETE", "/companies/company_two");
    await world.control("POST", "/companies", { companyId: "company_two" });
    expect(await ids("?company=company_two")).toEqual([]);
  });

  it("the oldest is forgotten when there are too many", async () => {
    await world.close();
    world = openWorld({ limits: { ...DEFAULT_LIMITS, requests: 3 } });
    await ask(5);
    expect(await ids()).toEqual(["req_3", "req_4", "req_5"]);
    const { body: page } = await world.control("GET", "/requests?limit=1");
    await ask(2);
    expect(await ids(`?cursor=${page.cursor.next}`)).toEqual(["req_5", "req_6", "req_7"]);
  });
});
