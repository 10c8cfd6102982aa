/** The code that programs in Node share: calls, time, webhooks. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const {
  SANDBOX_URL: url,
  SANDBOX_ACCESS_TOKEN: token,
  SANDBOX_COMPANY_ID: company,
  SANDBOX_SECRET_KEY: secret,
} = process.env;

export const payee = "+2250700000010";

/** Sends one request. Rejects when no answer comes in time, or when it is not JSON. */
export async function call(method, path, body, { timeoutMs = 1_500 } = {}) {
  const headers = { authorization: `Bearer ${token}`, "x-company-id": company, "content-type": "application/json" };
  const signal = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
  const sent = { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) };
  const answer = await fetch(url + path, sent);
  return { status: answer.status, body: await answer.json() };
}

/** Like `call`, but returns undefined when there is no answer. */
export const tryCall = (...request) => call(...request).catch(() => undefined);

/** Advances the time. */
export async function pass(by) {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify({ by }) };
  const answer = await fetch(`${url}/_sandbox/clock/advance`, sent);
  if (!answer.ok) throw new Error(await answer.text());
}

export const isUnclear = (answer) => answer === undefined || answer.status >= 500 || answer.status === 429;

/** Sends the same request until its answer is clear. Gives up after five attempts. */
export async function insist(...request) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const answer = await tryCall(...request);
    if (!isUnclear(answer)) return answer;
    await pass("10s");
  }
  fail(`${request[0]} ${request[1]} is not answered`);
}

export function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

export const payoutOf = (reference, amount = 150_000, msisdn = payee) => ({
  type: "transfer",
  amount,
  msisdn,
  reference,
});

/** Reads a payout until it has ended, for a quarter of an hour. */
export async function outcomeOf(id) {
  for (let attempt = 1; attempt <= 6; attempt++) {
    const { body } = await insist("GET", `/v1/transactions/${id}`);
    if (body.status !== "pending") return body.status;
    await pass("3m");
  }
  return "pending";
}

export const chargeOf = (externalId, amount = 10_000) => ({
  amount,
  externalId,
  description: "Shoes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
});

/** Sells one order, which the customer pays. Returns the charge. */
export async function sell(externalId) {
  const { status, body: charge } = await insist("POST", "/v1/charges", chargeOf(externalId));
  if (status === 409) fail(`${externalId} was charged, and its id is lost`);
  await insist("POST", `/v1/charges/${charge.id}/pay`);
  return charge;
}

/** Receives the genuine webhooks of some topics. The receiver does not keep the program alive. */
export async function receive(topics) {
  const events = [];
  const take = async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const signature = createHmac("sha256", secret).update(body).digest("base64");
    const isGenuine = request.headers["x-service-hmac-sha256"] === signature;
    if (isGenuine) events.push(JSON.parse(body.toString()));
    response.writeHead(isGenuine ? 200 : 401).end();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  server.on("connection", (socket) => socket.unref());
  await once(server.unref(), "listening");
  const address = `http://127.0.0.1:${server.address().port}/`;
  for (const topic of topics) await subscribe(topic, address);
  return events;
}

/** Subscribes once: if an answer was lost, checks whether the subscription exists. */
async function subscribe(topic, address) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    if (!isUnclear(await tryCall("POST", "/v1/webhooks", { topic, url: address }))) return;
    const { body } = await insist("GET", "/v1/webhooks");
    if (body.data.some((subscription) => subscription.url === address && subscription.topic === topic)) return;
    await pass("10s");
  }
  fail(`there is no subscription for ${topic}`);
}
