import { defaultProfile } from "../../domain/profile/parse-profile.js";
import { toIso } from "../../kernel/time/instant.js";
import { reasonOf, UsageError } from "../../kernel/messages/problem.js";
import { SecretRedactor } from "../../sandbox/observation/redact.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import {
  type Answer,
  type Credentials,
  type Outgoing,
  type ScenarioWorld,
  type Target,
  nothingSeen,
  readAnswer,
} from "./world.js";
import { type LeafStep, type RequestFields, type Scenario, leavesOf } from "../file/scenario.js";
import { expressionsOf, listTexts } from "../file/template.js";

export interface RemoteOptions extends Credentials {
  /** The base address, without a slash at the end. */
  readonly url: string;
  readonly system: SystemClock;
  /** The timeout of one request: a deployment that hangs must not stop a whole replay. Default {@link REQUEST_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export const REQUEST_TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Replays against any deployment of the contract, such as the provider's staging. Scenarios that need the sandbox itself (its clock, rules, receiver, or a
 * prepared company) are skipped with the reason.
 */
export function createRemoteTarget(options: RemoteOptions): Target {
  const {
    url,
    system,
    token,
    companyId,
    secretKey,
    timeoutMs = REQUEST_TIMEOUT_MS,
    fetch = globalThis.fetch,
  } = options;
  const world: ScenarioWorld = {
    url,
    token,
    companyId,
    secretKey,
    async send({ method, path, headers, body }: Outgoing): Promise<Answer> {
      const signal = AbortSignal.timeout(timeoutMs);
      const content = body === undefined ? {} : { body };
      const answer = await fetch(url + path, { method, headers, redirect: "manual", signal, ...content });
      return readAnswer(answer, ANSWER_BYTES_MAX);
    },
    control: async () => {
      throw new UsageError("cannot-run", "This target has no control API.");
    },
    settle: async () => undefined,
    other: () => {
      throw new UsageError("cannot-run", "This target has one company.");
    },
    receiverUrl: "",
    received: () => [],
    redactor: new SecretRedactor([token, secretKey]),
    seen: () => nothingSeen,
    now: () => toIso(system.now()),
    frozen: false,
    testNumbers: defaultProfile().testNumbers,
    close: async () => undefined,
  };
  return { unfit: findNeed, open: async () => world, close: async () => undefined };
}

/** Throws UsageError("cannot-run") when the deployment does not answer. */
export async function assertReachable({ url }: Pick<RemoteOptions, "url">): Promise<void> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "manual" });
    await answer.body?.cancel();
  } catch (error) {
    const reason = `Failed to reach the target ${url}: ${reasonOf(error)}. Check --target and whether it is up.`;
    throw new UsageError("cannot-run", reason, { cause: error });
  }
}

/** The first thing in the scenario that only the sandbox can do. */
function findNeed({ steps, givenKeys, file }: Scenario): string | undefined {
  if (givenKeys.length > 0) return `given.${givenKeys[0]} needs the sandbox`;
  for (const step of leavesOf(steps)) {
    const need = needOf(step);
    const { position } = step;
    if (need !== undefined)
      return `${need} (${position.file === file ? "" : `${position.file}, `}line ${position.line})`;
  }
  return undefined;
}

function needOf(step: LeafStep): string | undefined {
  if (step.kind === "request") return needOfRequest(step);
  return step.kind === "eventually" ? needOfRequest(step.eventually) : needs[step.kind];
}

const needs: Readonly<Record<Exclude<LeafStep["kind"], "request" | "eventually">, string | undefined>> = {
  advance: '"advance" needs the sandbox\'s clock',
  clock: '"clock" needs the sandbox\'s clock',
  webhook: "webhooks need the sandbox's receiver",
  noWebhook: "webhooks need the sandbox's receiver",
  rule: "rules need the sandbox",
  settle: '"settle" needs the sandbox',
  wait: undefined,
};

function needOfRequest({ request, as, body, rawBody, headers, query, expect }: RequestFields): string | undefined {
  if (request.includes(" /_sandbox")) return "the control API needs the sandbox";
  if (as !== undefined) return "another company needs the sandbox";
  const texts = [...listTexts([request, body, rawBody, headers, query])];
  if (texts.some(({ text }) => expressionsOf(text).includes("receiver"))) return "webhooks need the sandbox's receiver";
  const exact = [...listTexts(expect)].filter(({ path }) => !COMPARISONS.has(path.at(-1)));
  const usesNow = exact.some(({ text }) => expressionsOf(text).includes("now"));
  return usesNow ? "an answer with the exact time needs the sandbox's clock" : undefined;
}

const COMPARISONS: ReadonlySet<unknown> = new Set(["$gt", "$gte", "$lt", "$lte"]);
