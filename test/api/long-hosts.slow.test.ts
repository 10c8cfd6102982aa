import { expect, it } from "vitest";
import { HOST_LENGTH_MAX } from "../../src/kernel/messages/text.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest } from "../support/requests.js";
import { openWorld, type LooseJson } from "../support/world.js";

const STOP_MAX_MS = 500;
/** The time to convert a name with many different letters outside ASCII grows with the square of its length. */
const host = Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x4e_00 + (index % 20_000))).join("");

it.each([
  ["a charge", "POST", "/v1/charges", chargeRequest({ onCompletedRedirectionUrl: `http://${host}/` })],
  ["a subscription", "POST", "/v1/webhooks", { topic: "charges/events", url: `http://${host}/` }],
])("%s with a URL whose host is too long is refused and blocks nothing", async (_, method, path, request) => {
  const world = openWorld();
  // Excludes what a first request loads and compiles.
  await world.api("POST", "/v1/charges", chargeRequest({ externalId: "first" }));
  const stopMs = await longestStop(async () => {
    const { status, body } = await world.api(method, path, request);
    expect([status, body.message]).toEqual([400, [expect.stringContaining("must be an absolute http or https URL")]]);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a further subscription beside a thousand with the longest hosts blocks nothing", async () => {
  const world = openWorld();
  await world.api("POST", "/v1/webhooks", {
    topic: "charges/events",
    url: `http://${host.slice(0, HOST_LENGTH_MAX)}/`,
  });
  const { body: state } = await world.control("GET", "/state");
  const [subscription] = state.subscriptions;
  state.subscriptions = Array.from({ length: 1_000 }, (_, index): LooseJson => {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    return { ...subscription, id, seq: state.seq + index, url: `${subscription.url}${index}` };
  });
  state.seq += 1_000;
  expect((await world.control("PUT", "/state", state)).status).toBe(200);
  const stopMs = await longestStop(async () => {
    const answer = await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://shop.test/hook" });
    expect(answer.status).toBe(201);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a setting with a host that is too long is refused and blocks nothing", async () => {
  const world = openWorld();
  await world.control("PATCH", "/profile", {});
  const stopMs = await longestStop(async () => {
    const { status } = await world.control("PATCH", "/profile", { webhooks: { allow: [host] } });
    expect(status).toBe(400);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a URL with a long path, query or user is no URL with a long host", async () => {
  const world = openWorld();
  const long = "x".repeat(100_000);
  const request = chargeRequest({
    onCanceledRedirectionUrl: `https://${long}@shop.test/no`,
    onCompletedRedirectionUrl: `https://shop.test?${long}`,
  });
  const { status } = await world.api("POST", "/v1/charges", request);
  expect(status).toBe(201);
});
