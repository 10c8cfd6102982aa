import { freeName } from "../../kernel/messages/text.js";
import { setupFor } from "../../sandbox/config/options.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { Scenario } from "../file/scenario.js";
import { CompanyWorld, type Fetch, identityOf, tokenOf, type WorldParts } from "./company-world.js";
import { type Receiver, startReceiver } from "./receiver.js";
import type { ScenarioWorld, Target } from "./world.js";

/** Replays scenarios in a sandbox of this process. Each gets a new company, so any number can run at the same time. */
export function createSandboxTarget(sandbox: Sandbox, fetch: Fetch): Target {
  let receiver: Promise<Receiver> | undefined;
  return {
    unfit: () => undefined,
    async open(scenario, name, signal) {
      receiver ??= startReceiver().catch((error: unknown) => {
        // Without a free file descriptor, for example. The next scenario tries again.
        receiver = undefined;
        throw error;
      });
      return openWorld({ sandbox, fetch, receiver: await receiver, name, signal }, scenario);
    },
    async close() {
      await (await receiver)?.close();
    },
  };
}

/** Opens a company for a scenario. */
async function openWorld(given: WorldParts, scenario: Scenario): Promise<ScenarioWorld> {
  const { sandbox } = given;
  // The same scenario may be replayed several times at once in one sandbox.
  const parts = { ...given, name: freeName(given.name, (name) => isFree(sandbox, tokenOf(name))) };
  const identity = identityOf(sandbox, parts.name);
  const world = new CompanyWorld(parts, identity.id, scenario.given);
  const { balance, frozenAt, profile, fixtures, webhooks, rules } = scenario.given;
  const subscriptions = webhooks.map(({ topic, url }) => ({ topic, url: url ?? world.receiverUrl }));
  const own = { customers: [], charges: [], transactions: [], subscriptions };
  try {
    sandbox.open({ ...identity, balance, frozenAt, profile, fixtures: [...fixtures, own], rules, ofScenario: true });
    return world;
  } catch (error) {
    await world.close();
    throw error;
  }
}

function isFree(sandbox: Sandbox, token: string): boolean {
  return sandbox.findCompany(setupFor(token).id) === undefined && !sandbox.isTokenTaken(token);
}
