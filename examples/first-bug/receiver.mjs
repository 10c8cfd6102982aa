/**
 * A shop's webhook receiver: it ships an order when its charge is paid, once.
 *
 *   node examples/first-bug/receiver.mjs
 *
 * PORT (4020; 0 takes a free one) and SANDBOX_SECRET_KEY (secret_sandbox) can be set.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SANDBOX_SECRET_KEY: secretKey = "secret_sandbox", PORT: port = "4020" } = process.env;
const shipped = new Set();

const server = createServer((request, response) => {
  receive(request).then(
    ({ status, text }) => {
      console.log(`${status} ${text}`);
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
    },
    (error) => response.destroy(error),
  );
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/webhooks`);
});

async function receive(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  // The raw bytes, since the signature is of them.
  const rawBody = Buffer.concat(chunks);
  if (!isGenuine(rawBody, request.headers["x-service-hmac-sha256"])) return { status: 401, text: "wrong signature" };
  const charge = readCharge(rawBody);
  return charge === null ? { status: 400, text: "not an event" } : { status: 200, text: takeCharge(charge) };
}

function readCharge(rawBody) {
  try {
    return JSON.parse(rawBody.toString("utf8"))?.data ?? null;
  } catch {
    return null;
  }
}

/** Handles a genuine charges/events. */
function takeCharge(charge) {
  if (charge.status !== "paid") return `did not ship ${charge.externalId}: it is ${charge.status}`;
  if (shipped.has(charge.externalId)) return `had shipped ${charge.externalId} already`;
  shipped.add(charge.externalId);
  return `shipped ${charge.externalId}`;
}

function isGenuine(rawBody, signature = "") {
  if (secretKey === "") return false;
  const expected = Buffer.from(createHmac("sha256", secretKey).update(rawBody).digest("base64"));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
