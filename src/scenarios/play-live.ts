import { renderCharge } from "../contract/charges.js";
import { renderTransfer } from "../contract/transfers.js";
import type { Profile } from "../domain/profile/profile.js";
import { createIdSource, hashToSeed } from "../kernel/ids.js";
import { toIso } from "../kernel/instant.js";
import type { Log } from "../kernel/log.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { Exchange } from "../sandbox/company/exchange.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { type Failure, renderFailure } from "./run/failure.js";
import { loadFakeData } from "./file/fake-data.js";
import { matches } from "../kernel/matchers.js";
import { runSteps } from "./run/run-step.js";
import { type Fetch, createCompanyWorld } from "./run/sandbox-target.js";
import { type Receiver, startReceiver } from "./run/receiver.js";
import type { Scenario, When } from "./file/scenario.js";
import { Variables } from "./run/variables.js";
import { createSubscription } from "../domain/deliveries/subscriptions.js";
import type { DomainEvent } from "../domain/model/events.js";

export interface LiveOptions {
  readonly sandbox: Sandbox;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LivePlay {
  /** Begins; what happened since the stories were prepared is met too. Resolves when every story is at its end, or failed. */
  play(): Promise<readonly (Failure | undefined)[]>;
  close(): Promise<void>;
}

/**
 * Plays the world's part of stories in the default company while an application drives the API: a step with `when` waits for a request or an event. What
 * the stories expect is held against what happens, and a difference is logged.
 */
export async function prepareLive(scenarios: readonly Scenario[], options: LiveOptions): Promise<LivePlay> {
  const receiver = await startReceiver();
  const watch = startWatch(options.sandbox);
  return {
    play: () =>
      Promise.all(scenarios.map((scenario, index) => playOne(scenario, `live-${index + 1}`, receiver, watch, options))),
    close: async () => {
      watch.stop();
      await receiver.close();
    },
  };
}

async function playOne(
  scenario: Scenario,
  name: string,
  receiver: Receiver,
  watch: Watch,
  { sandbox, fetch, log, env }: LiveOptions,
): Promise<Failure | undefined> {
  const company = sandbox.defaultCompany;
  const world = createCompanyWorld({ sandbox, fetch, receiver, name }, company.id);
  for (const { topic, url } of scenario.given.webhooks)
    company.run(createSubscription, { topic, url: url ?? world.receiverUrl });
  const fakes = scenario.usesFaker ? await loadFakeData() : undefined;
  const drawFake = fakes?.drawer(hashToSeed(sandbox.options.seed ?? 0, name), world.now());
  const ids = createIdSource(sandbox.options.seed, `scenario ${name}`);
  log.write("info", "scenario", { scenario: scenario.name, message: `plays "${scenario.name}"` });
  const failure = await runSteps(
    {
      world,
      variables: new Variables({ world, ids, env, drawFake }),
      system: sandbox.system,
      waitFor: watch.cursor(),
      onStep: (step, failed) => {
        const what = step.name ?? step.kind;
        if (failed === undefined)
          log.write("info", "scenario-step", { scenario: scenario.name, step: what, line: step.position.line });
      },
    },
    scenario.steps,
  );
  if (failure !== undefined) {
    log.write("error", "scenario-failed", { scenario: scenario.name, message: renderFailure(failure) });
  }
  const outcome = failure === undefined ? "came out as told" : "did not come out as told";
  log.write("info", "scenario-ended", {
    scenario: scenario.name,
    outcome: failure === undefined ? "passed" : "failed",
    message: `"${scenario.name}" ${outcome}`,
  });
  return failure;
}

interface Watch {
  /** Waits for what `when` describes. Each thing that happened is met once, in order. */
  cursor(): (when: When) => Promise<void>;
  stop(): void;
}

/** What happened since the start, kept for stories that come to wait for it later. */
const HAPPENED_MAX = 10_000;

function startWatch(sandbox: Sandbox): Watch {
  const { id } = sandbox.defaultCompany;
  const requests: unknown[] = [];
  let forgotten = 0;
  const beginSeq = sandbox.defaultCompany.record.seq;
  const stopListening = sandbox.events.on("exchange", ({ exchange }) => {
    if (exchange.company?.id !== id) return;
    requests.push(describeExchange(exchange));
    if (requests.length > HAPPENED_MAX) {
      requests.shift();
      forgotten++;
    }
  });
  return {
    stop: stopListening,
    cursor: () => {
      let nextRequest = 0;
      let afterEvent = beginSeq;
      const requestComes = async (expected: unknown): Promise<void> => {
        for (;;) {
          const found = requests.findIndex((each, at) => forgotten + at >= nextRequest && matches(expected, each));
          nextRequest = found === -1 ? nextRequest : forgotten + found + 1;
          if (found !== -1) return;
          await sandbox.events.waitFor("exchange", ({ exchange }) => exchange.company?.id === id);
        }
      };
      const eventComes = async (expected: unknown): Promise<void> => {
        for (;;) {
          const { world, profile } = sandbox.findCompany(id) ?? sandbox.defaultCompany;
          const isIt = (event: DomainEvent): boolean =>
            event.seq > afterEvent && matches(expected, describeEvent(event, profile));
          const found = world.events.values().find(isIt);
          afterEvent = found?.seq ?? afterEvent;
          if (found !== undefined) return;
          await sandbox.events.waitFor("changed", ({ company }) => company.id === id);
        }
      };
      return async ({ request, event }) => {
        if (request !== undefined) await requestComes(request);
        if (event !== undefined) await eventComes(event);
      };
    },
  };
}

/** What `when.request` is held against. */
function describeExchange({ operation, method, path, body, status, answer }: Exchange) {
  return { operation, method, path, body, status, answer };
}

/** What `when.event` is held against. */
function describeEvent(event: DomainEvent, profile: Profile) {
  const topic = webhookTopicOf(profile, event);
  return {
    type: event.type,
    topic,
    resource: event.resource,
    at: toIso(event.at),
    data: describeSubject(event, profile),
  };
}

function describeSubject({ subject }: DomainEvent, profile: Profile): unknown {
  if (subject.kind === "charge") return renderCharge(subject.charge, "read", profile);
  return subject.kind === "transaction" ? renderTransfer(subject.transaction, "read", profile) : undefined;
}
