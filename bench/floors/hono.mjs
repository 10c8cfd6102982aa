/**
 * A minimal Hono app with the same three routes as plain.mjs, bundled into one file by the benchmark: what a server of this kind costs before it
 * does anything.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { randomUUID } from "node:crypto";

const charges = new Map();
const app = new Hono();

app.use("/v1/*", async (c, next) => {
  if (c.req.header("authorization") !== "Bearer at_sandbox") return c.json({ statusCode: 401 }, 401);
  return next();
});
app.get("/v1/balance", (c) => c.json({ balance: 10_000_000, currency: "XOF" }));
app.get("/v1/charges/:id", (c) => {
  const charge = charges.get(c.req.param("id"));
  return charge === undefined ? c.json({ statusCode: 404 }, 404) : c.json(charge);
});
app.post("/v1/charges", async (c) => {
  const { amount, externalId, description } = await c.req.json();
  if (!Number.isSafeInteger(amount) || !externalId || !description) return c.json({ statusCode: 400 }, 400);
  const id = randomUUID();
  const charge = {
    id,
    createdAt: new Date().toISOString(),
    externalId,
    description,
    currency: "XOF",
    amount,
    due: amount,
    fees: { currency: "XOF", rate: 0.01, value: Math.round(amount * 0.01) },
    status: "created",
    paid: 0,
    refunded: 0,
    attempts: 0,
    metadata: {},
    paymentUrl: `${new URL(c.req.url).origin}/checkout/${id}`,
    transactions: [],
  };
  charges.set(id, charge);
  return c.json(charge, 201);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ event: "listening", url: `http://127.0.0.1:${port}` })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
