import { describe, expect, it } from "vitest";
import { scene, sighting } from "../../../test/support/sighting.js";
import { createSecretLeakedDetector } from "./secret-leaked.js";

const stage = scene({
  secrets: [
    { name: "secret key", text: "k3y/with+signs=" },
    { name: "access token", text: "at_shop" },
  ],
});
const watch = (change: Parameters<typeof sighting>[0]) => createSecretLeakedDetector().see?.(sighting(change), stage);

describe("a leaked secret", () => {
  it.each([
    ["the access token in the query", { path: "/v1/balance?access_token=at_shop" }, "access token query getBalance"],
    [
      "the access token in the path",
      { path: "/v1/charges/at_shop", operation: "getCharge" },
      "access token path getCharge",
    ],
    [
      "the secret key, encoded for a URL",
      { path: "/v1/balance?k=k3y%2Fwith%2Bsigns%3D" },
      "secret key query getBalance",
    ],
    ["a letter of it encoded without need", { path: "/v1/balance?t=%61t_shop" }, "access token query getBalance"],
    [
      "the secret key in a body",
      { body: { metadata: { deep: [{ key: "k3y/with+signs=" }] } } },
      "secret key body getBalance",
    ],
    ["as the name of a member", { body: { at_shop: 1 } }, "access token body getBalance"],
    [
      "in a webhook's URL",
      { body: { url: "https://shop.test/hooks?token=at_shop" }, operation: "createWebhook" },
      "access token body createWebhook",
    ],
    [
      "where the API has no such path",
      { path: "/login/at_shop", method: "POST", operation: undefined },
      "access token path POST",
    ],
  ] as const)("is %s", (_, change, key) => {
    const [found, ...rest] = watch(change) ?? [];
    expect(found).toMatchObject({ key });
    expect(found?.why + (found?.fix ?? "")).not.toMatch(/at_shop|k3y/);
    expect(rest).toEqual([]);
  });

  it("is told apart by what it is and where it is", () => {
    const found = watch({ path: "/v1/balance?t=at_shop", body: { t: "at_shop", k: "k3y/with+signs=" } }) ?? [];
    expect(found.map(({ key }) => key)).toEqual([
      "secret key body getBalance",
      "access token query getBalance",
      "access token body getBalance",
    ]);
  });
});

it.each([
  ["a part of a longer word", { body: { reference: "flat_shop-at_shopping at_shop-2" } }],
  ["nothing at all", { path: "/v1/balance?q=%zz%", body: { amount: 5, list: [null, true] } }],
  ["the header it belongs to", { headers: { authorization: "Bearer at_shop" } }],
])("is silent about %s", (_, change) => {
  expect(watch(change)).toEqual([]);
});

it.each([
  ["plainly", '{"t":"at_shop"}', 1],
  ["as a name", '{"at_shop":1}', 1],
  ["escaped", String.raw`{"t":"\u0061t_shop"}`, 1],
  ["with a slash that is escaped", String.raw`{"k":"k3y\/with+signs="}`, 1],
  ["encoded for a URL", '{"k":"k3y%2Fwith%2Bsigns%3D"}', 1],
  ["not at all", '{"t":"at shop"}', 0],
  ["as a part of a word", String.raw`{"t":"flat_shop\n"}`, 0],
])("reads a body as it was sent: %s", (_, bodyText, found) => {
  expect(watch({ body: JSON.parse(bodyText), bodyText })).toHaveLength(found);
});

it("looks into a body that is nested deeper than the stack", () => {
  const deep = JSON.parse("[".repeat(200_000) + '"at_shop"' + "]".repeat(200_000));
  expect(watch({ body: deep })).toHaveLength(1);
});
