import { describe, expect, it } from "vitest";
import { audit, type AuditReport, type Sandbox, UsageError } from "../../src/index.js";
import { type Application, startApplication } from "../audit/applications.js";
import { SECRET, startReceiver, take } from "../audit/receivers.js";
import { create } from "./sandboxes.js";

const verdictsOf = ({ checks }: AuditReport) => Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));

describe("audit", { timeout: 60_000 }, () => {
  it("tells what is wrong with a receiver, why it matters and how to mend it", async () => {
    const { url, received } = await startReceiver(({ body }) => take(body));
    const report = await audit(url, { secret: SECRET, only: ["valid-event", "signature-wrong-secret"] });
    expect(report).toMatchObject({ receiver: url, passed: false, accepted: true, requests: received.length });
    expect(verdictsOf(report)).toEqual({ "valid-event": "pass", "signature-wrong-secret": "fail" });
    const wrong = report.checks.find(({ verdict }) => verdict === "fail");
    expect(wrong).toMatchObject({ severity: "critical", why: expect.any(String), fix: expect.any(String) });
  });

  it("takes a receiver's URL as such, and one name where it takes a list", async () => {
    const { url } = await startReceiver(() => 200);
    const report = await audit(new URL(url), { only: "valid-event", timeout: "2s" });
    expect(verdictsOf(report)).toEqual({ "valid-event": "pass" });
  });

  it("sends the event that it is given, byte for byte", async () => {
    const { url, received } = await startReceiver(() => 200);
    const text = '{ "topic": "charges/events", "data": { "id": "7" } }';
    await audit(url, { event: text, only: "valid-event" });
    await audit(url, { event: { topic: "x", data: {} }, only: "valid-event" });
    expect(received.map(({ body }) => body.toString())).toEqual([text, '{"topic":"x","data":{}}']);
  });

  it("says all that is wrong with its options, and reaches nobody then", async () => {
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

describe("audit of an application beside a sandbox", { timeout: 60_000 }, () => {
  const options = { topic: "charges/events", only: ["state"] };

  it("delivers events of charges that are there, and holds back the sandbox's own", async () => {
    const sandbox = await create();
    const shop = createAskingShop(sandbox, true);
    const { url, received } = await startApplication(shop, sandbox.secretKey);
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url } });
    const report = await audit(url, { ...options, sandbox, check: shop.state });
    await sandbox.settle();
    expect(new Set(Object.values(verdictsOf(report)))).toEqual(new Set(["pass"]));
    expect(received).toHaveLength(report.requests);
    expect(sandbox.rules.list()).toEqual([]);
  });

  it("is about charges alone where there is no money for transfers", async () => {
    const sandbox = await create({ balance: 0, profile: { charges: { fee: { rate: 1, credit: "net" } } } });
    const shop = createAskingShop(sandbox, true);
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { only: ["state-history", "state-duplicate"], sandbox, check: shop.state });
    expect(verdictsOf(report)).toEqual({ "state-history": "pass", "state-duplicate": "pass" });
  });

  it("names an application that believes in charges which are not there", async () => {
    const sandbox = await create();
    const shop = createAskingShop(sandbox, false);
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { ...options, sandbox, check: shop.state });
    const failed = report.checks.filter(({ verdict }) => verdict === "fail");
    expect(failed.map(({ id, schedule }) => [id, schedule])).toEqual([
      ["state-unknown-id", ["paid of an unknown order"]],
    ]);
  });
});

/** It stores what the API says of a charge; `doubts`: and nothing of one that the API does not know. */
function createAskingShop(sandbox: Sandbox, doubts: boolean): Application {
  const statuses = new Map<string, string>();
  return {
    hear: async ({ id }) => {
      const answer = await sandbox.fetch<{ status: string }>(`/v1/charges/${id}`);
      if (answer.status === 200) statuses.set(id, (await answer.json()).status);
      else if (!doubts) statuses.set(id, "unknown");
    },
    state: () => Object.fromEntries(statuses),
  };
}
