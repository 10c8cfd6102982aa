import type { Finding } from "../../sandbox/observation/finding.js";
import type { Received } from "./receiver.js";
import type { Scenario } from "../file/scenario.js";

/** A request to the API under test. `path` from the root, query included. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What came back; `body` is the parsed JSON, the text when it is not JSON, undefined when there was none. */
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

/** What a replay is to be told of beside how it came out. */
export interface Seen {
  readonly findings: readonly Finding[];
  /** What is called by its name, or described. */
  readonly rulesNeverFired: readonly string[];
}

export const nothingSeen: Seen = { findings: [], rulesNeverFired: [] };

/** The world of one replay: a company of its own, and what the runner can do with it. */
export interface ScenarioWorld extends Credentials {
  readonly url: string;
  send(request: Outgoing): Promise<Answer>;
  /** The control API, for this company. Throws UsageError when it refuses. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Another company in the same sandbox, opened at its first use. */
  other(name: string): Credentials;
  /** Where the runner's own receiver listens for this story: `${receiver}`. */
  readonly receiverUrl: string;
  /** Webhooks that the runner's own receiver caught so far, oldest first. */
  received(): readonly Received[];
  /** What the sandbox saw of the story so far. */
  seen(): Seen;
  now(): string;
  readonly frozen: boolean;
  readonly testNumbers: Readonly<Record<string, string>>;
  close: () => Promise<void>;
}

/** Where scenarios are replayed. */
export interface Target {
  /** Why this scenario cannot be replayed there; undefined when it can. */
  unfit(scenario: Scenario): string | undefined;
  /** `name` is the same for the same scenario in every run: seeded identifiers hang on it. */
  open(scenario: Scenario, name: string): Promise<ScenarioWorld>;
  close(): Promise<void>;
}

/** The body is parsed when it is JSON by its content type, and kept as text otherwise, or when it does not parse. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers,
    body: text === "" ? undefined : parse(text, headers["content-type"] ?? ""),
  };
}

function parse(text: string, contentType: string): unknown {
  if (!/\bjson\b/.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
