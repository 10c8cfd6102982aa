import { expect, it } from "vitest";
import type { Entry } from "../recording/entry.js";
import { presuppose } from "./presuppose.js";

// Keeping all of them for each webhook would take the product of both in memory.
it("takes one of the first 100 subscriptions for that of a webhook at another URL", () => {
  const created = Array.from({ length: 150 }, (_, index) => subscription(index));
  const received = Array.from({ length: 150 }, (_, index) => webhook(150 + index));
  const { assumptions } = presuppose({ companyId: undefined, entries: [...created, ...received] });
  const supposed = assumptions.filter((text) => text.startsWith("A subscription to charges/events was made"));
  expect(supposed).toHaveLength(50);
});

function subscription(index: number): Entry {
  const sent = { topic: "charges/events", url: `http://app.test/${index}` };
  return {
    ...placeOf(index),
    kind: "request",
    authorization: undefined,
    companyId: undefined,
    contentType: undefined,
    operation: "createWebhook",
    path: "/v1/webhooks",
    body: JSON.stringify(sent),
    answer: {
      status: 201,
      headers: { retryAfter: null, contentType: null, allow: null },
      body: { id: `w${index}`, ...sent },
    },
  };
}

function webhook(index: number): Entry {
  const body = { topic: "charges/events", data: { id: `c${index}`, status: "paid" } };
  return {
    ...placeOf(index),
    kind: "webhook",
    headers: [],
    url: `http://tunnel.test/${index}`,
    topic: "charges/events",
    body,
    text: JSON.stringify(body),
    signature: undefined,
    status: 200,
  };
}

function placeOf(index: number) {
  return { exchange: { file: null, index, method: "POST", path: "/v1/webhooks" }, at: index };
}
