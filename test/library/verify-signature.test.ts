import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/webhooks.js";

const body = '{"topic":"charges/events","data":{"description":"Chaussures d’été"}}';
const signature = createHmac("sha256", "secret_sandbox").update(body).digest("base64");

describe("verifySignature", () => {
  test("accepts the raw body as text or bytes", () => {
    expect(verifySignature(body, signature, "secret_sandbox")).toBe(true);
    expect(verifySignature(Buffer.from(body), signature, "secret_sandbox")).toBe(true);
    expect(verifySignature(new TextEncoder().encode(body), signature, "secret_sandbox")).toBe(true);
  });

  test("accepts what a Fetch API request gives", async () => {
    const rawBody = await new Request("http://shop.test", { method: "POST", body }).arrayBuffer();
    expect(verifySignature(rawBody, signature, "secret_sandbox")).toBe(true);
    expect(verifySignature(rawBody.slice(1), signature, "secret_sandbox")).toBe(false);
  });

  test.each([
    ["another body", `${body} `, signature, "secret_sandbox"],
    ["another key", body, signature, "secret_other"],
    ["no key", body, createHmac("sha256", "").update(body).digest("base64"), ""],
    ["another signature", body, signature.toLowerCase(), "secret_sandbox"],
    ["a part of the signature", body, signature.slice(0, -1), "secret_sandbox"],
    ["hexadecimal", body, Buffer.from(signature, "base64").toString("hex"), "secret_sandbox"],
    ["no header", body, undefined, "secret_sandbox"],
    ["null, as Headers.get gives it", body, null, "secret_sandbox"],
    ["an empty header", body, "", "secret_sandbox"],
    ["several headers", body, [signature, signature], "secret_sandbox"],
  ])("refuses %s", (_, given, header, secretKey) => {
    expect(verifySignature(given, header, secretKey)).toBe(false);
  });

  test.each([undefined, null, 0, [], {}, new Uint8Array(0)])(
    "throws for a key that is not a text: %j",
    (secretKey: unknown) => {
      for (const key of ["", String(secretKey)]) {
        const forged = createHmac("sha256", key).update(body).digest("base64");
        expect(() => verifySignature(body, forged, secretKey as string)).toThrow(
          /the secret key must be a string, got .*\. Is SECRET_KEY set\?/,
        );
      }
    },
  );

  test("throws for a parsed body", () => {
    expect(() => verifySignature(JSON.parse(body), signature, "secret_sandbox")).toThrow(
      /its body was parsed already\. Give the raw text or bytes/,
    );
  });
});
