import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { signBody } from "../../../../domain/deliveries/sign-delivery.js";
import { COMMAND_BODY_MAX, bytesOf, signatureCommand, signatureSent } from "./delivery-facts.js";

const SECRET = "secret_sandbox";
const HEADER = "x-service-hmac-sha256";
const attempt = (signature: string) => ({
  at: 0,
  status: 200,
  latencyMs: 1,
  error: null,
  requestHeaders: { [HEADER]: signature },
  response: null,
});

describe("bytesOf", () => {
  it("shows text unchanged", () => {
    const body = '{"description":"Café ☕ <b>&amp;"}';
    expect(bytesOf({ body, effect: null })).toEqual({
      size: Buffer.byteLength(body),
      text: body,
      hex: undefined,
      cut: 0,
    });
  });

  it("shows bytes that end within a character in hexadecimal", () => {
    const body = '{"a":"Café au lait"}';
    const bytes = bytesOf({ body, effect: { corruptSignature: false, truncate: 10, loseAnswers: 0 } });
    expect(bytes).toEqual({
      size: 10,
      text: undefined,
      hex: '00000000  7b 22 61 22 3a 22 43 61  66 c3                    |{"a":"Caf.|',
      cut: Buffer.byteLength(body) - 10,
    });
  });

  it.each(["\u0000", "\u001b[31m", "\u202egnp", "\u2066"])(
    "shows %j in hexadecimal: it would not be seen as it is",
    (text) => {
      expect(bytesOf({ body: text, effect: null }).text).toBeUndefined();
      expect(bytesOf({ body: text, effect: null }).hex).toMatch(/^00000000 {2}/);
    },
  );

  it("shows an empty body that a rule truncated", () => {
    expect(bytesOf({ body: "{}", effect: { corruptSignature: false, truncate: 0, loseAnswers: 0 } })).toMatchObject({
      size: 0,
      text: "",
      cut: 2,
    });
  });
});

describe("signatureSent", () => {
  const body = '{"topic":"charges/events"}';
  const good = signBody(body, SECRET);

  it.each([
    ["valid", null, good],
    ["valid", { corruptSignature: false, truncate: 4_000, loseAnswers: 0 }, good],
    ["of-whole-body", { corruptSignature: false, truncate: 5, loseAnswers: 0 }, good],
    ["corrupted", { corruptSignature: true, truncate: null, loseAnswers: 0 }, `A${good.slice(1)}`],
    ["other-key", null, signBody(body, "secret_before")],
  ] as const)("judges %s with the effect %j", (verdict, effect, sent) => {
    expect(signatureSent({ body, effect, attempts: [attempt(sent)] }, HEADER, SECRET)).toEqual({
      sent,
      verdict,
    });
  });

  it("is none before the first attempt", () => {
    expect(signatureSent({ body, effect: null, attempts: [] }, HEADER, SECRET)).toMatchObject({
      sent: undefined,
      verdict: "none",
    });
  });
});

describe("signatureCommand", () => {
  it.each(['{"a":1}', `{"a":"it's $HOME \\\\ \`id\` %s !"}`, '{"a":"Café\\n"}', "{}\n"])(
    "makes the signature of %j in a shell, from the secret key in its environment",
    (body) => {
      const command = signatureCommand({ body });
      expect(command).not.toContain(SECRET);
      const printed = execFileSync("sh", ["-c", command], {
        env: { PATH: process.env["PATH"], SECRET },
        encoding: "utf8",
      });
      expect(printed.trim()).toBe(signBody(body, SECRET));
    },
  );

  it("reads a long body from a file", () => {
    expect(signatureCommand({ body: "x".repeat(COMMAND_BODY_MAX + 1) })).toBe(
      'openssl dgst -sha256 -hmac "$SECRET" -binary < body.json | base64',
    );
  });
});
