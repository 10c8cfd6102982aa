/** Asks a server as fast as it answers, over a fixed number of connections, one request at a time on each. */
import { Client } from "undici";

/**
 * `requestOf(index)` is `{ method, path, headers, body }`. Any answer but of `status` ends it.
 *
 * @returns {Promise<{ seconds: number, p50Ms: number, p99Ms: number, answers: string[] }>} `answers`: the bodies, where they are `kept`
 */
export async function runLoad(url, { requests, connections = 32, status, requestOf, keep = false }) {
  const latencies = new Float64Array(requests);
  const answers = [];
  let asked = 0;
  const connect = async () => {
    const client = new Client(url, { pipelining: 1 });
    while (asked < requests) {
      const index = asked++;
      const startedAt = performance.now();
      const text = await ask(client, requestOf(index), status, keep);
      latencies[index] = performance.now() - startedAt;
      if (keep) answers.push(text);
    }
    await client.close();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, connect));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort();
  const quantile = (part) => latencies[Math.min(requests - 1, Math.floor(requests * part))];
  return { seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), answers };
}

/** By undici's lowest interface, which costs the least here: the client must not be what is measured. */
function ask(client, request, expected, keep) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    client.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_, status) {
        if (status !== expected) reject(new Error(`${request.method} ${request.path} was answered ${status}.`));
      },
      onResponseData(_, chunk) {
        if (keep) chunks.push(chunk);
      },
      onResponseEnd: () => resolve(keep ? Buffer.concat(chunks).toString("utf8") : undefined),
      onResponseError: (_, error) => reject(error),
    });
  });
}

const credentials = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };
const json = { ...credentials, "content-type": "application/json" };

export function postCharge(index) {
  return { method: "POST", path: "/v1/charges", headers: json, body: JSON.stringify(chargeOf(index)) };
}

export function getCharge(id) {
  return { method: "GET", path: `/v1/charges/${id}`, headers: credentials };
}

export function getBalance() {
  return { method: "GET", path: "/v1/balance", headers: credentials };
}

export async function postJson(url, path, body) {
  const response = await fetch(new URL(path, url), { method: "POST", headers: json, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function chargeOf(index) {
  return {
    amount: 10_000,
    externalId: `order-${index}`,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
}
