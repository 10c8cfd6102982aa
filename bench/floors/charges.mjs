/**
 * The work of both floors for the three measured requests: check the token and the fields, keep charges in a Map, and render the fields that the
 * sandbox renders. No clock, events, journal, webhooks or rules.
 */
import { randomUUID } from "node:crypto";

const charges = new Map();
const externalIds = new Set();

export const isAuthorized = (header) => header === "Bearer at_sandbox";

export const balance = () => ({ balance: 10_000_000, currency: "XOF" });

/** The charge as GET shows it; undefined when there is none. */
export function getCharge(id) {
  const charge = charges.get(id);
  return charge && renderCharge(charge, "due", charge.createdAt);
}

/** `{ status, body }` of POST /v1/charges. `origin` is the origin of payment pages. */
export function createCharge(input, companyId, origin) {
  if (companyId !== "company_sandbox") return { status: 403, body: { statusCode: 403, message: ["X-Company-Id"] } };
  const problems = findProblems(input);
  if (problems.length > 0) return { status: 400, body: { statusCode: 400, message: problems } };
  if (externalIds.has(input.externalId)) return { status: 409, body: { statusCode: 409, message: ["externalId"] } };
  const id = randomUUID();
  const charge = {
    id,
    createdAt: new Date().toISOString(),
    externalId: input.externalId,
    description: input.description,
    amount: input.amount,
    metadata: input.metadata ?? {},
    paymentUrl: `${origin}/checkout/${id}`,
  };
  charges.set(id, charge);
  externalIds.add(charge.externalId);
  const body = renderCharge(charge, "created", charge.createdAt.replaceAll(/[-:]/g, ""));
  return { status: 201, body: { ...body, paymentUrl: charge.paymentUrl } };
}

function renderCharge({ id, externalId, description, amount, metadata }, status, createdAt) {
  return {
    id,
    createdAt,
    externalId,
    description,
    currency: "XOF",
    amount,
    due: amount,
    fees: { currency: "XOF", rate: 0.01, value: Math.round(amount * 0.01) },
    status,
    ...(status === "created" ? {} : { droppedReason: null }),
    paid: 0,
    refunded: 0,
    attempts: 0,
    metadata,
    transactions: [],
  };
}

function findProblems({ amount, externalId, description, metadata, ...urls }) {
  const problems = [];
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > 200_000_000) problems.push("amount");
  if (typeof externalId !== "string" || !/\S/.test(externalId)) problems.push("externalId");
  if (typeof description !== "string" || !/\S/.test(description)) problems.push("description");
  if (!isUrl(urls.onCanceledRedirectionUrl)) problems.push("onCanceledRedirectionUrl");
  if (!isUrl(urls.onCompletedRedirectionUrl)) problems.push("onCompletedRedirectionUrl");
  if (metadata !== undefined && (typeof metadata !== "object" || metadata === null)) problems.push("metadata");
  return problems;
}

const isUrl = (value) => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
