/**
 * Asks a server as fast as it answers, over a fixed number of connections, one request at a time on each. Straight from the socket: any HTTP client
 * takes longer for a request than the fastest of the servers here, and would be what is measured.
 */
import { connect } from "node:net";

/**
 * `requestOf(index)` is `{ method, path, headers, body }`. Any answer but of `status` ends it.
 *
 * @returns {Promise<{ seconds: number, p50Ms: number, p99Ms: number, answers: string[] }>} `answers`: the bodies, where they are to be kept
 */
export async function runLoad(url, { requests, connections = 32, status, requestOf, keep = false }) {
  const { hostname, port, host } = new URL(url);
  const latencies = new Float64Array(requests);
  const answers = [];
  const expected = `HTTP/1.1 ${status} `;
  let asked = 0;
  const ask = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let startedAt = 0;
      let index = 0;
      let pending = "";
      const next = () => {
        if (asked === requests) {
          socket.end();
          return;
        }
        index = asked++;
        startedAt = performance.now();
        socket.write(render(requestOf(index), host), "latin1");
      };
      socket.once("connect", next);
      socket.on("data", (chunk) => {
        pending += chunk.latin1Slice();
        const bodyAt = pending.indexOf("\r\n\r\n") + 4;
        if (bodyAt < 4 || pending.length < bodyAt + lengthOf(pending, bodyAt)) return;
        latencies[index] = performance.now() - startedAt;
        if (!pending.startsWith(expected)) {
          socket.destroy(new Error(`expected ${status}, got ${pending.slice(0, 500)}`));
          return;
        }
        if (keep) answers.push(pending.slice(bodyAt));
        pending = "";
        next();
      });
      socket.once("error", reject);
      socket.once("close", resolve);
    });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Math.min(connections, requests) }, ask));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort();
  const quantile = (part) => latencies[Math.min(requests - 1, Math.floor(requests * part))];
  return { seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), answers };
}

const LENGTH = /\r\ncontent-length: (\d+)/i;

/** Of an answer's body. All that are measured say it. */
function lengthOf(answer, bodyAt) {
  const length = LENGTH.exec(answer.slice(0, bodyAt))?.[1];
  if (length === undefined) throw new Error(`It has no Content-Length: ${answer.slice(0, bodyAt)}`);
  return Number(length);
}

/** Of ASCII alone, so that a letter is a byte. */
function render({ method, path, headers, body = "" }, host) {
  const length = body === "" ? "" : `content-length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${headers}${length}\r\n${body}`;
}

const credentials = "authorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";
const json = `${credentials}content-type: application/json\r\n`;

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
  const headers = {
    authorization: "Bearer at_sandbox",
    "x-company-id": "company_sandbox",
    "content-type": "application/json",
  };
  const response = await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) });
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
