/**
 * The floor: the same work by hand, over `node:http` and nothing else. It answers POST /v1/charges, GET /v1/charges/:id and GET /v1/balance with the bytes
 * that the sandbox answers, checks what the sandbox checks of a request, and keeps charges in a Map. It has no clock, no events, no journal and no webhooks.
 *
 *     node bench/floors/plain.mjs        says its address as the first line, as JSON
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const TOKEN = "at_sandbox";
const COMPANY = "company_sandbox";
const BODY_MAX = 1024 * 1024;

const charges = new Map();
const externalIds = new Set();

const server = createServer((request, response) => {
  const { method, url } = request;
  if (method === "POST" && url === "/v1/charges") return postCharge(request, response);
  if (method === "GET" && url === "/v1/balance") return getBalance(request, response);
  if (method === "GET" && url.startsWith("/v1/charges/")) return getCharge(request, response, url.slice(12));
  return refuse(response, 404, [`There is no ${method} ${url} here`], url);
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ event: "listening", url })}\n`);
});
process.on("SIGTERM", () => process.exit(0));

function postCharge(request, response) {
  if (!isAuthorized(request)) return refuse(response, 401, ["The access token is unknown"], request.url);
  if (request.headers["x-company-id"] !== COMPANY) return refuse(response, 403, ["X-Company-Id"], request.url);
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? ""))
    return refuse(response, 415, ["content-type must be application/json"], request.url);
  const chunks = [];
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    if (size <= BODY_MAX) chunks.push(chunk);
  });
  request.on("end", () => {
    if (size > BODY_MAX) return refuse(response, 413, [`The body must be at most ${BODY_MAX} bytes`], request.url);
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    } catch {
      return refuse(response, 400, ["The body is not JSON"], request.url);
    }
    const problems = problemsOf(body);
    if (problems.length > 0) return refuse(response, 400, problems, request.url);
    if (externalIds.has(body.externalId)) return refuse(response, 409, ["The externalId is taken"], request.url);
    const id = randomUUID();
    const charge = {
      ...body,
      id,
      createdAt: new Date(),
      status: "due",
      fee: Math.round(body.amount * 0.01),
      metadata: body.metadata ?? {},
      paymentUrl: `http://${request.headers.host}/checkout/${id}`,
    };
    charges.set(id, charge);
    externalIds.add(charge.externalId);
    answer(response, 201, renderCharge(charge, true));
  });
}

function getCharge(request, response, id) {
  if (!isAuthorized(request)) return refuse(response, 401, ["The access token is unknown"], request.url);
  const charge = charges.get(id);
  if (charge === undefined) return refuse(response, 404, [`No charge has the id ${id}`], request.url);
  answer(response, 200, renderCharge(charge, false));
}

function getBalance(request, response) {
  if (!isAuthorized(request)) return refuse(response, 401, ["The access token is unknown"], request.url);
  answer(response, 200, { balance: 10_000_000, currency: "XOF" });
}

function isAuthorized({ headers }) {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] === TOKEN;
}

function problemsOf(body) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return ["body must be a JSON object"];
  const problems = [];
  const { amount, externalId, description, onCanceledRedirectionUrl, onCompletedRedirectionUrl, metadata } = body;
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > 1_000_000_000)
    problems.push("amount must be a whole number");
  if (!isText(externalId)) problems.push("externalId must be a string that is not blank");
  if (!isText(description)) problems.push("description must be a string that is not blank");
  if (!isUrl(onCanceledRedirectionUrl)) problems.push("onCanceledRedirectionUrl must be an absolute http or https URL");
  if (!isUrl(onCompletedRedirectionUrl))
    problems.push("onCompletedRedirectionUrl must be an absolute http or https URL");
  if (metadata !== undefined && (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)))
    problems.push("metadata must be an object");
  return problems;
}

function isText(value) {
  return typeof value === "string" && /\S/.test(value);
}

function isUrl(value) {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function renderCharge(charge, created) {
  const createdAt = charge.createdAt.toISOString();
  return {
    id: charge.id,
    createdAt: created ? createdAt.replaceAll(/[-:]/g, "") : createdAt,
    externalId: charge.externalId,
    description: charge.description,
    currency: "XOF",
    amount: charge.amount,
    due: charge.amount,
    fees: { currency: "XOF", rate: 0.01, value: charge.fee },
    status: created ? "created" : charge.status,
    ...(created ? {} : { droppedReason: null }),
    paid: 0,
    refunded: 0,
    attempts: 0,
    metadata: charge.metadata,
    paymentUrl: charge.paymentUrl,
    transactions: [],
  };
}

function refuse(response, statusCode, message, path) {
  const correlationId = randomUUID().replaceAll("-", "");
  answer(response, statusCode, { statusCode, message, correlationId, path, timestamp: new Date().toISOString() });
}

function answer(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "x-sandbox": "0.1.0",
    "x-sandbox-now": new Date().toISOString(),
  });
  response.end(text);
}
