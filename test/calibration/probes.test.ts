import { describe, expect, it } from "vitest";
import { type ChosenProbe, chooseProbes } from "../../src/calibration/probes/choose-probes.js";
import { runProbes } from "../../src/calibration/probes/run-probes.js";
import { createProbe } from "../../src/calibration/probes/probe.js";
import { loadScenarioFiles } from "../../src/cli/shared/scenario-files.js";
import { alternativesOf } from "../../src/domain/profile/alternatives.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";

const fetchTo = (sandbox: Sandbox) => {
  const app = createApp(sandbox);
  return createInProcessFetch(() => app);
};

const loadProbes = async () => (await loadScenarioFiles(["scenarios/probes"])).map(createProbe);

const choose = async (paths: Readonly<Record<string, number | string | boolean>>) => {
  const alternatives = alternativesOf(Object.entries(paths).map(([path, value]) => ({ path, value })));
  return chooseProbes(await loadProbes(), alternatives, { profile: {}, fetchTo });
};

async function run(url: string, chosen: readonly ChosenProbe[], signal = new AbortController().signal) {
  const waits: number[] = [];
  const announced: string[] = [];
  const exchanges = await runProbes(chosen, {
    target: { url, token: "at_sandbox", companyId: "company_sandbox", secretKey: "" },
    system: systemClock,
    signatureHeader: "x-service-hmac-sha256",
    signal,
    onProbe: ({ scenario }) => void announced.push(scenario.name),
    onWait: (ms) => void waits.push(ms),
    pauseMs: 0,
  });
  return { exchanges, waits, announced };
}

describe("the choice of probes", () => {
  it("takes the fewest requests that tell the readings apart", async () => {
    const { chosen, untold } = await choose({ "http.createdStatus": 201, "charges.creationStatus": "created" });
    expect(chosen.map(({ scenario, tells }) => [scenario.file, tells])).toEqual([
      ["scenarios/probes/charge-created.yaml", ["http.createdStatus", "charges.creationStatus"]],
    ]);
    expect(untold).toEqual([]);
  });

  it("names what no probe tells", async () => {
    const { chosen, untold } = await choose({ "webhooks.insecureTls": false });
    expect([chosen, untold]).toEqual([[], ["webhooks.insecureTls"]]);
  });
});

describe("a probe", () => {
  it("says at most what it creates, and whether it moves money", async () => {
    const probes = await loadProbes();
    const said = probes.map(({ scenario, creates, movesMoney }) => [
      scenario.file.replace(/.*\/(.*)\.yaml/, "$1"),
      creates.join(", "),
      movesMoney,
    ]);
    expect(said).toEqual([
      ["batch", "a batch of transfers", true],
      ["charge-created", "a charge", false],
      ["charge-declined", "a charge, a payment", true],
      ["charge-paid-and-refunded", "a charge, 2 payments, 3 refunds", true],
      ["customers", "", false],
      ["refused-requests", "a charge", false],
      ["subscriptions", "2 webhook subscriptions", false],
      ["transfer-limits", "2 transfers", true],
      ["transfer", "2 transfers", true],
    ]);
  });

  it("is recorded without credentials, and goes on whatever the answers are", async () => {
    const live = await startLive({ profile: { http: { createdStatus: 200 } } });
    const { chosen } = await choose({ "http.createdStatus": 201 });
    const { exchanges, announced } = await run(live.url, chosen);
    expect(announced).toEqual([chosen[0]?.scenario.name]);
    expect(exchanges.map(({ answer }) => answer?.status)).toContain(200);
    expect(exchanges.every(({ url }) => url.startsWith(`${live.url}/`))).toBe(true);
    expect(JSON.stringify(exchanges)).not.toContain("at_sandbox");
  });

  it("waits as long as the target's rate limit says, and asks again", async () => {
    const service = await startReceiver((_, index) =>
      index === 0 ? { status: 429, headers: { "retry-after": "0.01" } } : { status: 200, body: "{}" },
    );
    const { chosen } = await choose({ "customers.unlisted": "unknown" });
    const { exchanges, waits } = await run(service.origin, chosen);
    expect([waits, exchanges.slice(0, 2).map(({ answer }) => answer?.status)]).toEqual([[10], [429, 200]]);
    expect(service.received[0]?.path).toBe(service.received[1]?.path);
  });

  it("ends when the wait would be too long", async () => {
    const service = await startReceiver({ status: 429, headers: { "retry-after": "3600" } });
    const { chosen } = await choose({ "customers.unlisted": "unknown", "http.createdStatus": 201 });
    expect((await run(service.origin, chosen)).exchanges).toHaveLength(1);
  });

  it("can be stopped; what was recorded until then is there", async () => {
    const stop = new AbortController();
    const service = await startReceiver((_, index) => {
      if (index === 1) stop.abort(new Error("stopped"));
      return { status: 200, body: "{}" };
    });
    const { chosen } = await choose({ "customers.unlisted": "unknown", "http.createdStatus": 201 });
    expect((await run(service.origin, chosen, stop.signal)).exchanges).toHaveLength(1);
    expect(service.received).toHaveLength(2);
  });

  it("does not follow a redirection to another host", async () => {
    const other = await startReceiver();
    const service = await startReceiver({ status: 302, headers: { location: other.url } });
    const { chosen } = await choose({ "http.createdStatus": 201 });
    await run(service.origin, chosen);
    expect(other.received).toHaveLength(0);
  });
});
