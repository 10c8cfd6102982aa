/**
 * The app beside the sandbox: it accepts orders, creates their charges, and handles webhooks.
 *
 *   POST /orders      a new order → {id, status, paymentUrl}
 *   GET  /orders      all orders with the status of their charge
 *   POST /webhooks    webhooks of the payments service
 *
 * Environment: PAYMENTS_URL, PAYMENTS_ACCESS_TOKEN, PAYMENTS_COMPANY_ID, PAYMENTS_SECRET_KEY, APP_URL (where the service reaches
 * this app; default: the address on which it listens), HOST and PORT (0 takes a free one).
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const {
  PAYMENTS_URL: paymentsUrl = "http://127.0.0.1:4010",
  PAYMENTS_ACCESS_TOKEN: accessToken = "at_sandbox",
  PAYMENTS_COMPANY_ID: companyId = "company_sandbox",
  PAYMENTS_SECRET_KEY: secretKey = "secret_sandbox",
  HOST: host = "127.0.0.1",
  PORT: port = "3000",
} = process.env;

const orders = new Map();
/** A webhook may come twice, late, or after a later one: an order only moves forward. */
const stages = ["created", "dropped", "paid", "refunded_partially", "refunded"];

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), host);
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;
await callPayments("/v1/webhooks", { topic: "charges/events", url: `${process.env["APP_URL"] ?? url}/webhooks` });
console.log(`listening on ${url}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

async function answer(request, response) {
  const { status, body } = await route(request).catch((error) => ({ status: 502, body: { error: error.message } }));
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function route(request) {
  switch (`${request.method} ${request.url}`) {
    case "GET /orders":
      return { status: 200, body: [...orders.values()] };
    case "POST /orders":
      return { status: 201, body: await createOrder() };
    case "POST /webhooks":
      return takeWebhook(await readBytes(request), request.headers["x-service-hmac-sha256"]);
    default:
      return { status: 404, body: { error: "There is no such page." } };
  }
}

async function createOrder() {
  const id = randomUUID();
  const charge = await callPayments("/v1/charges", {
    amount: 10_000,
    externalId: id,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  });
  const order = { id, status: charge.status, paymentUrl: charge.paymentUrl };
  orders.set(id, order);
  return order;
}

/** Verifies the raw bytes before they are parsed. */
function takeWebhook(rawBody, signature = "") {
  const expected = Buffer.from(createHmac("sha256", secretKey).update(rawBody).digest("base64"));
  const given = Buffer.from(signature);
  const isGenuine = secretKey !== "" && given.length === expected.length && timingSafeEqual(given, expected);
  if (!isGenuine) return { status: 401, body: { error: "wrong signature" } };
  const charge = readCharge(rawBody);
  if (charge === null) return { status: 400, body: { error: "not an event" } };
  const order = orders.get(charge.externalId);
  if (order !== undefined && stages.indexOf(charge.status) > stages.indexOf(order.status)) order.status = charge.status;
  return { status: 200, body: {} };
}

function readCharge(rawBody) {
  try {
    return JSON.parse(rawBody.toString("utf8"))?.data ?? null;
  } catch {
    return null;
  }
}

async function readBytes(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function callPayments(path, body) {
  const response = await fetch(paymentsUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "x-company-id": companyId, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${answer.message}`);
  return answer;
}
