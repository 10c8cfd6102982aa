import type { Hono } from "hono";
import { onTestFinished } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import { createReplayer } from "../../src/scenarios/replayer.js";
import type { HttpEnv } from "../../src/http/shared/env.js";
import { clientOf } from "../../src/http/api/answer.js";
import { listen } from "../../src/http/server/listen.js";
import { parseInstant } from "../../src/kernel/time/instant.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import type { WorldFixture } from "../../src/sandbox/state/fixture.js";
import { type ResolvedOptions, resolveOptions } from "../../src/sandbox/config/options.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import type { SandboxParts } from "../../src/sandbox/sandbox-parts.js";
import { credentials, readAnswer, requestInit } from "./call.js";
import { documentedApi, documentedTransport } from "./documented.js";
import { fromXof } from "../../src/domain/values/money.js";
import type { ProfileOverrides } from "../../src/domain/profile/settings.js";

export interface WorldOptions extends Partial<ResolvedOptions>, SandboxParts {
  /** The instant at which it is frozen (default {@link WORLD_START}), or `running`. */
  readonly clock?: string;
  /** XOF. */
  readonly balance?: number;
  readonly profile?: ProfileOverrides;
  readonly fixtures?: readonly WorldFixture[];
  /** Do not validate payloads, since rules cut bodies and corrupt signatures. */
  readonly forges?: boolean;
}

/** A sandbox with its app, used over HTTP in process. */
export interface TestWorld {
  readonly sandbox: Sandbox;
  readonly app: Hono<HttpEnv>;
  /** Calls the API with the default company's token and id; a header that is null is left out. */
  readonly api: (method: string, path: string, body?: unknown, headers?: GivenHeaders) => Promise<Answer>;
  /** Calls the control API: `control("POST", "/clock/advance", { by: "1h" })`. */
  readonly control: (method: string, path: string, body?: unknown, headers?: GivenHeaders) => Promise<Answer>;
  /** Serves the same app on a free port until `close`. Returns the base URL. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

export type GivenHeaders = Readonly<Record<string, string | null>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as received. */
  readonly text: string;
  /** The body's JSON, loosely typed for tests; undefined without a body. */
  readonly body: LooseJson;
}

/** The result of `JSON.parse`. */
export type LooseJson = ReturnType<typeof JSON.parse>;

export const WORLD_START = "2026-01-15T09:00:00.000Z";

/** One company, by default frozen at {@link WORLD_START}. */
export function createWorld(options: WorldOptions = {}): TestWorld {
  const { clock = WORLD_START, balance, profile, fixtures, system, transport, store, log, forges, ...given } = options;
  const ownTransport = transport ?? createHttpTransport(system ?? systemClock);
  const undocumented: unknown[] = [];
  const sandbox: Sandbox = new Sandbox(
    resolveOptions({
      ...given,
      defaults: {
        balance: fromXof(balance ?? 10_000_000),
        frozenAt: clock === "running" ? undefined : parseInstant(clock),
        profile: profile ?? {},
        fixtures: fixtures ?? [],
        ...given.defaults,
      },
    }),
    {
      transport:
        forges === true
          ? ownTransport
          : documentedTransport(
              ownTransport,
              () => sandbox,
              (problem) => undocumented.push(problem),
            ),
      ...(system && { system }),
      ...(store && { store }),
      ...(log && { log }),
    },
  );
  const fetch = createInProcessFetch(() => app);
  const replayer = createReplayer({ sandbox, fetch, folder: ".", env: {} });
  const app = createApp(sandbox, { replayer });
  const call = async (path: string, ...given: Parameters<typeof requestInit>): Promise<Answer> =>
    readAnswer(await app.request(path, requestInit(...given)));
  const stops: (() => Promise<void>)[] = [];
  return {
    sandbox,
    app,
    api: documentedApi(sandbox, (method, path, body, headers) =>
      call(path, method, body, { ...credentials, ...headers }),
    ),
    control: (method, path, body, headers) => call(`/_sandbox${path}`, method, body, headers),
    async listen() {
      const server = await listen({ host: "127.0.0.1", port: 0 });
      server.answerWith(app, (authorization) => clientOf(sandbox, authorization));
      sandbox.listensAt(server.url);
      stops.push(() => server.close());
      return server.url;
    },
    async close() {
      await sandbox.close();
      await replayer.close();
      for (const stop of stops.splice(0)) await stop();
      if (undocumented.length > 0)
        throw new AggregateError(undocumented, `Payloads that are not described:\n${undocumented.join("\n")}`);
    },
  };
}

/** A world that is closed when the test ends. */
export function openWorld(options?: WorldOptions): TestWorld {
  const world = createWorld(options);
  onTestFinished(() => world.close());
  return world;
}
