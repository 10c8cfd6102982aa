import { Agent, fetch as undiciFetch } from "undici";
import { onTestFinished } from "vitest";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import { credentials, requestInit } from "./call.js";
import { type Live, startLive } from "./live.js";
import type { GivenHeaders, LooseJson, WorldOptions } from "./world.js";

/** The two ways to call the API. */
export const doors = ["in process", "over TCP"] as const;
export type Door = (typeof doors)[number];

/** An answer as received; its body need not be JSON. */
interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Asking {
  readonly body?: unknown;
  /** A header that is null is left out. */
  readonly headers?: GivenHeaders;
  readonly signal?: AbortSignal;
}

/** A sandbox with rules, called in one of the two ways. */
export interface Ruled {
  readonly live: Live;
  /** Calls the API as the default company; rejects when no answer comes. */
  readonly ask: (method: string, path: string, asking?: Asking) => Promise<PlainAnswer>;
  /** Adds a `request` rule and returns its id. */
  readonly rule: (rule: LooseJson) => Promise<string>;
}

export async function openDoor(door: Door, options: WorldOptions = {}): Promise<Ruled> {
  const live = await startLive(options);
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const inProcess = createInProcessFetch(() => live.app);
  return {
    live,
    async ask(method, path, { body, headers: given, signal } = {}) {
      const init = { ...requestInit(method, body, { ...credentials, ...given }), ...(signal && { signal }) };
      const answer =
        door === "in process"
          ? await inProcess(new Request(live.url + path, init))
          : await undiciFetch(live.url + path, { ...init, dispatcher: agent });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
    },
    async rule(rule) {
      const { status, text, body } = await live.control("POST", "/rules", { on: "request", ...rule });
      if (status !== 201) throw new Error(text);
      return String(body.id);
    },
  };
}

/** Checks the condition once per turn of the event loop. */
export async function untilTrue(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
