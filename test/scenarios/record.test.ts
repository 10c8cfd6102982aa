import { beforeEach, expect, test } from "vitest";
import { parseSource } from "../../src/adapters/files/source.js";
import { createApp } from "../../src/http/server/app.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { advance, settle } from "../../src/sandbox/company/advance.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { resolveOptions } from "../../src/sandbox/config/options.js";
import { Sandbox as Core } from "../../src/sandbox/sandbox.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { startRecorder } from "../../src/scenarios/recorder.js";
import { renderFailure } from "../../src/scenarios/run/failure.js";
import { runScenario } from "../../src/scenarios/run/replay.js";
import { createSandboxTarget } from "../../src/scenarios/run/sandbox-target.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});

const order = (externalId: string) => ({
  amount: 10_000,
  externalId,
  description: "Costs ${nothing}, says $5",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
  metadata: { $gt: 1, id: "mine" },
});

/** Replays the recording in a new sandbox; returns the text of the failure, or undefined. */
async function replayed(text: string): Promise<string | undefined> {
  const scenario = await parseScenario(parseSource(text, "recorded.yaml"));
  const sandbox = new Core(resolveOptions());
  const app = createApp(sandbox);
  const target = createSandboxTarget(sandbox, (request) => app.fetch(request));
  try {
    const { outcome, failure } = await runScenario(target, scenario, "recorded", {
      system: systemClock,
      seed: undefined,
      env: {},
    });
    return outcome === "passed" ? undefined : failure === undefined ? outcome : renderFailure(failure);
  } finally {
    await target.close();
    await sandbox.close();
  }
}

test("a session becomes a scenario that replays green", async () => {
  const core = new Core(
    resolveOptions({ defaults: { ...resolveOptions().defaults, frozenAt: Date.UTC(2026, 0, 15, 9) } }),
  );
  const app = createApp(core);
  const recorder = startRecorder(core, []);
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const content: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const own = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox", ...content, ...headers };
    const init = { method, headers: own, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await app.fetch(new Request(`http://localhost${path}`, init));
    return (await answer.json().catch(() => undefined)) as { id: string; cursor: { next: string } };
  };
  await call("POST", "/v1/webhooks", { topic: "charge/events", url: receiver.url });
  await call("POST", "/v1/webhooks", { topic: "transactions/completed", url: receiver.url });
  const page = await call("GET", "/v1/webhooks?limit=1");
  await call("GET", `/v1/webhooks?limit=1&cursor=${page.cursor.next}`);
  const charge = await call("POST", "/v1/charges", order("order-1"));
  await call("POST", "/v1/charges", order("order-1"));
  await call("POST", "/v1/charges", { amount: -1 });
  await call("POST", `/v1/charges/${charge.id}/pay`);
  await call("POST", `/v1/charges/${charge.id}/refund`, { amount: 4000 });
  const transfer = await call("POST", "/v1/transactions", {
    amount: 5050,
    msisdn: "+2250700000001",
    reference: "r-1",
    type: "transfer",
  });
  const dropped = await call("POST", "/v1/charges", order("order-2"));
  await advance(core.defaultCompany, { byMs: 3_600_000 });
  await call("GET", `/v1/charges/${dropped.id}`);
  await call("GET", `/v1/transactions/${transfer.id}`);
  await call("GET", "/v1/balance", undefined, { authorization: "Bearer nobody" });
  await call("GET", "/v1/charges/unknown");
  await core.close();
  const text = recorder.render();
  expect(recorder.size).toBe(15);
  expect(text).toMatch(/advance: 2s[^]*advance: 59m58s/);
  expect(text).toContain("url: ${receiver}");
  expect(text).toContain("request: POST /v1/charges/${charge}/pay");
  expect(text).not.toContain(charge.id);
  expect(text).not.toContain("at_sandbox");
  expect(text).not.toContain("secret_sandbox");
  expect(await replayed(text)).toBeUndefined();
  // With another amount it fails.
  expect(await replayed(text.replace("refunded: 4000", "refunded: 4001"))).toContain("expected 4001");
});

test("requests of other companies are not recorded, and a body that is not JSON is counted as left out", async () => {
  const core = new Core(resolveOptions({ autoProvision: true }));
  const app = createApp(core);
  const recorder = startRecorder(core, []);
  const headers = { "content-type": "application/json", "content-length": "1" };
  await app.fetch(new Request("http://localhost/v1/balance", { headers: { authorization: "Bearer at_other" } }));
  const broken = { method: "POST", headers: { ...headers, authorization: "Bearer at_sandbox" }, body: "{" };
  await app.fetch(new Request("http://localhost/v1/transactions", broken));
  await core.close();
  expect(recorder.size).toBe(0);
  expect(recorder.render()).toContain("1 request(s) could not be told again");
});

/** A sandbox that is recorded, and its default company's client. */
function recordedSession({ requests, bytes }: { requests?: number; bytes?: number } = {}) {
  const limits = { ...DEFAULT_LIMITS, ...(requests === undefined ? {} : { recordedRequests: requests }) };
  const core = new Core(resolveOptions({ adminToken: "admin-s3cret", limits }));
  const app = createApp(core);
  const recorder = startRecorder(core, [], bytes);
  const headers = {
    authorization: "Bearer at_sandbox",
    "x-company-id": "company_sandbox",
    "content-type": "application/json",
  };
  const send = (method: string, path: string, body?: unknown) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  return { core, recorder, send };
}

test("secrets are redacted everywhere in a recording", async () => {
  const { core, recorder, send } = recordedSession();
  await send("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  const leaking = { ...order("ref-secret_sandbox"), metadata: { at_sandbox: ["secret_sandbox"], "admin-s3cret": 1 } };
  const made = (await (await send("POST", "/v1/charges", leaking)).json()) as { id: string };
  await send("POST", `/v1/charges/${made.id}/pay`);
  await send("GET", "/v1/charges/secret_sandbox?token=at_sandbox");
  await settle(core.defaultCompany);
  const text = recorder.render();
  await core.close();
  expect(text).not.toMatch(/at_sandbox|secret_sandbox|admin-s3cret/);
  expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThan(4);
});

test.each([
  ["requests", { requests: 3 }, 3],
  ["bytes", { bytes: 20_000 }, 3],
])("a recording holds no more than its limit of %s, and says what it left out", async (_, limits, kept) => {
  const { core, recorder, send } = recordedSession(limits);
  for (let made = 0; made < 8; made++) {
    await send("POST", "/v1/charges", { ...order(`order-${made}`), metadata: { text: "x".repeat(3_000) } });
  }
  await core.close();
  expect(recorder.size).toBe(kept);
  expect(recorder.render()).toContain(`${8 - kept} request(s) could not be told again`);
});
