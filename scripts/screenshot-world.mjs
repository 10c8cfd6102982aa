/**
 * A sandbox with some activity. It is always the same, because its clock is frozen and its ids are seeded.
 */
import { createServer } from "node:http";
import { createSandbox } from "business-payments-sandbox";

const START = "2026-01-15T09:00:00Z";

/**
 * @typedef {{ url: string, company: string, due: string, delivery: string, close: () => Promise<void> }} World
 *   `due`: the id of a charge that is due. `delivery`: the id of a delivery.
 */

/** @returns {Promise<World>} */
export async function createWorld() {
  const sandbox = await createSandbox({ clock: START, seed: 2026 });
  const company = await openCompany(sandbox.url);
  const { api, control } = company;
  const shop = await openShop();
  await api("POST", "/v1/webhooks", { topic: "charges/events", url: shop.url });
  await api("POST", "/v1/webhooks", { topic: "transactions/completed", url: shop.url });
  /** @type {(amount: number, externalId: string, description: string) => Promise<string>} */
  const charge = async (amount, externalId, description) => {
    const onCanceledRedirectionUrl = `https://shop.test/orders/${externalId}/cancelled`;
    const onCompletedRedirectionUrl = `https://shop.test/orders/${externalId}/thanks`;
    const order = { amount, externalId, description, onCanceledRedirectionUrl, onCompletedRedirectionUrl };
    return (await api("POST", "/v1/charges", order)).id;
  };
  await charge(4_500, "order-1040", "Hibiscus juice, 6 bottles");
  await control("POST", "/clock/advance", { by: "1h" });
  const paid = await charge(18_000, "order-1041", "Raffia bag");
  await api("POST", `/v1/charges/${paid}/pay`);
  const declined = await charge(25_000, "order-1042", "Woven basket, large");
  await api("POST", `/v1/charges/${declined}/pay`, { msisdn: "+2250700000006" });
  const due = await charge(10_000, "order-1043", "Wax print cloth, 6 yards");
  await workADay(company, charge);
  await control("POST", "/clock/advance", { by: "12s" });
  const { data: deliveries } = await control("GET", "/deliveries?status=succeeded");
  return {
    url: sandbox.url,
    company: company.id,
    due,
    delivery: deliveries.at(-1).id,
    close: async () => {
      await sandbox.close();
      await shop.close();
    },
  };
}

/**
 * Creates transfers, refunds, a lost answer and a repeated payout, so that each page of the dashboard has content.
 *
 * @param {Awaited<ReturnType<typeof openCompany>>} company
 * @param {(amount: number, externalId: string, description: string) => Promise<string>} charge
 */
async function workADay({ api, control }, charge) {
  const people = ["+2250700000010", "+2250700000011", "+2250700000012"];
  const names = [
    ["Awa", "Koné"],
    ["Moussa", "Traoré"],
    ["Adjoua", "Kouassi"],
  ];
  for (const [at, [firstName, lastName]] of names.entries())
    await control("PUT", `/customers/${people[at]}`, { firstName, lastName, kycStatus: "complete" });
  for (const [at, msisdn] of people.entries()) {
    await api("POST", "/v1/transactions", {
      type: "transfer",
      msisdn,
      amount: 25_000 + 5_000 * at,
      reference: `salary-0${at + 1}`,
    });
    await control("POST", "/clock/advance", { by: "3m" });
  }
  await api("POST", "/v1/transactions/batch", {
    transactions: people.map((msisdn, at) => ({ msisdn, amount: 40_000, reference: `payroll-0${at + 1}` })),
  });
  await control("POST", "/clock/advance", { by: "7m" });
  for (const [at, amount] of [32_000, 7_500, 64_000].entries()) {
    const id = await charge(
      amount,
      `order-105${at}`,
      ["Bogolan throw", "Shea butter, 3 tins", "Djembe drum"][at] ?? "",
    );
    await api("POST", `/v1/charges/${id}/pay`);
    if (at === 1) await api("POST", `/v1/charges/${id}/refund`, { amount: 2_500 });
    await control("POST", "/clock/advance", { by: "2m" });
  }
  await control("POST", "/snapshots/before-payday");
  const lost = {
    name: "answer lost",
    on: "request",
    match: { path: "/v1/transactions" },
    then: { fault: "reset", commit: true },
    times: 1,
  };
  await control("POST", "/rules", lost);
  const payout = { type: "transfer", msisdn: people[0], amount: 15_000, reference: "bonus-1" };
  await api("POST", "/v1/transactions", payout).catch(() => undefined);
  await api("POST", "/v1/transactions", { ...payout, reference: "bonus-1-again" });
  await control("POST", "/rules", {
    name: "limit",
    on: "transfer",
    match: { amount: { $gt: 100_000 } },
    then: { outcome: "failed", reason: "limit_exceeded" },
  });
  await control("POST", "/rules", {
    name: "twice",
    on: "delivery",
    match: { topic: "charges/events" },
    then: { duplicate: 1 },
    times: 3,
  });
  await control("PATCH", "/profile", { transfers: { settlement: "manual" } });
  await api("POST", "/v1/transactions", {
    type: "transfer",
    msisdn: people[1],
    amount: 30_000,
    reference: "advance-7",
  });
}

/** The application that receives webhooks. */
async function openShop() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end('{"received":true}'));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/**
 * Opens a company with a readable name.
 *
 * @param {string} url
 */
async function openCompany(url) {
  const companyId = "Atelier-Baobab";
  const request = { companyId, clock: START, balance: 1_250_000 };
  const { accessToken } = await call("POST", `${url}/_sandbox/companies`, request);
  const headers = { authorization: `Bearer ${accessToken}`, "x-company-id": companyId };
  return {
    id: companyId,
    /** @type {(method: string, path: string, body?: unknown) => Promise<any>} */
    api: (method, path, body) => call(method, url + path, body, headers),
    /** @type {(method: string, path: string, body?: unknown) => Promise<any>} */
    control: (method, path, body) =>
      call(method, `${url}/_sandbox${path}${path.includes("?") ? "&" : "?"}company=${companyId}`, body),
  };
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
async function call(method, url, body, headers = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Failed to prepare the pictures: ${method} ${url} answers ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
