/**
 * A shop's webhook receiver. `buggy-receiver.mjs` differs in one line, which `audit` detects.
 *
 *   node examples/audit/receiver.mjs
 *
 * PORT (4020; 0 takes a free one) and SANDBOX_SECRET_KEY (secret_sandbox) can be set.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SANDBOX_SECRET_KEY: secretKey = "secret_sandbox", PORT: port = "4020" } = process.env;
const paid = new Set();

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error) => response.destroy(error),
  );
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/webhooks`);
});

async function receive(request) {
  const rawBody = await readBody(request);
  const event = readEvent(rawBody);
  const signed = rawBody;
  if (!isGenuine(signed, request.headers["x-service-hmac-sha256"])) return 401;
  if (event === null) return 400;
  if (event.topic === "charges/events" && event.data.status === "paid") paid.add(event.data.externalId);
  return 200;
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readEvent(rawBody) {
  try {
    const event = JSON.parse(rawBody.toString("utf8"));
    const hasData = typeof event?.data === "object" && event.data !== null;
    return hasData && typeof event.topic === "string" ? event : null;
  } catch {
    return null;
  }
}

function isGenuine(body, header) {
  if (typeof header !== "string" || secretKey === "") return false;
  const expected = Buffer.from(createHmac("sha256", secretKey).update(body).digest("base64"));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
