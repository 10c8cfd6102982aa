import { expect, it } from "vitest";
import { holdsSecret, secretsOf } from "./secrets.js";

const secrets = secretsOf({
  id: "company_shop",
  secretKey: "k/y+1=",
  tokens: [
    { token: "at_shop", expiresAt: null },
    { token: "shop", expiresAt: null },
    { token: "1234", expiresAt: null },
    { token: "averylongwordthatisatoken", expiresAt: null },
  ],
});

it("are the secret key and the tokens, but not a plain word or number that a text may have anyway", () => {
  expect(secrets.map(({ text }) => text)).toEqual(["k/y+1=", "at_shop", "averylongwordthatisatoken"]);
});

it.each(["reference at_shop!", "?k=k%2Fy%2B1%3D&x=%20", "/%61t_shop", "at_shopping at_shop"])("are in %j", (text) => {
  expect(secrets.some((secret) => holdsSecret(text, secret))).toBe(true);
});

it.each(["flat_shop", "at_shopping", "at_shop-2", "%", "%zz", "", "shop 1234"])("are not in %j", (text) => {
  expect(secrets.some((secret) => holdsSecret(text, secret))).toBe(false);
});
