import { createServer, type ServerOptions } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { sendOnWire } from "../../src/audit/wire/send-on-wire.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";
import { selfSignedRsa } from "../support/self-signed.js";

const body = Buffer.from("{}");

async function deliver(url: string) {
  const transport = createHttpTransport(systemClock);
  onTestFinished(() => transport.close());
  const { signal } = new AbortController();
  const options = { headers: {}, timeoutMs: 5_000, insecureTls: true, allow: { kind: "any" }, signal } as const;
  const { status, error } = await transport.send({ url, body, ...options });
  return status ?? error;
}

async function audit(url: string) {
  const options = { url: new URL(url), timeoutMs: 5_000, system: systemClock, secret: "", insecureTls: true };
  const { answer, error } = await sendOnWire(options, { headers: [], body, sent: "an event" });
  return answer?.status ?? error;
}

describe.each([
  ["a webhook", deliver],
  ["an audit", audit],
])("%s", (_, client) => {
  const askReceiver = async (options: ServerOptions) => {
    const server = createServer({ ...selfSignedRsa, ...options }, (_request, response) => response.end());
    return client(`https://127.0.0.1:${await listen(server)}/`);
  };

  // The receiver chooses the parameters. With 8192 bits and more each handshake stops the loop.
  it.each<[string, ServerOptions]>([
    ["1.2", { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" }],
    ["1.3", { minVersion: "TLSv1.3", ecdhCurve: "ffdhe2048" }],
  ])("agrees to no finite-field Diffie-Hellman in TLS %s", async (_version, options) => {
    expect(await askReceiver(options)).toMatch(/handshake failure|does not speak TLS/);
  });

  it.each<[string, ServerOptions]>([
    ["TLS 1.2", { maxVersion: "TLSv1.2" }],
    ["TLS 1.3", { minVersion: "TLSv1.3" }],
    ["TLS 1.2 without Diffie-Hellman", { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" }],
    ["P-384", { ecdhCurve: "secp384r1" }],
    ["P-521", { ecdhCurve: "secp521r1" }],
    ["X448", { ecdhCurve: "X448" }],
  ])("speaks %s", async (_what, options) => {
    expect(await askReceiver(options)).toBe(200);
  });
});
