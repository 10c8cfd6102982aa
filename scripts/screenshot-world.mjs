/**
 * A sandbox in the middle of a day's work, the same every time: its clock stands still, its ids are seeded.
 */
import { createSandbox } from "business-payments-sandbox";

const START = "2026-01-15T09:00:00Z";

/**
 * @typedef {{ url: string, company: string, charges: Record<string, string>, close: () => Promise<void> }} World
 *   `charges`: ids by what they show.
 */

/** @returns {Promise<World>} */
export async function createWorld() {
  const sandbox = await createSandbox({ clock: START, seed: 2026 });
  const company = await openCompany(sandbox.url);
  const { api, control } = company;
  /** @type {(amount: number, externalId: string, description: string) => Promise<string>} */
  const charge = async (amount, externalId, description) => {
    const onCanceledRedirectionUrl = `https://shop.test/orders/${externalId}/cancelled`;
    const onCompletedRedirectionUrl = `https://shop.test/orders/${externalId}/thanks`;
    const order = { amount, externalId, description, onCanceledRedirectionUrl, onCompletedRedirectionUrl };
    return (await api("POST", "/v1/charges", order)).id;
  };
  const expired = await charge(4_500, "order-1040", "Hibiscus juice, 6 bottles");
  await control("POST", "/clock/advance", { by: "1h" });
  const paid = await charge(18_000, "order-1041", "Raffia bag");
  await api("POST", `/v1/charges/${paid}/pay`);
  const declined = await charge(25_000, "order-1042", "Woven basket, large");
  await api("POST", `/v1/charges/${declined}/pay`, { msisdn: "+2250700000006" });
  const due = await charge(10_000, "order-1043", "Wax print cloth, 6 yards");
  await control("POST", "/clock/advance", { by: "12s" });
  return {
    url: sandbox.url,
    company: company.id,
    charges: { due, declined, paid, expired },
    close: () => sandbox.close(),
  };
}

/**
 * Under a name that reads well on a picture.
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
    control: (method, path, body) => call(method, `${url}/_sandbox${path}?company=${companyId}`, body),
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
