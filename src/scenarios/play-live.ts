import { setMaxListeners } from "node:events";
import { renderCharge } from "../contract/charges.js";
import { renderTransfer } from "../contract/transfers.js";
import { createSubscription } from "../domain/deliveries/subscriptions.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { DomainEvent } from "../domain/model/events.js";
import type { Profile } from "../domain/profile/profile.js";
import { reasonOf } from "../kernel/messages/problem.js";
import { toIso } from "../kernel/time/instant.js";
import type { Log } from "../kernel/log.js";
import { isChangeOf } from "../kernel/records/unit-of-work.js";
import { matches } from "../kernel/matchers.js";
import { Effort } from "../kernel/effort.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { Journal } from "../sandbox/observation/journal.js";
import type { Scenario, When } from "./file/scenario.js";
import { type Failure, renderFailure } from "./run/failure.js";
import { type Receiver, startReceiver } from "./run/receiver.js";
import { runInWorld } from "./run/replay.js";
import { CompanyWorld, type Fetch } from "./run/company-world.js";

export interface LiveOptions {
  readonly sandbox: Sandbox;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Plays scenarios in the default company while an application uses the API: a step with `when` waits for a request or an event. Failed expectations
 * are logged.
 */
export async function prepareLive(scenarios: readonly Scenario[], options: LiveOptions) {
  // This throws when no company is open, and must come first: the receiver would keep the process alive.
  const watch = startWatch(options.sandbox);
  const receiver = await startReceiver();
  const stopped = new AbortController();
  // Every step that waits listens to the signal.
  setMaxListeners(0, stopped.signal);
  const stage = { ...options, receiver, watch, signal: stopped.signal };
  return {
    /** Begins to play. Steps can wait for anything that has happened since the preparation. Resolves when every scenario has passed or failed. */
    play: () => Promise.all(scenarios.map((scenario, index) => playOne(scenario, `live-${index + 1}`, stage))),
    /** Ends waiting steps too, which would keep the process alive in real time. */
    close: async (): Promise<void> => {
      stopped.abort();
      watch.stop();
      await receiver.close();
    },
  };
}

interface Stage extends LiveOptions {
  readonly receiver: Receiver;
  readonly watch: ReturnType<typeof startWatch>;
  /** Ends the scenarios early. */
  readonly signal: AbortSignal;
}

/** Never rejects: nobody awaits it, so an error would end the process. */
async function playOne(scenario: Scenario, name: string, stage: Stage): Promise<Failure | undefined> {
  const { sandbox, log, signal } = stage;
  const title = scenario.name;
  log.write("info", "scenario", { scenario: title, message: `plays "${title}"` });
  const onStop = (): void =>
    log.write("warn", "scenario-unfinished", { scenario: title, message: `"${title}" had not ended yet` });
  signal.addEventListener("abort", onStop, { once: true });
  const failure = await playSteps(scenario, name, stage).catch((error: unknown): Failure => {
    const message = sandbox.redactor.text(reasonOf(error));
    return { kind: "error", step: "given", position: scenario.givenPosition, message };
  });
  if (signal.aborted) return failure;
  signal.removeEventListener("abort", onStop);
  if (failure !== undefined)
    log.write("error", "scenario-failed", { scenario: title, message: renderFailure(failure) });
  const [outcome, result] = failure === undefined ? ["passed", "ended"] : ["failed", "did not end"];
  log.write("info", "scenario-ended", { scenario: title, outcome, message: `"${title}" ${result} as expected` });
  return failure;
}

async function playSteps(
  scenario: Scenario,
  name: string,
  { sandbox, fetch, log, env, receiver, watch, signal }: Stage,
): Promise<Failure | undefined> {
  const { defaultCompany: company, system, options } = sandbox;
  const world = new CompanyWorld({ sandbox, fetch, receiver, name }, company.id);
  for (const { topic, url } of scenario.given.webhooks)
    company.run(createSubscription, { topic, url: url ?? world.receiverUrl });
  return runInWorld(
    world,
    scenario,
    name,
    { system, seed: options.seed, env, signal },
    {
      waitFor: watch.cursor(),
      onStep: ({ name: stepName, kind, position }, failed) => {
        const step = stepName ?? kind;
        if (failed === undefined)
          log.write("info", "scenario-step", { scenario: scenario.name, step, line: position.line });
      },
    },
  );
}

const WATCHED_MAX = 10_000;

/**
 * Keeps the requests to the default company, and its events, for scenarios that wait for one later. Counts them itself: the seqs of a company go back with a
 * reset or a restore.
 */
function startWatch(sandbox: Sandbox) {
  const { id } = sandbox.defaultCompany;
  const requests = new Journal(WATCHED_MAX);
  const events: { readonly seq: number; readonly event: DomainEvent }[] = [];
  let lastSeq = 0;
  const stops = [
    sandbox.events.on("exchange", ({ exchange }) => {
      if (exchange.company?.id === id) requests.record(exchange);
    }),
    sandbox.events.on("changed", ({ company, changes }) => {
      if (company.id !== id) return;
      for (const change of changes) {
        if (!isChangeOf(company.world.events, change) || change.before !== undefined || change.after === undefined)
          continue;
        events.push({ seq: ++lastSeq, event: change.after });
        if (events.length > WATCHED_MAX) events.shift();
      }
    }),
  ];
  const stop = (): void => {
    for (const each of stops) each();
  };
  /** Returns a function that waits for what `when` describes. */
  const cursor = () => {
    const findRequest = createFinder(sandbox, requests.entries.values, () =>
      sandbox.events.waitFor("exchange", ({ exchange }) => exchange.company?.id === id),
    );
    const findEvent = createFinder(
      sandbox,
      () => events,
      () => sandbox.events.waitFor("changed", ({ company }) => company.id === id),
    );
    return async ({ request, event }: When): Promise<void> => {
      if (request !== undefined) await findRequest((entry) => matches(request, entry, new Effort()));
      const isEvent = (given: DomainEvent): boolean => {
        const { profile } = sandbox.findCompany(id) ?? sandbox.defaultCompany;
        return matches(event, describeEvent(given, profile), new Effort());
      };
      if (event !== undefined) await findEvent((given) => isEvent(given.event));
    };
  };
  return { stop, cursor };
}

/** After this many comparisons other work of the process gets its turn. */
const COMPARED_IN_A_TURN = 100;

/** Returns a function that waits for an item that matches. Each item is found once, in order. `next` resolves when there may be a new one. */
function createFinder<Item extends { readonly seq: number }>(
  { system }: Sandbox,
  list: () => readonly Item[],
  next: () => Promise<unknown>,
) {
  let found = 0;
  return async (isWanted: (item: Item) => boolean): Promise<void> => {
    // What does not match is not compared again: there may be thousands of items, and each request would compare all of them.
    let compared = found;
    for (;;) {
      const items = list().filter(({ seq }) => seq > compared);
      if (items.length === 0) await next();
      for (const item of items) {
        compared = item.seq;
        if (compared % COMPARED_IN_A_TURN === 0) await system.yieldToEventLoop();
        if (compared <= found || !isWanted(item)) continue;
        found = compared;
        return;
      }
    }
  };
}

/** The value with which `when.event` is compared. */
function describeEvent(event: DomainEvent, profile: Profile) {
  const { type, resource, subject } = event;
  let data;
  if (subject.kind === "charge") data = renderCharge(subject.charge, "read", profile);
  if (subject.kind === "transaction") data = renderTransfer(subject.transaction, "read", profile);
  return { type, topic: webhookTopicOf(profile, event), resource, at: toIso(event.at), data };
}
