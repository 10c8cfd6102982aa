import { parseJsonOrText } from "../../kernel/messages/json.js";
import { readText } from "../../kernel/messages/read-text.js";
import type { Redactor } from "../../sandbox/observation/redact.js";
import type { Finding } from "../../sandbox/findings/finding.js";
import type { Scenario } from "../file/scenario.js";
import type { Received } from "./receiver.js";

/** A request to the API under test. `path` begins at the root and includes the query. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** `body` is the parsed JSON, or the text when it is not JSON; undefined when there is no body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Credentials {
  readonly token: string;
  readonly companyId: string;
  readonly secretKey: string;
}

/** What the sandbox observed during a replay. */
export interface Seen {
  readonly findings: readonly Finding[];
  /** Findings that are expected. */
  readonly allowed: readonly Finding[];
  /** Rules are named by their names, or described. */
  readonly rulesNeverFired: readonly string[];
}

export const nothingSeen: Seen = { findings: [], allowed: [], rulesNeverFired: [] };

/** Where one replay runs: a company, and what the runner can do with it. */
export interface ScenarioWorld extends Credentials {
  readonly url: string;
  send(request: Outgoing): Promise<Answer>;
  /** Calls the control API for this company. Throws UsageError when it refuses. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Another company in the same sandbox, which is opened at its first use. */
  other(name: string): Credentials & Pick<ScenarioWorld, "frozen">;
  /** Waits until no delivery of the scenario's companies is in flight. */
  settle(): Promise<void>;
  /** The address of the runner's receiver for this scenario: `${receiver}`. */
  readonly receiverUrl: string;
  /** The webhooks that the runner's receiver has received so far, oldest first. */
  received(): readonly Received[];
  seen(): Seen;
  now(): string;
  readonly frozen: boolean;
  readonly testNumbers: Readonly<Record<string, string>>;
  /** Redacts what is reported. */
  readonly redactor: Redactor;
  close(): Promise<void>;
}

/** Where scenarios are replayed. */
export interface Target {
  /** Why this scenario cannot be replayed there; undefined when it can. */
  unfit(scenario: Scenario): string | undefined;
  /** `name` is the same for the same scenario in every run, because seeded identifiers depend on it. `signal` ends its requests early. */
  open(scenario: Scenario, name: string, signal?: AbortSignal): Promise<ScenarioWorld>;
  close(): Promise<void>;
}

export async function readAnswer(response: Response, bytesMax = Number.POSITIVE_INFINITY): Promise<Answer> {
  const text = await readText(response, bytesMax);
  const headers = Object.fromEntries(response.headers);
  const isJson = /\bjson\b/.test(headers["content-type"] ?? "");
  return { status: response.status, headers, body: text === "" ? undefined : isJson ? parseJsonOrText(text) : text };
}
