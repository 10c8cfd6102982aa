import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import type { Transport, TransportRequest } from "../../adapters/delivery/transport.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { archiveOf } from "../../sandbox/archive.js";
import { resolveOptions } from "../../sandbox/config/options.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import { replay } from "../../scenarios/run/replay.js";
import type { FetchTo } from "../replay/replay.js";
import { createSandboxTarget } from "../../scenarios/run/sandbox-target.js";
import type { Target } from "../../scenarios/run/world.js";

export interface RehearsedScenario {
  readonly scenario: Scenario;
  readonly exchanges: readonly HttpExchange[];
  /** The settings that its answers and webhooks depend on, by their paths. */
  readonly read: ReadonlySet<string>;
}

export interface Rehearsal {
  /** Plays scenarios, each in a company of its own with that profile, and records what its client and its receiver see. */
  play(scenarios: readonly Scenario[], profile: ProfileOverrides): Promise<readonly RehearsedScenario[]>;
  close(): Promise<void>;
}

/** A sandbox without a network, in which the same scenario with the same profile gives the same bytes. Receivers answer 200 unless `statusOf` says otherwise. */
export function openRehearsal(
  fetchTo: FetchTo,
  statusOf: (request: TransportRequest) => number = () => 200,
): Rehearsal {
  const sandbox = new Sandbox(resolveOptions({ seed: 1 }), { transport: createTransport(statusOf) });
  const target = createSandboxTarget(sandbox, fetchTo(sandbox));
  return {
    async play(scenarios, profile) {
      const recorded: RehearsedScenario[] = [];
      const recording: Target = {
        ...target,
        async open({ given, ...scenario }, name, signal) {
          const varied = { ...scenario, given: { ...given, profile } };
          const world = await target.open(varied, name, signal);
          const close = world.close.bind(world);
          world.close = async () => {
            recorded.push({ scenario: varied, ...recordingOf(sandbox, world.companyId) });
            await close();
          };
          return world;
        },
      };
      await replay(recording, scenarios, { system: systemClock, seed: 1, env: {}, workers: 1, bail: false });
      return recorded;
    },
    async close() {
      await target.close();
      await sandbox.close();
    },
  };
}

function recordingOf(sandbox: Sandbox, companyId: string): Pick<RehearsedScenario, "exchanges" | "read"> {
  const company = sandbox.findCompany(companyId);
  if (company === undefined) return { exchanges: [], read: new Set() };
  const { openPoints } = sandbox.coverage.of(company);
  const read = openPoints.filter(({ met }) => met).map(({ setting }) => setting);
  return { exchanges: [...archiveOf(sandbox, company)], read: new Set(read) };
}

function createTransport(statusOf: (request: TransportRequest) => number): Transport {
  return {
    async send(request) {
      const status = statusOf(request);
      const error = status < 300 ? null : `status ${status} is not 2xx`;
      return { status, error, latencyMs: 0, response: { headers: {}, body: "" } };
    },
    close: async () => undefined,
  };
}
