import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { listen } from "../support/listen.js";
import { HEADER, hmac, type Incoming, isGenuine, type Receive, startReceiver, take } from "./receivers.js";

const textOf = (header: unknown): string => (typeof header === "string" ? header : "");

async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void) {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => answer(request, response, body));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const statusFor = (request: IncomingMessage, body: Buffer): number =>
  isGenuine(body, request.headers[HEADER]) ? take(body) : 401;

const topicIn = (body: Buffer): string => (take(body) === 200 ? JSON.parse(body.toString()).topic : "");

/** Verifies some topics, and accepts all others unverified. */
export const verifyingOnly =
  (isVerified: (topic: string) => boolean): Receive =>
  ({ body, headers }) =>
    !isVerified(topicIn(body)) || isGenuine(body, headers[HEADER]) ? take(body) : 401;

const isCharge = (topic: string): boolean => /^charges?\//.test(topic);
const isPayout = (topic: string): boolean => /^transactions?\//.test(topic);

/** Correct receivers with raw sockets, by what is special about them. Each starts, and returns its URL. */
export const sound: Readonly<Record<string, () => Promise<string>>> = {
  "acknowledges topics that it does not handle without verifying them": async () =>
    (await startReceiver(verifyingOnly((topic) => ["charges/events", "transactions/completed"].includes(topic)))).url,
  "acknowledges topics that it does not know without verifying them": async () =>
    (await startReceiver(verifyingOnly((topic) => isCharge(topic) || isPayout(topic)))).url,
  "answers 202": async () =>
    (await startReceiver(({ body, headers }) => (isGenuine(body, headers[HEADER]) && take(body) === 200 ? 202 : 401)))
      .url,
  "answers 409 to an event that it has had before": async () => {
    const seen = new Set<string>();
    const isFirst = (body: Buffer): boolean => {
      const { topic, data } = JSON.parse(body.toString());
      const name = `${topic} ${data.id} ${data.status}`;
      return !seen.has(name) && seen.add(name).has(name);
    };
    const receive: Receive = ({ body, headers }) => {
      if (!isGenuine(body, headers[HEADER])) return 401;
      return take(body) === 200 && !isFirst(body) ? 409 : take(body);
    };
    return (await startReceiver(receive)).url;
  },
  "answers 204 without a body": () =>
    serve((request, response, body) => {
      const status = statusFor(request, body);
      response.writeHead(status === 200 ? 204 : status).end();
    }),
  "compresses its answers": () =>
    serve((request, response, body) => {
      const headers = { "content-encoding": "gzip", "content-type": "application/json" };
      response.writeHead(statusFor(request, body), headers).end(gzipSync('{"received":true}'));
    }),
  "is strict about its path, its query and its method": async () => {
    const origin = await serve((request, response, body) => {
      const isThere = request.url === "/hooks/payments?shop=7" && request.method === "POST";
      response.writeHead(isThere ? statusFor(request, body) : 404).end();
    });
    return `${origin}/hooks/payments?shop=7`;
  },
  "wants a user and a password": async () => {
    const origin = await serve((request, response, body) => {
      const isKnown = request.headers.authorization === `Basic ${btoa("audit:s:cret")}`;
      response.writeHead(isKnown ? statusFor(request, body) : 401).end();
    });
    return origin.replace("http://", "http://audit:s%3Acret@");
  },
  "takes 1 MiB, and closes the connection beyond": async () => {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      request.on("data", (piece: Buffer) => {
        size += piece.length;
        if (size > 1024 * 1024) request.destroy();
        else pieces.push(piece);
      });
      request.on("end", () => response.writeHead(statusFor(request, Buffer.concat(pieces))).end());
    });
    return `http://127.0.0.1:${await listen(server)}`;
  },
};

const verified =
  (verify: (incoming: Incoming, header: string) => boolean): Receive =>
  (incoming) =>
    verify(incoming, textOf(incoming.headers[HEADER])) ? take(incoming.body) : 401;

/** Unsound receivers, which accept a forgery with another header, case or encoding. Each with what the audit must find. */
export const unsound: Readonly<Record<string, readonly [receive: Receive, ...finds: string[]]>> = {
  "also reads an older header": [
    verified(({ body, headers }, header) => isGenuine(body, header || headers["x-signature"])),
    "signature-other-header fail",
  ],
  "accepts events that a proxy claims in another header to have verified": [
    verified(({ body, headers }, header) => isGenuine(body, header) || "x-hmac-signature" in headers),
    "signature-other-header fail",
  ],
  "compares in lower case": [
    verified(({ body }, header) => hmac(body).toLowerCase() === header.toLowerCase()),
    "signature-case fail",
  ],
  "takes hex in any case, beside base64": [
    verified(({ body }, header) => isGenuine(body, header) || hmac(body, "hex") === header.toLowerCase()),
    "signature-hex fail",
  ],
  "decodes both as hex, of which nothing is left": [
    verified(
      ({ body }, header) =>
        (header !== "" && Buffer.from(hmac(body), "hex").equals(Buffer.from(header, "hex").subarray(0, 0))) ||
        isGenuine(body, header),
    ),
    "signature-wrong-secret fail",
  ],
  "compares the end": [
    verified(({ body }, header) => header.length >= 44 && header.endsWith(hmac(body))),
    "signature-prefix fail",
  ],
  "verifies only bodies with the content type of JSON": [
    ({ body, headers }) =>
      textOf(headers["content-type"]).includes("json") && !isGenuine(body, headers[HEADER]) ? 401 : take(body),
    "content-type fail",
  ],
  "takes the JSON printed again, beside the raw body": [
    verified(({ body }, header) => isGenuine(body, header) || isReprinted(body, header)),
    "signature-reprinted fail",
  ],
  "takes payouts unsigned": [verifyingOnly((topic) => !isPayout(topic)), "signature-topics fail"],
  "takes failed payouts unsigned": [verifyingOnly((topic) => topic !== "transactions/failed"), "signature-topics fail"],
  "takes the other spelling of the topic unsigned": [
    verifyingOnly((topic) => topic !== "charge/events"),
    "signature-topics fail",
  ],
  "takes charges unsigned, and verifies the rest": [
    verifyingOnly((topic) => !isCharge(topic)),
    "signature-wrong-secret fail",
  ],
};

/** Receivers that leave topics unverified: they may handle these, or only acknowledge them. Each with the topics that would decide it. */
export const undecided: Readonly<Record<string, readonly [receive: Receive, says: RegExp]>> = {
  "verifies charges alone, and acknowledges the rest": [verifyingOnly(isCharge), /--topic transactions\/completed/],
  "verifies payouts alone, and acknowledges the rest": [verifyingOnly(isPayout), /--topic charges\/events/],
  "verifies one spelling alone, and acknowledges the rest": [
    verifyingOnly((topic) => topic === "charges/events"),
    /--topic transactions\/completed/,
  ],
  "verifies charges, looks up payouts first, and does not know their order": [
    ({ body, headers }) => (isPayout(topicIn(body)) ? 404 : isGenuine(body, headers[HEADER]) ? take(body) : 401),
    /answered with 404.*--topic transactions\/completed/,
  ],
};

function isReprinted(body: Buffer, header: string): boolean {
  try {
    return hmac(JSON.stringify(JSON.parse(body.toString()))) === header;
  } catch {
    return false;
  }
}
