import { describe, expect, it } from "vitest";
import { audit, createSandbox, UsageError } from "../../src/index.js";
import { SECRET, startReceiver, take } from "../audit/receivers.js";
import { verdictsOf } from "../support/audits.js";
import { startReceiver as startAnswering } from "../support/receiver.js";

describe("audit", { timeout: 60_000 }, () => {
  it("reports the errors of a receiver, why they matter and the fix", async () => {
    const { url, received } = await startReceiver(({ body }) => take(body));
    const report = await audit(url, { secret: SECRET, only: ["valid-event", "signature-wrong-secret"] });
    expect(report).toMatchObject({ receiver: url, passed: false, accepted: true, requests: received.length });
    expect(verdictsOf(report)).toEqual({ "valid-event": "pass", "signature-wrong-secret": "fail" });
    const wrong = report.checks.find(({ verdict }) => verdict === "fail");
    expect(wrong).toMatchObject({ severity: "critical", why: expect.any(String), fix: expect.any(String) });
  });

  it("accepts a URL object, and one name instead of a list", async () => {
    const { url } = await startReceiver(() => 200);
    const report = await audit(new URL(url), { only: "valid-event", timeout: "2s" });
    expect(verdictsOf(report)).toEqual({ "valid-event": "pass" });
  });

  it("sends a given event byte for byte", async () => {
    const { url, received } = await startReceiver(() => 200);
    const text = '{ "topic": "charges/events", "data": { "id": "7" } }';
    await audit(url, { event: text, only: "valid-event" });
    await audit(url, { event: { topic: "x", data: {} }, only: "valid-event" });
    expect(received.map(({ body }) => body.toString())).toEqual([text, '{"topic":"x","data":{}}']);
  });

  it("redacts the sandbox's access token, also in an error", async () => {
    const { url } = await startReceiver(() => 200);
    await using sandbox = await createSandbox();
    const check = `echo Refused: ${sandbox.accessToken} >&2; exit 1`;
    const audited = audit(url, { sandbox, check, only: "state-duplicate" });
    await expect(audited).rejects.toMatchObject({ messages: [expect.stringContaining("Refused: [redacted]")] });
  });

  it.each([
    ["a BigInt", 1n],
    ["a cycle", ring()],
    ["nothing", undefined],
  ])("rejects when the check gives %s", async (_, state) => {
    const { url } = await startReceiver(() => 200);
    const audited = audit(url, { check: () => state, only: "state-duplicate" });
    await expect(audited).rejects.toThrow(UsageError);
  });

  it("rejects with what a function of the caller throws", async () => {
    const { url } = await startReceiver(() => 200);
    const failure = new Error("The database is down");
    const fail = (): never => {
      throw failure;
    };
    await expect(audit(url, { check: fail, only: "state-duplicate" })).rejects.toBe(failure);
    await expect(audit(url, { check: () => 1, order: fail, only: "state-duplicate" })).rejects.toBe(failure);
  });

  it("redacts the start of a secret where the kept answer ends", async () => {
    const { url } = await startAnswering({ status: 500, body: `${"x".repeat(4_084)}${SECRET}` });
    const { checks } = await audit(url, { secret: SECRET, only: "valid-event" });
    expect(checks[0]?.received?.body).toBe(`${"x".repeat(4_084)}[redacted]`);
  });

  it("reports all wrong options, and sends nothing", async () => {
    const wrong = { secret: "", timeout: "soon", event: "[]", onyl: "state" };
    await expect(audit("http://127.0.0.1:9/hooks", wrong)).rejects.toMatchObject({
      kind: "input",
      messages: [
        'Failed to audit: secret must be a text that is not empty, got "".',
        'Failed to audit: timeout must be a duration above 0, such as "10s", got "soon".',
        'Failed to audit: event must be a JSON object, or its text, got "[]".',
        'Failed to audit: onyl is not an option. Did you mean "only"?',
      ],
    });
    await expect(audit("shop.test")).rejects.toThrow(UsageError);
    await expect(audit("http://127.0.0.1:9/hooks")).rejects.toMatchObject({ kind: "cannot-run" });
  });
});

function ring(): unknown {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  return ring;
}
