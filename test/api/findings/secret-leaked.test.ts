import { expect, it } from "vitest";
import { startLive } from "../../support/live.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest } from "../../support/requests.js";
import { findingsOf, kindsOf } from "./findings.js";

const SECRETS = /at_sandbox|secret_sandbox/;

it.each([
  ["the access token in the query", "GET", "/v1/balance?access_token=at_sandbox", undefined],
  ["the access token in the path", "GET", "/v1/charges/at_sandbox", undefined],
  ["the secret key encoded in the query", "GET", "/v1/balance?key=secret%5Fsandbox", undefined],
  ["the secret key in a body", "POST", "/v1/charges", chargeRequest({ metadata: { key: "secret_sandbox" } })],
  [
    "the access token in a webhook's URL",
    "POST",
    "/v1/webhooks",
    { topic: "charges/events", url: "https://shop.test/?t=at_sandbox" },
  ],
  [
    "the secret key as a reference",
    "POST",
    "/v1/transactions",
    { amount: 5000, msisdn: "+2250700000010", reference: "secret_sandbox", type: "transfer" },
  ],
])("secret-leaked reports %s, and never repeats it", async (_, method, path, body) => {
  const live = await startLive();
  await live.http(method, path, body);
  const { text } = await live.control("GET", "/findings");
  expect(text).not.toMatch(SECRETS);
  expect(decodeURIComponent(text)).not.toMatch(SECRETS);
  const [found, ...rest] = await findingsOf(live);
  expect(found).toMatchObject({ kind: "secret-leaked", severity: "critical", requests: [{ id: "req_1", method }] });
  expect(rest).toEqual([]);
});

it.each([
  ["a form", "application/x-www-form-urlencoded", "grant=x&access_token=at%5Fsandbox"],
  ["text that is not JSON", "application/json", '{"key":"secret_sandbox"'],
])("secret-leaked reports a secret in a body that is refused: %s", async (_, type, body) => {
  const live = await startLive();
  const headers = { authorization: "Bearer at_sandbox", "content-type": type };
  await fetch(`${live.url}/v1/transactions`, { method: "POST", headers, body });
  expect(await kindsOf(live)).toEqual(["secret-leaked"]);
});

it("secret-leaked reports a request without a token, which counts towards the company that it names", async () => {
  const live = await startLive();
  const answer = await live.http("GET", "/v1/balance?access_token=at_sandbox", undefined, { authorization: null });
  expect(answer.status).toBe(401);
  expect(await kindsOf(live)).toEqual(["secret-leaked"]);
});

it("secret-leaked does not report a token in its header, or similar words", async () => {
  const live = await startLive();
  await live.createCharge({ metadata: { note: "flat_sandbox at_sandboxes" } });
  await live.http("GET", "/v1/balance?x=company_sandbox");
  expect(await kindsOf(live)).toEqual([]);
});

it("is searched for in a time that does not grow with the number of tokens", async () => {
  const live = await startLive();
  for (let rotated = 0; rotated < 90; rotated++)
    await live.control("POST", "/companies/company_sandbox/rotate", {
      accessToken: `at_rotated_${rotated}`,
      overlap: "1d",
    });
  const metadata = { v: "%2525".repeat(150_000) };
  const stopMs = await longestStop(() => live.http("POST", "/v1/charges", chargeRequest({ metadata })));
  expect(stopMs).toBeLessThan(500);
});
