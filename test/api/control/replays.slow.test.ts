import { describe, expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { openWorld } from "../../support/world.js";

it("thousands of requests in one parallel step do not stop the others", async () => {
  const { control } = openWorld();
  const parallel = Array.from({ length: 3_000 }, () => ({ request: "GET /v1/balance" }));
  let answer: Awaited<ReturnType<typeof control>> | undefined;
  const stopMs = await longestStop(async () => {
    answer = await control("POST", "/scenarios/replay", { steps: [{ parallel }] });
  });
  expect(answer?.body).toMatchObject({ outcome: "passed" });
  expect(stopMs).toBeLessThan(2_000);
});

it("thousands of failed webhook steps in one parallel step do not stop the others", async () => {
  const { control } = openWorld();
  const createEvent = { request: "POST /_sandbox/events", body: { topic: "charges/events" } };
  const parallel = Array.from({ length: 6_000 }, () => ({ webhook: { topic: "charges/events", data: { nope: 1 } } }));
  let answer: Awaited<ReturnType<typeof control>> | undefined;
  const stopMs = await longestStop(async () => {
    answer = await control("POST", "/scenarios/replay", {
      given: { webhooks: [{ topic: "charges/events" }] },
      steps: [{ repeat: { times: 100, steps: [createEvent] } }, { parallel }],
    });
  });
  expect(answer?.body).toMatchObject({ outcome: "failed", stepsPassed: 101 });
  expect(stopMs).toBeLessThan(1_500);
});

it("thousands of failed requests in one parallel step do not keep their answers", async () => {
  const { control } = openWorld();
  const create = {
    request: "POST /v1/charges",
    body: {
      amount: 1,
      externalId: "lists",
      description: "lists",
      onCanceledRedirectionUrl: "https://shop.example",
      onCompletedRedirectionUrl: "https://shop.example",
      metadata: { lists: Array.from({ length: 40_000 }, () => []) },
    },
    save: { charge: "body.id" },
  };
  const parallel = Array.from({ length: 500 }, () => ({
    request: "GET /v1/charges/${charge}",
    expect: { status: 201 },
  }));
  const before = process.memoryUsage().heapUsed;
  let mostBytes = 0;
  const timer = setInterval(() => (mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed - before)), 50);
  const { body } = await control("POST", "/scenarios/replay", { steps: [create, { parallel }] });
  clearInterval(timer);
  expect(body).toMatchObject({ outcome: "failed", stepsPassed: 1 });
  expect(mostBytes).toBeLessThan(400 * 1024 * 1024);
});

describe("a scenario whose parts multiply does not stop the others", () => {
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const save = (step: number) => ({
    request: "GET /v1/balance",
    save: Object.fromEntries(many(1_000, (index) => [`name_${step}_${index}`, "status"])),
  });
  const nest = (levels: number, step: unknown): unknown =>
    levels === 0 ? step : nest(levels - 1, { parallel: [step] });
  const insert = (name: (index: number) => string) => ({
    request: "POST /v1/charges",
    body: many(1_500, (index) => `\${${name(index)}}`),
  });

  it.each<[string, ...unknown[]]>([
    ["variables and branches", ...many(8, save), { parallel: many(6_000, () => ({ settle: true })) }],
    ["levels and texts", nest(90, { request: "POST /v1/charges", body: many(20_000, () => "a") })],
    ["unknown and known names", ...many(40, save), insert((index) => `name_${index}`)],
    [
      "unknown names and a long one",
      { request: "GET /v1/balance", save: { ["a".repeat(600_000)]: "status" } },
      insert((index) => "b".repeat(90) + index),
    ],
  ])("%s", async (_, ...steps) => {
    const { control } = openWorld();
    const stopMs = await longestStop(async () => {
      const { status } = await control("POST", "/scenarios/replay", { steps });
      expect([200, 400]).toContain(status);
    });
    expect(stopMs).toBeLessThan(1_500);
  });

  it("a company more than a hundred others is an error", async () => {
    const { control } = openWorld();
    const open = (count: number) => many(count, (index) => ({ request: "GET /v1/balance", as: `shop-${index}` }));
    const replay = async (count: number) => (await control("POST", "/scenarios/replay", { steps: open(count) })).body;
    expect(await replay(100)).toMatchObject({ outcome: "passed" });
    expect(await replay(101)).toMatchObject({
      outcome: "error",
      failure: { message: "A scenario may have at most 100 other companies (`as`)." },
    });
  });
});

describe("the variables of a scenario are bounded", () => {
  const create = (metadata: unknown) => ({
    request: "POST /v1/charges",
    body: {
      amount: 1,
      externalId: "${uuid}",
      description: "b",
      onCanceledRedirectionUrl: "https://shop.example",
      onCompletedRedirectionUrl: "https://shop.example",
      metadata,
    },
  });
  const fetchCharge = { request: "GET /v1/charges/${charge.id}" };
  const begin = [
    { ...create({ text: "x".repeat(100_000) }), save: { text: "body.metadata.text" } },
    { ...create({ text: "${text}".repeat(8) }), save: { charge: "body", long: "body.metadata.text" } },
  ];
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const saveOften = (prefix: string, path = "body") => ({
    ...fetchCharge,
    save: Object.fromEntries(many(30, (index) => [`${prefix}${index}`, path])),
  });
  const replay = async (...steps: readonly unknown[]) =>
    (await openWorld().control("POST", "/scenarios/replay", { steps: [...begin, ...steps] })).body;

  it.each<[string, ...unknown[]]>([
    ["saves too much", ...["a", "b", "c"].map((prefix) => saveOften(prefix))],
    ["saves too much in branches", { parallel: ["a", "b", "c"].map((prefix) => saveOften(prefix)) }],
    [
      "saves lists of small values",
      { ...create({ list: many(40_000, () => ({})) }), save: { charge: "body" } },
      saveOften("a", "body.metadata"),
    ],
    ["fills too much into a step", { request: "POST /v1/charges", body: many(100, (index) => `\${long} ${index}`) }],
    ["fills objects into a step", { request: "POST /v1/charges", body: many(100, () => "${charge}") }],
    [
      "fills too much into an expectation",
      { request: "GET /v1/balance", expect: { body: many(100, () => "${long}!") } },
    ],
  ])("one that %s ends with an error", async (_, ...steps) => {
    const { outcome, failure } = await replay(...steps);
    expect(outcome).toBe("error");
    expect(failure).toMatchObject({
      step: expect.stringMatching(/^(GET|POST) /) as string,
      position: { line: expect.any(Number) as number },
      message: expect.stringMatching(/^The variables of the scenario take more than 64 MiB/) as string,
    });
  });

  it.each([
    ["path", { request: "GET /v1/charges/${long}" }],
    ["query", { request: "GET /v1/balance", query: { text: "${long}" } }],
    ["headers", { request: "GET /v1/balance", headers: { "x-text": "${long}" } }],
  ])("one that sends a long text in the %s ends with an error", async (_, step) => {
    const { outcome, failure } = await replay(step);
    expect(outcome).toBe("error");
    expect(failure).toMatchObject({
      message: "The path and headers of a request must have at most 16384 characters.",
    });
  });

  it("a value that was replaced, and one of a step that is over, no longer count", async () => {
    const { outcome } = await replay(
      { repeat: { times: 3, steps: [saveOften("a")] } },
      { repeat: { times: 3, steps: [{ request: "POST /v1/charges", rawBody: "${long}".repeat(30) }] } },
    );
    expect(outcome).toBe("passed");
  });
});
