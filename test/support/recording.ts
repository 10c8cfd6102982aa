import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { type ResolvedOptions, resolveOptions } from "../../src/sandbox/config/options.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import type { SandboxParts } from "../../src/sandbox/sandbox-parts.js";
import { checkRecording } from "../../src/scenarios/record/check-recording.js";
import { Recorder } from "../../src/scenarios/record/recorder.js";
import { createSandboxTarget } from "../../src/scenarios/run/sandbox-target.js";

export interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface SendOptions {
  readonly company?: string;
  /** A header that is null is left out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A frozen sandbox that is recorded, and its clients. An answer that was lost has the status 0. */
export function recordedSandbox(options: Partial<ResolvedOptions> = {}, bytesMax?: number, parts?: SandboxParts) {
  const { defaults } = resolveOptions();
  const frozen = { ...defaults, frozenAt: Date.UTC(2026, 0, 15, 9) };
  const sandbox = new Sandbox(resolveOptions({ defaults: frozen, autoProvision: true, ...options }), parts);
  const app = createApp(sandbox);
  const fetch = createInProcessFetch(() => app);
  const recorder = new Recorder(sandbox, [], bytesMax);
  const request = async (method: string, path: string, init: RequestInit): Promise<Sent> => {
    const answer = await fetch(new Request(`http://localhost${path}`, { method, ...init })).catch(() => undefined);
    const text = await answer?.text();
    const isJson = answer?.headers.get("content-type")?.includes("json") === true;
    const status = answer?.status ?? 0;
    try {
      return { status, body: isJson && text !== undefined && text !== "" ? JSON.parse(text) : {} };
    } catch {
      return { status, body: {} };
    }
  };
  return {
    sandbox,
    recorder,
    /** Calls the API; text and bytes are sent as they are. */
    api: async (
      method: string,
      path: string,
      body?: unknown,
      { company = "sandbox", headers = {} }: SendOptions = {},
    ) => {
      const own: Record<string, string | null> = {
        authorization: `Bearer at_${company}`,
        "x-company-id": `company_${company}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      };
      const kept = Object.entries(own).flatMap(([name, value]): [string, string][] =>
        value === null ? [] : [[name, value]],
      );
      const isRaw = typeof body === "string" || body instanceof Uint8Array;
      const content = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
      return request(method, path, { headers: kept, ...content });
    },
    control: async (method: string, path: string, body?: unknown, company?: string): Promise<Sent> => {
      const query = company === undefined ? "" : `${path.includes("?") ? "&" : "?"}company=company_${company}`;
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      return request(method, `/_sandbox${path}${query}`, {
        headers: { "content-type": "application/json" },
        ...content,
      });
    },
    /** Sends a form of the payment page, as a customer does. */
    form: (chargeId: string, fields: Record<string, string>) =>
      request("POST", `/checkout/${chargeId}`, { body: new URLSearchParams(fields), redirect: "manual" }),
    close: () => sandbox.close(),
  };
}

export type RecordedSandbox = ReturnType<typeof recordedSandbox>;

/** Replays a recording in a new sandbox. Returns why it does not pass; undefined when it does. */
export async function replayRecording(text: string): Promise<string | undefined> {
  const sandbox = new Sandbox(resolveOptions());
  const app = createApp(sandbox);
  const target = createSandboxTarget(
    sandbox,
    createInProcessFetch(() => app),
  );
  try {
    return await checkRecording(text, { target, system: systemClock, file: "recorded.yaml" });
  } finally {
    await target.close();
    await sandbox.close();
  }
}
