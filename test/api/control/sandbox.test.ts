import { beforeEach, describe, expect, it } from "vitest";
import { sign } from "../../support/signature.js";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

describe("GET /health", () => {
  it("reports that the sandbox runs", async () => {
    const { status, body } = await world.control("GET", "/health");
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      uptimeMs: expect.any(Number),
    });
    expect(Number.isInteger(body.uptimeMs) && body.uptimeMs >= 0).toBe(true);
  });

  it("needs no company", async () => {
    await world.control("DELETE", "/companies/company_sandbox");
    expect((await world.control("GET", "/health")).status).toBe(200);
  });
});

describe("POST /sign", () => {
  it.each([
    ["JSON", '{"topic":"charges/events" , "data":{}}\n', "application/json"],
    ["text", "Koné – 5 €", "text/plain"],
    ["nothing", "", "text/plain"],
    ["malformed JSON", "{", "application/json"],
  ])("signs the exact bytes of %s", async (_, text, type) => {
    const answer = await world.control("POST", "/sign", text, { "content-type": type });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ header: "x-service-hmac-sha256", signature: sign(text, "secret_sandbox") });
  });

  it("signs binary bytes", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    const response = await world.app.request("/_sandbox/sign", { method: "POST", body: bytes });
    expect(await response.json()).toMatchObject({ signature: sign(bytes, "secret_sandbox") });
  });

  it("uses the company's key and header", async () => {
    await world.control("POST", "/companies", { companyId: "b", secretKey: "key b" });
    await world.control("PATCH", "/profile?company=b", { webhooks: { signatureHeader: "x-signature" } });
    const answer = await world.control("POST", "/sign?company=b", "x");
    expect(answer.body).toEqual({ header: "x-signature", signature: sign("x", "key b") });
  });

  it("is 413 beyond 1 MiB", async () => {
    expect((await world.control("POST", "/sign", "x".repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});
