import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileStore } from "../../../src/adapters/store/file-store.js";
import { createMemoryStore } from "../../../src/adapters/store/store.js";
import { silentLog } from "../../../src/kernel/log.js";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { createStoredSandbox, createStoreFormat } from "../../../src/sandbox/state/store-format.js";
import { folderWith } from "../../support/folder.js";
import { parseOpenMetrics } from "../../support/openmetrics.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

async function readMetrics(world: TestWorld) {
  const answer = await world.app.request("/_sandbox/metrics");
  const { status, headers } = answer;
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  const samples = parseOpenMetrics(await answer.text());
  return (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    samples.find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )?.value;
}

describe("GET /health/live and /health/ready", () => {
  it("answer 200 while the sandbox runs", async () => {
    const world = openWorld();
    for (const path of ["/health/live", "/health/ready"]) {
      const { status, body } = await world.control("GET", path);
      expect([status, body]).toEqual([200, { status: "ok" }]);
    }
  });

  it("need no admin token", async () => {
    const world = openWorld({ adminToken: "hush" });
    for (const path of ["/health", "/health/live", "/health/ready"])
      expect((await world.control("GET", path)).status).toBe(200);
    for (const path of ["/health/else", "/metrics"]) expect((await world.control("GET", path)).status).toBe(401);
  });

  it("show a sandbox that stops: alive, but not ready", async () => {
    const world = openWorld();
    world.sandbox.isStopping = true;
    expect((await world.control("GET", "/health/ready")).status).toBe(503);
    expect((await world.control("GET", "/health/live")).status).toBe(200);
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("is not ready when another process has taken the store over", async () => {
    const lost = new AbortController();
    const world = openWorld({ store: { ...createMemoryStore(createStoredSandbox()), lost: lost.signal } });
    expect((await world.control("GET", "/health/ready")).status).toBe(200);
    lost.abort();
    expect((await world.control("GET", "/health/ready")).status).toBe(503);
  });
});

describe("GET /metrics", () => {
  it("counts requests by operation and status, with their durations", async () => {
    const world = openWorld();
    await world.api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    await world.api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    await world.api("GET", "/v1/balance");
    await world.api("GET", "/v1/nothing");
    await world.control("GET", "/clock");
    const value = await readMetrics(world);
    const requests = (operation: string, status: string) => value("sandbox_requests_total", { operation, status });
    expect(requests("createCharge", "201")).toBe(1);
    expect(requests("createCharge", "409")).toBe(1);
    expect(requests("getBalance", "200")).toBe(1);
    expect(requests("unknown", "404")).toBe(1);
    expect(requests("control", "200")).toBe(1);
    expect(value("sandbox_request_duration_seconds_count")).toBe(4);
    expect(value("sandbox_request_duration_seconds_bucket", { le: "+Inf" })).toBe(4);
    expect(value("sandbox_request_duration_seconds_sum")).toBeGreaterThan(0);
  });

  it("counts deliveries, and companies as they are opened and removed", async () => {
    const world = openWorld();
    const receiver = await startReceiver(() => ({ status: receiver.received.length === 1 ? 500 : 200 }));
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    await world.control("POST", "/clock/advance", { by: "10s" });
    await world.control("POST", "/companies", { companyId: "company_b" });
    const value = await readMetrics(world);
    expect(value("sandbox_delivery_attempts_total", { outcome: "failed" })).toBe(1);
    expect(value("sandbox_delivery_attempts_total", { outcome: "succeeded" })).toBe(1);
    expect(value("sandbox_deliveries_in_flight")).toBe(0);
    expect(value("sandbox_companies")).toBe(2);
    await world.control("DELETE", "/companies/company_b");
    expect((await readMetrics(world))("sandbox_companies")).toBe(1);
  });

  it("has the process's memory and CPU time", async () => {
    const value = await readMetrics(openWorld());
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(value("sandbox_info")).toBe(1);
  });

  it("has the delay of the event loop where it is measured, in seconds", async () => {
    const world = openWorld();
    expect((await readMetrics(world))("sandbox_event_loop_delay_max_seconds")).toBeUndefined();
    world.sandbox.metrics.watchLoop();
    const value = await readMetrics(world);
    expect(value("sandbox_event_loop_delay_seconds", { quantile: "0.99" })).toBeGreaterThanOrEqual(0);
    expect(value("sandbox_event_loop_delay_max_seconds")).toBeGreaterThanOrEqual(0);
  });

  it("counts the changes that a file store was given, and how often it has flushed them to the disk", async () => {
    const path = join(await folderWith({}), "state.json");
    const format = createStoreFormat(systemClock);
    const world = openWorld({ store: await openFileStore({ path, format, system: systemClock, log: silentLog }) });
    const read = async () => {
      const value = await readMetrics(world);
      return ["sandbox_store_changes_total", "sandbox_store_flushes_total"].map((name) => value(name) ?? NaN);
    };
    const [changes = NaN, flushes = NaN] = await read();
    await world.api("POST", "/v1/charges", chargeRequest());
    const [changesThen = NaN, flushesThen = NaN] = await read();
    expect(changesThen).toBeGreaterThan(changes);
    expect(flushesThen).toBeGreaterThan(flushes);
  });
});
