import { createHmac, timingSafeEqual } from "node:crypto";
import { HEADER, hmac, isGenuine, type Receive, sound, take, verifiedBy } from "./receivers.js";

/** Receivers with one classic mistake each, and the check that finds it. */
export const mistakes: Readonly<
  Record<string, { readonly receive: Receive; readonly named: string; readonly warns?: true }>
> = {
  "verifies nothing": { receive: ({ body }) => take(body), named: "signature-wrong-secret" },
  "verifies nothing, and parses any body": {
    receive: ({ body }) => (JSON.parse(body.toString("utf8")) === null ? 400 : take(body)),
    named: "signature-wrong-secret",
  },
  "sends to a login page whom it does not know": {
    receive: ({ headers, body }) => (isGenuine(body, headers[HEADER]) ? take(body) : 302),
    named: "signature-wrong-secret",
  },
  "skips verification when the header is missing": {
    receive: verifiedBy((body, header) => header === undefined || header === "" || isGenuine(body, header)),
    named: "signature-missing",
  },
  "skips verification when the header is empty": {
    receive: verifiedBy((body, header) => header === "" || isGenuine(body, header)),
    named: "signature-empty",
  },
  "compares hex": { receive: verifiedBy((body, header) => hmac(body, "hex") === header), named: "signature-hex" },
  "compares hex behind sha256=": {
    receive: verifiedBy((body, header) => `sha256=${hmac(body, "hex")}` === header),
    named: "signature-hex",
  },
  "takes hex as well as base64": {
    receive: verifiedBy((body, header) => isGenuine(body, header) || hmac(body, "hex") === header),
    named: "signature-hex",
  },
  "compares base64url": {
    receive: verifiedBy((body, header) => hmac(body, "base64url") === header?.replace(/=+$/, "")),
    named: "signature-base64url",
  },
  "decodes the header before it compares": {
    receive: verifiedBy((body, header = "") => Buffer.from(header, "base64").equals(Buffer.from(hmac(body), "base64"))),
    named: "signature-base64url",
    warns: true,
  },
  "verifies the body after parsing and printing it": {
    receive: verifiedBy((body, header) => hmac(JSON.stringify(JSON.parse(safe(body)))) === header),
    named: "signature-reprinted",
  },
  "parses any body, and verifies it after printing it": {
    receive: ({ headers, body }) => {
      const event = JSON.parse(body.toString("utf8"));
      return hmac(JSON.stringify(event)) === headers[HEADER] ? take(body) : 401;
    },
    named: "signature-reprinted",
  },
  "verifies the body as json.dumps of Python prints it": {
    receive: verifiedBy((body, header) => hmac(pythonOf(JSON.parse(safe(body)))) === header),
    named: "signature-reprinted",
  },
  "verifies the data alone": {
    receive: verifiedBy((body, header) => hmac(JSON.stringify(JSON.parse(safe(body))?.data ?? null)) === header),
    named: "signature-reprinted",
  },
  "reads the body as Latin-1": {
    receive: verifiedBy((body, header) => hmac(body.toString("latin1")) === header),
    named: "non-ascii-text",
  },
  "reads a header that never comes": {
    receive: verifiedBy((body, _, { headers }) => isGenuine(body, headers["x-signature"])),
    named: "signature-other-header",
  },
  "crashes on the lack of a header that never comes": {
    receive: ({ headers, body }) => (isGenuine(body, textOf(headers["x-signature"])) ? take(body) : 401),
    named: "signature-other-header",
  },
  "looks for the header in one case": {
    receive: verifiedBy((body, _, { rawHeaders }) => isGenuine(body, rawHeaders[rawHeaders.indexOf(HEADER) + 1])),
    named: "header-case",
  },
  "looks for the header in another case": {
    receive: verifiedBy((body, _, { rawHeaders }) =>
      isGenuine(body, rawHeaders[rawHeaders.indexOf("X-Service-Hmac-Sha256") + 1]),
    ),
    named: "header-case",
  },
  "compares as much as came": {
    receive: verifiedBy((body, header) => header !== undefined && hmac(body).startsWith(header)),
    named: "signature-prefix",
  },
  "compares the end of the signature": {
    receive: verifiedBy((body, header) => header !== undefined && hmac(body).endsWith(header)),
    named: "signature-suffix",
  },
  "compares the last eight characters": {
    receive: verifiedBy((body, header = "") => header.slice(-8) === hmac(body).slice(-8)),
    named: "signature-suffix",
  },
  "remembers signatures without their bodies": {
    receive: verifiedBy(rememberSignatures()),
    named: "body-changed",
  },
  "compares the first ten characters": {
    receive: verifiedBy((body, header = "") => header.slice(0, 10) === hmac(body).slice(0, 10)),
    named: "signature-prefix",
  },
  "looks for the signature in the header": {
    receive: verifiedBy((body, header) => header?.includes(hmac(body)) === true),
    named: "signature-prefix",
  },
  "compares without case": {
    receive: verifiedBy((body, header) => header?.toLowerCase() === hmac(body).toLowerCase()),
    named: "signature-case",
  },
  "trims the header": {
    receive: verifiedBy((body, header) => header?.trim() === hmac(body)),
    named: "signature-white-space",
    warns: true,
  },
  "takes any of several signatures": {
    receive: verifiedBy((body, header = "") => header.split(", ").some((each) => isGenuine(body, each))),
    named: "signature-two",
    warns: true,
  },
  "takes the first of several signatures": {
    receive: verifiedBy((body, header = "") => isGenuine(body, header.split(",")[0])),
    named: "signature-two",
    warns: true,
  },
  "takes the last of several signatures": {
    receive: verifiedBy((body, header = "") => isGenuine(body, header.split(", ").at(-1))),
    named: "signature-two",
    warns: true,
  },
  "was started without its secret": {
    receive: verifiedBy((body, header) => hmac(body, "base64", "undefined") === header),
    named: "signature-empty-secret",
  },
  "signs with a part of the body": {
    receive: verifiedBy((body, header) => isGenuine(body, header) || changedAmount(body, header)),
    named: "body-changed",
  },
  "crashes without a header": {
    receive: ({ headers, body }) => (isGenuine(body, textOf(headers[HEADER])) ? take(body) : 401),
    named: "signature-missing",
  },
  "crashes when lengths differ": {
    receive: verifiedBy(
      (body, header) => header !== undefined && timingSafeEqual(Buffer.from(header), Buffer.from(hmac(body))),
    ),
    named: "signature-length",
  },
  "crashes on a signature that is not ASCII": {
    receive: (incoming) => (/[^ -~]/.test(textOf(incoming.headers[HEADER] ?? "")) ? 500 : sound(incoming)),
    named: "signature-not-ascii",
    warns: true,
  },
  "crashes at every wrong signature": {
    receive: ({ headers, body }) => (isGenuine(body, headers[HEADER]) ? take(body) : 500),
    named: "signature-wrong-secret",
  },
  "answers 200 to requests that it refuses": {
    receive: ({ headers, body }) => (isGenuine(body, headers[HEADER]) ? take(body) : 200),
    named: "signature-wrong-secret",
  },
  "parses before it verifies": {
    receive: ({ headers, body }) => {
      const { topic } = JSON.parse(body.toString("utf8"));
      return isGenuine(body, headers[HEADER]) && topic !== "" ? take(body) : 401;
    },
    named: "garbage",
  },
  "verifies JSON only": {
    receive: (incoming) =>
      incoming.headers["content-type"] === "application/json" ? sound(incoming) : take(incoming.body),
    named: "content-type",
  },
  "crashes at another content type": {
    receive: (incoming) => (incoming.headers["content-type"] === "application/json" ? sound(incoming) : 500),
    named: "content-type",
  },
  "refuses topics that it does not know": {
    receive: genuinely(({ topic }) => (topic === "charges/events" ? 200 : 400)),
    named: "unknown-topic",
  },
  "crashes on topics that it does not know": {
    receive: genuinely(({ topic }) => (topic === "charges/events" ? 200 : 500)),
    named: "unknown-topic",
  },
  "has a strict schema": {
    receive: genuinely((event) => (Object.keys(event).length === 2 ? 200 : 422)),
    named: "unknown-fields",
  },
  "crashes on a large body": {
    receive: (incoming) => (incoming.body.length > 1024 * 1024 ? 500 : sound(incoming)),
    named: "large-body",
  },
  "takes 16 KiB at most": {
    receive: (incoming) => (incoming.body.length > 16 * 1024 ? 413 : sound(incoming)),
    named: "long-event",
    warns: true,
  },
  "crashes on signed null": {
    receive: ({ headers, body }) => {
      if (!isGenuine(body, headers[HEADER])) return 401;
      return JSON.parse(body.toString("utf8")).topic === undefined ? 400 : 200;
    },
    named: "odd-json",
    warns: true,
  },
  "refuses everything": { receive: () => 401, named: "valid-event" },
  "is not where it should be": { receive: () => 404, named: "valid-event" },
  "always crashes": { receive: () => 500, named: "valid-event" },
  "has another secret": {
    receive: verifiedBy((body, header) => createHmac("sha256", "another").update(body).digest("base64") === header),
    named: "valid-event",
  },
};

/** Like `memoize(verify)` of a library that caches by the first argument only. */
function rememberSignatures() {
  const known = new Map<string | undefined, boolean>();
  return (body: Buffer, header: string | undefined): boolean => {
    if (!known.has(header)) known.set(header, isGenuine(body, header));
    return known.get(header) === true;
  };
}

function genuinely(receive: (event: Record<string, unknown>) => number): Receive {
  return (incoming) => {
    const status = sound(incoming);
    return status === 200 ? receive(JSON.parse(incoming.body.toString("utf8"))) : status;
  };
}

/** A body that is not JSON is refused, but not because of its signature. */
function safe(body: Buffer): string {
  return take(body) === 400 ? "0" : body.toString("utf8");
}

function textOf(header: string | string[] | undefined): string {
  if (header === undefined) throw new TypeError("Cannot read properties of undefined");
  return String(header);
}

/** Uses an amount other than the signed one. */
function changedAmount(body: Buffer, header: string | undefined): boolean {
  const text = body.toString("utf8");
  return isGenuine(Buffer.from(text.replace(/"amount":100001\b/, '"amount":10000')), header);
}

function pythonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`)
    .join(", ")}}`;
}
