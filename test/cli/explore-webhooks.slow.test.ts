import { describe, expect, it } from "vitest";
import { exploreJson, program, tableOf } from "../support/experiments.js";

/**
 * A marketplace: a customer pays an order, and on the webhook the seller is paid. `PAY` says how. It waits for the webhook for a moment, and fails
 * when the seller was not paid.
 */
const marketplace = (pay: string, after = ""): string[] =>
  program(`
    const { createServer } = await import("node:http");
    const { createHmac } = await import("node:crypto");
    const { once } = await import("node:events");
    let paid = 0;
    let seen = 0;
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const signature = createHmac("sha256", process.env.SANDBOX_SECRET_KEY).update(body).digest("base64");
      if (request.headers["x-service-hmac-sha256"] !== signature) return response.writeHead(401).end();
      const { data } = JSON.parse(body);
      seen++;
      if (data.status === "paid") { ${pay} }
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    await call("POST", "/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:" + server.address().port + "/" });
    const redirect = { onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
    const { json: charge } = await call("POST", "/v1/charges", { amount: 9000, externalId: "order-1", description: "Shoes", ...redirect });
    await call("POST", "/v1/charges/" + charge.id + "/pay", {});
    await fetch(SANDBOX_URL + "/_sandbox/clock/advance", { method: "POST", headers: { "content-type": "application/json" }, body: '{"by":"5m"}' });
    ${after}
    console.log(seen + " events, " + paid + " payouts");
    process.exit(paid === 1 ? 0 : 1);
  `);

const careful = `
  const { status } = await call("POST", "/v1/transactions", payout("seller-" + data.externalId, 8000));
  if (status === 201) paid++;
`;
const careless = `
  const { status } = await call("POST", "/v1/transactions", payout("seller-" + data.externalId + "-" + seen, 8000));
  if (status === 201) paid++;
`;

const events = ["--clock", "frozen", "--only", "charges/events"];

describe("faults of webhooks", () => {
  it("find the receiver that pays once for each copy of an event", async () => {
    const { report } = await exploreJson(events, marketplace(careless));
    expect(tableOf(report)).toEqual([
      "charges/events#1 twice: unsafe",
      "charges/events#1 ack-lost: unsafe",
      "charges/events#1 before-answer: safe",
      "charges/events#1 never: noticed",
      "charges/events#1 forged-first: safe",
      "charges/events#1 body-cut: safe",
    ]);
    expect(report.counts.equivalent).toBe(1);
    expect(report.runs[0]?.summary).toContain("The webhook charges/events#1 (order-1) came twice.");
    expect(report.runs[0]?.effect.added).toEqual([{ kind: "transfer", of: "+2250700000010", amount: 8000 }]);
  });

  it("find the webhook that matters among subscriptions in both spellings of a topic", async () => {
    const bothSpellings = program(`
      const { createServer } = await import("node:http");
      const { once } = await import("node:events");
      const server = createServer(async (request, response) => {
        if (request.url === "/pays") await call("POST", "/v1/transactions", payout("seller-1"));
        response.end();
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = "http://127.0.0.1:" + server.address().port;
      await call("POST", "/v1/webhooks", { topic: "charges/events", url: url + "/notes" });
      await call("POST", "/v1/webhooks", { topic: "charge/events", url: url + "/pays" });
      const redirect = { onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
      const { json: charge } = await call("POST", "/v1/charges", { amount: 9000, externalId: "order-1", description: "Shoes", ...redirect });
      await call("POST", "/v1/charges/" + charge.id + "/pay", {});
      await fetch(SANDBOX_URL + "/_sandbox/settle", { method: "POST" });
      process.exit(0);
    `);
    const { report } = await exploreJson(["--only", "never"], bothSpellings);
    expect(tableOf(report)).toEqual(["charges/events#1 never: safe", "charge/events#2 never: lost"]);
  });

  it("find nothing in a receiver that pays once under the reference of the order", async () => {
    const { report } = await exploreJson(events, marketplace(careful));
    expect(report.runs.map(({ verdict }) => verdict)).toEqual(["safe", "safe", "safe", "noticed", "safe", "safe"]);
  });
});

describe("faults of outcomes", () => {
  const outcomes = ["--clock", "frozen", "--only", "outcome-failed", "outcome-pending"];
  const advance = `await fetch(SANDBOX_URL + "/_sandbox/clock/advance", { method: "POST", headers: { "content-type": "application/json" }, body: '{"by":"5m"}' });`;

  it("have the verdict lost where the command reads an outcome and ignores it", async () => {
    const command = program(`
      const { json } = await call("POST", "/v1/transactions", payout("salary-1"));
      ${advance}
      await call("GET", "/v1/transactions/" + json.id);
    `);
    const { report } = await exploreJson(outcomes, command);
    expect(tableOf(report)).toEqual([
      "createTransaction#1 outcome-failed: lost",
      "createTransaction#1 outcome-pending: lost",
    ]);
    expect(report.runs[0]?.summary).toContain(
      "+2250700000010 did not receive 5 000 XOF. The program reported success.",
    );
    expect(report.notes).toEqual([]);
  });

  it("are safe where it leaves outcomes to another process; the report says so once", async () => {
    const command = program(`await call("POST", "/v1/transactions", payout("salary-1"));`);
    const { report } = await exploreJson(outcomes, command);
    expect(report.runs.map(({ verdict }) => verdict)).toEqual(["safe", "safe"]);
    expect(report.notes).toEqual([expect.stringContaining("learns no outcome")]);
  });

  it("are safe where it leaves only some outcomes to another process; the report names these", async () => {
    const command = program(`
      const { json } = await call("POST", "/v1/transactions", payout("salary-1"));
      await call("POST", "/v1/transactions", payout("salary-2"));
      ${advance}
      await call("GET", "/v1/transactions/" + json.id);
    `);
    const { report } = await exploreJson([...outcomes, "createTransaction#2"], command);
    expect(report.runs.map(({ verdict }) => verdict)).toEqual(["safe", "safe"]);
    expect(report.notes).toEqual([
      "The command does not learn how these end: createTransaction#2. One of them that fails later is not counted as lost.",
    ]);
  });
});

describe("programs that do not repeat themselves", () => {
  it("have random names: effects are compared without generated parts", async () => {
    const command = program(`
      const { randomUUID } = await import("node:crypto");
      const redirect = { onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
      const order = () => ({ amount: 9000, externalId: "order-" + randomUUID(), description: "At " + Date.now(), ...redirect });
      let { json } = await call("POST", "/v1/charges", order());
      if (!json) ({ json } = await call("POST", "/v1/charges", order()));
      await call("POST", "/v1/charges/" + json.id + "/pay", {});
    `);
    const { report } = await exploreJson(["--only", "answer-lost", "500-before"], command);
    expect(report.baseline.repeatable).toBe(false);
    expect(report.notes).toContain(
      "Parts of the externalIds are new in each run: they are compared without these parts.",
    );
    expect(tableOf(report)).toEqual([
      "createCharge#1 answer-lost: safe",
      "payCharge#1 answer-lost: safe",
      "createCharge#1 500-before: lost",
      "payCharge#1 500-before: lost",
    ]);
    expect(report.runs[0]?.point.about).toBe("order-…");
  });

  it("have parallel workers: faults are at the same ordinals, and a lost payout is found", async () => {
    const command = program(`
      await Promise.all([1, 2, 3].map((n) => call("POST", "/v1/transactions", payout("salary-" + n, 5000 + n * 1000))));
    `);
    const { report } = await exploreJson(["--only", "500-before"], command);
    expect(tableOf(report)).toEqual([1, 2, 3].map((n) => `createTransaction#${n} 500-before: lost`));
  });

  it("have random amounts: it says that they are only counted", async () => {
    const command = program(
      `await call("POST", "/v1/transactions", payout("salary-1", 5000 + Math.floor(Math.random() * 90000)));`,
    );
    const { report } = await exploreJson(["--only", "500-before"], command);
    expect(report.notes).toEqual(expect.arrayContaining([expect.stringContaining("only counted")]));
  });
});
