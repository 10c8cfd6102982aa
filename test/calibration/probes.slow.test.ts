import { describe, expect, it, vi } from "vitest";
import { type ChosenProbe, chooseProbes } from "../../src/calibration/probes/choose-probes.js";
import { type RunProbesOptions, runProbes } from "../../src/calibration/probes/run-probes.js";
import { createProbe } from "../../src/calibration/probes/probe.js";
import { COPIED_BYTES_MAX } from "../../src/calibration/proxy/body-copy.js";
import { loadScenarioFiles } from "../../src/cli/shared/scenario-files.js";
import { alternativesOf } from "../../src/domain/profile/alternatives.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { fetchTo } from "../../src/http/server/app.js";

const loadProbes = async () => (await loadScenarioFiles(["scenarios/probes"])).map(createProbe);

const choose = async (paths: Readonly<Record<string, number | string | boolean>>) => {
  const alternatives = alternativesOf(Object.entries(paths).map(([path, value]) => ({ path, value })));
  return chooseProbes(await loadProbes(), alternatives, { profile: {}, fetchTo });
};

/** Runs the probes on a clock of their own, which moves only while they wait. */
async function run(url: string, chosen: readonly ChosenProbe[], given: Partial<RunProbesOptions> = {}) {
  let now = Date.parse("2026-01-15T09:00:00Z");
  const timeouts = new Map<AbortController, number>();
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const timeout = new AbortController();
    timeouts.set(timeout, now + ms);
    return timeout.signal;
  });
  const waits: number[] = [];
  const sleeps: number[] = [];
  const announced: string[] = [];
  let givenUp = 0;
  const exchanges = await runProbes(chosen, {
    target: { url, token: "at_sandbox", companyId: "company_sandbox", secretKey: "" },
    system: {
      ...systemClock,
      now: () => now,
      async sleep(ms, stop) {
        sleeps.push(ms);
        now += ms;
        for (const [timeout, at] of timeouts) if (at <= now) timeout.abort();
        await systemClock.sleep(0, stop);
      },
    },
    signatureHeader: "x-service-hmac-sha256",
    signal: new AbortController().signal,
    onProbe: ({ scenario }) => void announced.push(scenario.name),
    onWait: (ms) => void waits.push(ms),
    onGiveUp: () => void givenUp++,
    ...given,
  });
  return { exchanges, waits, sleeps, announced, givenUp };
}

describe("the choice of probes", () => {
  it("takes the fewest requests that distinguish the values", async () => {
    const chosen = await choose({ "http.createdStatus": 201, "charges.creationStatus": "created" });
    expect(chosen.map(({ scenario, shows }) => [scenario.file, shows])).toEqual([
      ["scenarios/probes/charge-created.yaml", ["http.createdStatus", "charges.creationStatus"]],
    ]);
  });

  it.each([
    ["http.createdStatus", 201, ["charge-created"]],
    ["errors.shape", "envelope", ["refused-requests"]],
    ["http.actionStatus", 200, ["charge-declined"]],
  ])("moves money for %s only if nothing else shows it", async (path, value, files) => {
    const chosen = await choose({ [path]: value });
    expect(chosen.map(({ scenario }) => scenario.file)).toEqual(files.map((file) => `scenarios/probes/${file}.yaml`));
  });

  it("relies on nothing that calibrate does not compare, such as the words of errors", async () => {
    const chosen = await choose({ "charges.min": 1 });
    expect(chosen.map(({ scenario }) => scenario.file)).toEqual(["scenarios/probes/charge-limits.yaml"]);
  });

  it("chooses none for a setting that no probe shows", async () => {
    expect(await choose({ "webhooks.insecureTls": false })).toEqual([]);
  });

  it("relies on a limit that is seen only when it is reached", async () => {
    const chosen = await choose({ rateLimit: "off" });
    expect(chosen.map(({ shows }) => shows)).toEqual([["rateLimit"]]);
  });
});

describe("a probe", () => {
  it("declares the most that it creates, and whether it moves money", async () => {
    const probes = await loadProbes();
    const said = probes.map(({ scenario, creates, movesMoney }) => [
      scenario.file.replace(/.*\/(.*)\.yaml/, "$1"),
      creates.join(", "),
      movesMoney,
    ]);
    expect(said).toEqual([
      ["batch", "2 batches of transfers", true],
      ["charge-created", "a charge", false],
      ["charge-declined", "a charge, a payment", true],
      ["charge-limits", "2 charges", false],
      ["charge-paid-and-refunded", "a charge, 2 payments, 3 refunds", true],
      ["customers", "", false],
      ["refused-requests", "a charge", false],
      ["subscriptions", "2 webhook subscriptions", false],
      ["transfer-limits", "3 transfers", true],
      ["transfer", "2 transfers", true],
    ]);
  });

  it("is recorded without credentials, and continues whatever the answers are", async () => {
    const live = await startLive({ profile: { http: { createdStatus: 200 } } });
    const chosen = await choose({ "http.createdStatus": 201 });
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
    const chosen = await choose({ "customers.unlisted": "unknown" });
    const { exchanges, waits } = await run(service.origin, chosen);
    expect([waits, exchanges.slice(0, 2).map(({ answer }) => answer?.status)]).toEqual([[10], [429, 200]]);
    expect(service.received[0]?.path).toBe(service.received[1]?.path);
  });

  it("ends when the wait would be too long", async () => {
    const service = await startReceiver({ status: 429, headers: { "retry-after": "3600" } });
    const chosen = await choose({ "customers.unlisted": "unknown", "http.createdStatus": 201 });
    const { exchanges, givenUp } = await run(service.origin, chosen);
    expect([exchanges.length, givenUp]).toEqual([1, 1]);
  });

  it("waits until the date that the target's rate limit says", async () => {
    const service = await startReceiver((_, index) =>
      index === 0
        ? { status: 429, headers: { "retry-after": "Thu, 15 Jan 2026 09:00:20 GMT" } }
        : { status: 200, body: "{}" },
    );
    const chosen = await choose({ "customers.unlisted": "unknown" });
    const { waits } = await run(service.origin, chosen);
    expect(waits).toEqual([19_800]);
  });

  it("ends when the waits for one request are too long together", async () => {
    const service = await startReceiver({ status: 429 });
    const chosen = await choose({ "customers.unlisted": "unknown", "http.createdStatus": 201 });
    const { waits, givenUp, announced } = await run(service.origin, chosen);
    expect([waits, givenUp]).toEqual([Array(120).fill(1_000), 1]);
    expect(announced).toHaveLength(1);
  });

  it("ends when the target asks for ever for waits that are shorter than the pauses", async () => {
    const service = await startReceiver({ status: 429, headers: { "retry-after": "0.001" } });
    const { waits, givenUp } = await run(service.origin, await choose({ "customers.unlisted": "unknown" }));
    expect([waits.length, givenUp]).toEqual([600, 1]);
  });

  it("records requests without an answer, and continues with the next probe", async () => {
    const service = await startReceiver(({ path }) => (path === "/v1/charges" ? "reset" : { body: "{}" }));
    const chosen = await choose({ "http.createdStatus": 201, "customers.unlisted": "unknown" });
    const { exchanges } = await run(service.origin, chosen);
    const answered = exchanges.map(({ url, answer }) => [new URL(url).pathname, answer?.status]);
    expect(answered).toContainEqual(["/v1/charges", undefined]);
    expect(answered).toContainEqual(["/v1/transactions/customers/check", 200]);
  });

  it("reads an answer only as far as the proxy copies it", async () => {
    const service = await startReceiver({ body: " ".repeat(COPIED_BYTES_MAX + 1) });
    const { exchanges } = await run(service.origin, await choose({ "customers.unlisted": "unknown" }));
    const [{ answer, comment } = {}] = exchanges;
    expect([answer, comment]).toEqual([undefined, `its answer has more than ${COPIED_BYTES_MAX} bytes`]);
  });

  it("can be stopped, and keeps what was recorded until then", async () => {
    const stop = new AbortController();
    const service = await startReceiver((_, index) => {
      if (index === 1) stop.abort(new Error("stopped"));
      return { status: 200, body: "{}" };
    });
    const chosen = await choose({ "customers.unlisted": "unknown", "http.createdStatus": 201 });
    expect((await run(service.origin, chosen, { signal: stop.signal })).exchanges).toHaveLength(1);
    expect(service.received).toHaveLength(2);
  });

  it("can be stopped while it waits for the rate limit", async () => {
    const stop = new AbortController();
    const service = await startReceiver({ status: 429, headers: { "retry-after": "100" } });
    const chosen = await choose({ "customers.unlisted": "unknown" });
    const onWait = (): void => stop.abort(new Error("stopped"));
    const { exchanges } = await run(service.origin, chosen, { signal: stop.signal, onWait });
    expect(exchanges).toHaveLength(1);
  });

  it("is announced before its first request, and pauses before each, so that there are five a second at most", async () => {
    const service = await startReceiver({ body: "{}" });
    const announcedAt: number[] = [];
    const onProbe = (): void => void announcedAt.push(service.received.length);
    const chosen = await choose({ "http.createdStatus": 201 });
    const { exchanges, sleeps } = await run(service.origin, chosen, { onProbe });
    expect(announcedAt).toEqual([0]);
    expect(exchanges.length).toBeGreaterThan(0);
    expect(sleeps).toEqual(exchanges.map(() => 200));
  });

  it("does not follow a redirection to another host", async () => {
    const other = await startReceiver();
    const service = await startReceiver({ status: 302, headers: { location: other.url } });
    const chosen = await choose({ "http.createdStatus": 201 });
    await run(service.origin, chosen);
    expect(other.received).toHaveLength(0);
  });
});
