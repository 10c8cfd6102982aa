/**
 * A market: a customer buys from a seller, and the seller is paid out when the webhook says that the customer has paid. The payout has the reference of
 * the order, so a webhook that comes twice changes nothing: the service answers 409.
 *
 *   npx business-payments-sandbox explore --only charges/events -- node examples/explore/market-fixed.mjs
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWebhook } from "business-payments-sandbox/webhooks";

const {
  SANDBOX_URL: url,
  SANDBOX_ACCESS_TOKEN: token,
  SANDBOX_COMPANY_ID: company,
  SANDBOX_SECRET_KEY: secret,
} = process.env;
const order = {
  amount: 10_000,
  externalId: "order-1",
  description: "Shoes",
  onCanceledRedirectionUrl: "https://market.test/no",
  onCompletedRedirectionUrl: "https://market.test/yes",
};

const market = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
await once(market, "listening");
await post("/v1/webhooks", { topic: "charges/events", url: `http://127.0.0.1:${market.address().port}/` });
const { id } = await post("/v1/charges", order);
const charge = await post(`/v1/charges/${id}/pay`);
if (market.payouts === undefined) await Promise.race([once(market, "paid out"), sleep(2_000)]);
// Webhooks can come twice, or not at all.
await sleep(300);
if (market.payouts === undefined) await payOut(charge);
console.log(`${market.payouts} paid out`);
market.close();

async function take(request, response) {
  try {
    const { data } = parseWebhook(await buffer(request), request.headers["x-service-hmac-sha256"], secret);
    if (data.status === "paid") await payOut(data);
    response.end();
  } catch (error) {
    response.writeHead(error.status ?? 500).end();
  }
}

async function payOut({ externalId }) {
  const reference = `seller-of-${externalId}`;
  await post("/v1/transactions", { type: "transfer", amount: 9_000, msisdn: "+2250700000010", reference });
  market.payouts = (market.payouts ?? 0) + 1;
  market.emit("paid out");
}

async function post(path, body) {
  const headers = { authorization: `Bearer ${token}`, "x-company-id": company, "content-type": "application/json" };
  const answer = await fetch(url + path, { method: "POST", headers, body: body && JSON.stringify(body) });
  return answer.json();
}
