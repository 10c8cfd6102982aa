/** The three measured requests as a minimal Hono app on @hono/node-server. The benchmark bundles it, as the sandbox is bundled. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { balance, createCharge, getCharge, isAuthorized } from "./charges.mjs";

const app = new Hono();
app.use("/v1/*", (c, next) =>
  isAuthorized(c.req.header("authorization")) ? next() : c.json({ statusCode: 401 }, 401),
);
app.get("/v1/balance", (c) => c.json(balance()));
app.get("/v1/charges/:id", (c) => {
  const charge = getCharge(c.req.param("id"));
  return charge === undefined ? c.json({ statusCode: 404 }, 404) : c.json(charge);
});
app.post("/v1/charges", async (c) => {
  const { status, body } = createCharge(
    await c.req.json(),
    c.req.header("x-company-id"),
    `http://${c.req.header("host")}`,
  );
  return c.json(body, status);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
