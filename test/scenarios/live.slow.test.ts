import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import type { Scenario } from "../../src/scenarios/file/scenario.js";
import { loadScenario } from "../../src/scenarios/file/parse-scenario.js";
import { prepareLive } from "../../src/scenarios/play-live.js";
import { chargeRequest } from "../support/requests.js";
import { createWorld } from "../support/world.js";

/** A scenario that waits for the request for a charge. */
function waitingFor(externalId: string): Promise<Scenario> {
  return waitingForRequest(externalId, { operation: "createCharge", body: { externalId } });
}

function waitingForRequest(name: string, request: unknown): Promise<Scenario> {
  return scenarioOf({ name, steps: [{ when: { request }, settle: true }] });
}

async function scenarioOf(scenario: unknown): Promise<Scenario> {
  const folder = await mkdtemp(join(tmpdir(), "live-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "scenario.json");
  await writeFile(file, JSON.stringify(scenario));
  return loadScenario(file);
}

it("forgets the oldest requests when they have more than 64 MiB together", async () => {
  const { sandbox, app, api } = createWorld();
  const ended: unknown[] = [];
  const log = new EventEmitter();
  log.on("scenario-ended", ({ scenario }) => ended.push(scenario));
  const live = await prepareLive([await waitingFor("early"), await waitingFor("late")], {
    sandbox,
    fetch: createInProcessFetch(() => app),
    log: { write: (_, event, fields) => void log.emit(event, fields) },
    env: {},
  });
  onTestFinished(live.close);
  const charge = (externalId: string) => api("POST", "/v1/charges", chargeRequest({ externalId }));
  await charge("early");
  for (let sent = 0; sent < 70; sent++) await api("POST", "/v1/transactions", { pad: "x".repeat(1_000_000) });
  await charge("late");
  const played = live.play();
  await once(log, "scenario-ended");
  expect(ended).toEqual(["late"]);
  await charge("early");
  await played;
});

it("finds a request after many others that are long to compare", async () => {
  const { sandbox, app, api } = createWorld();
  const live = await prepareLive([await waitingForRequest("long", { body: { pad: { $contains: "wanted" } } })], {
    sandbox,
    fetch: createInProcessFetch(() => app),
    log: { write: () => undefined },
    env: {},
  });
  onTestFinished(live.close);
  const played = live.play();
  for (let sent = 0; sent < 30; sent++) await api("POST", "/v1/transactions", { pad: "x".repeat(1_000_000) });
  await api("POST", "/v1/transactions", { pad: "wanted" });
  expect(await played).toEqual([undefined]);
});

it("names the scenarios that had not ended when it is closed", async () => {
  const { sandbox, app, api } = createWorld();
  const unfinished: unknown[] = [];
  const log = new EventEmitter();
  log.on("scenario-unfinished", ({ scenario }) => unfinished.push(scenario));
  const live = await prepareLive([await waitingFor("asked"), await waitingFor("never asked")], {
    sandbox,
    fetch: createInProcessFetch(() => app),
    log: { write: (_, event, fields) => void log.emit(event, fields) },
    env: {},
  });
  const ended = once(log, "scenario-ended");
  void live.play();
  await api("POST", "/v1/charges", chargeRequest({ externalId: "asked" }));
  await ended;
  await live.close();
  expect(unfinished).toEqual(["never asked"]);
});

it("reports a scenario whose webhooks cannot be subscribed, and plays the others", async () => {
  const { sandbox, app } = createWorld({ profile: { webhooks: { duplicateSubscription: "conflict" } } });
  const log: unknown[] = [];
  const webhooks = [{ topic: "charges/events", url: "http://127.0.0.1:9/hook" }];
  const scenarios = ["first", "second"].map((name) =>
    scenarioOf({ name, given: { webhooks }, steps: [{ settle: true }] }),
  );
  const live = await prepareLive(await Promise.all(scenarios), {
    sandbox,
    fetch: createInProcessFetch(() => app),
    log: { write: (level, event, { message } = {}) => void (level === "error" && log.push([event, message])) },
    env: {},
  });
  onTestFinished(live.close);
  const [first, second] = await live.play();
  expect(first).toBeUndefined();
  expect(second).toMatchObject({ kind: "error", step: "given", message: expect.stringContaining("already exists") });
  expect(log).toEqual([["scenario-failed", expect.stringContaining("already exists")]]);
});
