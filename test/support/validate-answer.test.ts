import { describe, expect, it } from "vitest";
import { describeApi } from "../../src/contract/openapi/describe-api.js";
import { startReceiver } from "./receiver.js";
import { chargeRequest } from "./requests.js";
import { examplesOf, profileOf } from "./openapi-walk.js";
import { validateAnswer, validatePayload } from "./validate-answer.js";
import { createWorld } from "./world.js";

const examples = new Map(examplesOf(describeApi()).map(({ where, value }) => [where, Object(value)]));
const created = exampleOf("/paths//v1/charges/post/responses/201/content/created");
const read = exampleOf("/paths//v1/charges/{id}/get/responses/200/content/due");
const refused = exampleOf("/paths//v1/charges/post/responses/409/content/refused");
const payload = exampleOf("/webhooks/charges/events/post/requestBody/content/paid");
const completed = exampleOf("/webhooks/transactions/completed/post/requestBody/content/completed");

describe("validateAnswer", () => {
  it.each([
    ["POST", "/v1/charges", 201, created],
    ["GET", "/v1/charges/x?y=1", 200, read],
    ["POST", "/v1/charges", 409, refused],
    ["DELETE", "/v1/webhooks/x", 204, undefined],
    ["HEAD", "/v1/charges/x", 200, undefined],
    ["GET", "/v1/nothing", 404, { ...refused, statusCode: 404 }],
    ["PUT", "/v1/charges", 405, { ...refused, statusCode: 405 }],
  ])("takes %s %s %i", (method, path, status, body) => {
    expect(() => validateAnswer({ method, path, status, body })).not.toThrow();
  });

  it.each([
    ["a status that is not described", "POST", "/v1/charges", 200, created, "createCharge is described with 201, 400"],
    [
      "a field that is not described",
      "POST",
      "/v1/charges",
      201,
      { ...created, owner: 1 },
      "NOT have additional properties",
    ],
    [
      "a field of another view",
      "POST",
      "/v1/charges",
      201,
      { ...created, droppedReason: null },
      "additional properties",
    ],
    ["a field that is missing", "GET", "/v1/charges/x", 200, { ...read, due: undefined }, "required property 'due'"],
    ["a value of another kind", "GET", "/v1/charges/x", 200, { ...read, amount: "5" }, "body/amount must be number"],
    [
      "a timestamp of another view",
      "GET",
      "/v1/charges/x",
      200,
      { ...read, createdAt: created.createdAt },
      "createdAt",
    ],
    ["a status of another view", "GET", "/v1/charges/x", 200, { ...read, status: "created" }, "status must be equal"],
    ["a body where none is described", "DELETE", "/v1/webhooks/x", 204, {}, "with a body, and none is described"],
    ["an error with another status", "POST", "/v1/charges", 400, refused, "answered 400 with statusCode 409"],
    ["a path that is not described", "GET", "/v1/nothing", 200, {}, "what is not described is 404"],
    ["a method that is not described", "PUT", "/v1/charges", 404, refused, "what is not described is 405"],
    ["a method of a path that looks like an identifier", "GET", "/v1/transactions/batch", 404, refused, "405"],
  ])("refuses %s", (_, method, path, status, body, why) => {
    expect(() => validateAnswer({ method, path, status, body: JSON.parse(JSON.stringify(body)) })).toThrow(why);
  });

  it("applies the profile", () => {
    const profile = profileOf({ "http.createdStatus": 200 });
    expect(() =>
      validateAnswer({ method: "POST", path: "/v1/charges", status: 200, body: created }, profile),
    ).not.toThrow();
    expect(() => validateAnswer({ method: "POST", path: "/v1/charges", status: 201, body: created }, profile)).toThrow(
      "201",
    );
  });
});

describe("validatePayload", () => {
  it("accepts described payloads, in the spelling of their topic", () => {
    expect(() => validatePayload("charges/events", payload)).not.toThrow();
    expect(() => validatePayload("charge/events", { ...payload, topic: "charge/events" })).not.toThrow();
  });

  it.each([
    ["an unknown topic", "charges/event", payload, "none is described"],
    ["another topic in the body", "charge/events", payload, "says that it is of another topic"],
    ["a field beside", "charges/events", { ...payload, id: "1" }, "NOT have additional properties"],
    ["a field within", "charges/events", { ...payload, data: { ...payload.data, owner: 1 } }, "additional properties"],
    ["a status that the topic does not have", "transactions/completed", failing({ status: "failed" }), "data/status"],
    ["an id with a prefix", "transactions/completed", failing({ id: `txn_${completed.data.id}` }), "data/id"],
  ])("refuses %s", (_, topic, body, why) => {
    expect(() => validatePayload(topic, body)).toThrow(why);
  });
});

describe("a world", () => {
  it("fails a call with an undescribed answer", async () => {
    const world = createWorld();
    const { body } = await world.api("POST", "/v1/charges", chargeRequest());
    const charge = world.sandbox.defaultCompany.world.charges.get(body.id)!;
    // Simulates a bug of a renderer.
    world.sandbox.defaultCompany.world.charges.set({ ...charge, attempts: 0.5 });
    await expect(world.api("GET", `/v1/charges/${body.id}`)).rejects.toThrow("body/attempts must be integer");
    await world.close();
  });

  it("fails at its end when an undescribed payload was sent", async () => {
    const world = createWorld();
    const receiver = await startReceiver();
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const { body } = await world.api("POST", "/v1/charges", chargeRequest());
    const charge = world.sandbox.defaultCompany.world.charges.get(body.id)!;
    world.sandbox.defaultCompany.world.charges.set({ ...charge, attempts: 0.5 });
    await world.app.request(`/v1/charges/${body.id}/pay`, {
      method: "POST",
      headers: { authorization: "Bearer at_sandbox" },
    });
    await receiver.waitFor(1);
    await expect(world.close()).rejects.toThrow("body/data/attempts must be integer");
  });
});

function exampleOf(where: string) {
  const found = examples.get(where);
  if (found === undefined) throw new Error(`No example at ${where}; there are\n${[...examples.keys()].join("\n")}`);
  return found;
}

function failing(change: Readonly<Record<string, unknown>>) {
  return { ...completed, data: { ...completed.data, ...change } };
}
