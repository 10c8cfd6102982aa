import { toIso } from "../../kernel/time/instant.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { Company } from "../../sandbox/company/company.js";
import { setupFor } from "../../sandbox/config/options.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { describeRule } from "../../sandbox/state/rules.js";
import type { Given, Scenario } from "../file/scenario.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { type Answer, type Outgoing, readAnswer, type ScenarioWorld, type Target } from "./world.js";

/** Calls the sandbox without a socket. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Replays in a sandbox of this process. Each scenario gets a new company, so any number can run at the same time. */
export function createSandboxTarget(sandbox: Sandbox, fetch: Fetch): Target {
  let receiver: Promise<Receiver> | undefined;
  return {
    unfit: () => undefined,
    async open(scenario, name, signal) {
      receiver ??= startReceiver();
      return openWorld({ sandbox, fetch, receiver: await receiver, name, signal }, scenario);
    },
    async close() {
      await (await receiver)?.close();
    },
  };
}

interface Parts {
  readonly sandbox: Sandbox;
  readonly fetch: Fetch;
  readonly receiver: Receiver;
  /** Of the scenario: names the path of its receiver and its other companies. */
  readonly name: string;
  /** Ends its requests early. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a company for a scenario. */
async function openWorld(given: Parts, scenario: Scenario): Promise<ScenarioWorld> {
  const { sandbox } = given;
  const parts = { ...given, name: freeName(sandbox, given.name) };
  const identity = setupFor(tokenOf(parts.name));
  const world = createCompanyWorld(parts, identity.id, scenario.given);
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

/** The same scenario may be replayed twice at a time in one sandbox. */
function freeName(sandbox: Sandbox, name: string): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    const token = tokenOf(candidate);
    if (sandbox.findCompany(setupFor(token).id) === undefined && !sandbox.isTokenTaken(token)) return candidate;
  }
}

/** Any name, encoded for a header. */
function tokenOf(name: string): string {
  return `at_${encodeURIComponent(name)}`;
}

/** What a scenario can do in a company of this sandbox. `given`: the company is the scenario's own; others that it opens are like it. */
export function createCompanyWorld(parts: Parts, companyId: string, given?: Given): ScenarioWorld {
  const { sandbox, fetch, receiver, name, signal } = parts;
  const { adminToken, defaults } = sandbox.options;
  const others = new Map<string, ReturnType<ScenarioWorld["other"]>>();
  // Looked up each time, because the scenario may replace the company's state.
  const company = (): Company => {
    const found = sandbox.findCompany(companyId);
    if (found === undefined) throw new UsageError("state", `The company ${companyId} of this scenario was removed.`);
    return found;
  };
  const inbox = receiver.open(name, () =>
    [companyId, ...[...others.values()].map((other) => other.companyId)].flatMap((id) => {
      const { record, profile } = sandbox.findCompany(id) ?? {};
      if (record === undefined || profile === undefined) return [];
      return { secretKey: record.identity.secretKey, header: profile.webhooks.signatureHeader.toLowerCase() };
    }),
  );
  // Links in answers begin with the address of the request, and so with ${url}.
  const { origin } = new URL(sandbox.publicUrl);

  const send = async ({ method, path, headers, body }: Outgoing): Promise<Answer> => {
    // Calls without a socket would leave no turn to others.
    await sandbox.system.yieldToEventLoop();
    const url = new URL(origin + path);
    const isControl = path.startsWith("/_sandbox");
    if (isControl && !url.searchParams.has("company")) url.searchParams.set("company", companyId);
    const admin = isControl && adminToken !== undefined ? { authorization: `Bearer ${adminToken}` } : undefined;
    // As bytes: a Request would add a content type to text.
    const content = body === undefined ? {} : { body: new TextEncoder().encode(body) };
    const init = { method, headers: { ...admin, ...headers }, ...(signal && { signal }), ...content };
    return readAnswer(await fetch(new Request(url, init)));
  };

  const control: ScenarioWorld["control"] = async (method, path, body) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers: Outgoing["headers"] = json === undefined ? {} : { "content-type": "application/json" };
    const answer = await send({ method, path, headers, body: json });
    if (answer.status < 300) return answer;
    const { message }: Readonly<Record<string, unknown>> = isObject(answer.body) ? answer.body : {};
    const messages = Array.isArray(message) ? message.map(String) : [];
    throw new UsageError("input", messages.length > 0 ? messages : `${method} ${path} answered ${answer.status}.`);
  };

  return {
    get token() {
      return company().record.identity.tokens[0]?.token ?? "";
    },
    companyId,
    get secretKey() {
      return company().record.identity.secretKey;
    },
    url: sandbox.publicUrl,
    send,
    control,
    other(otherName) {
      const known = others.get(otherName);
      if (known !== undefined) return known;
      const setup = setupFor(tokenOf(`${name}-${otherName}`));
      const { balance, frozenAt, profile } = given ?? defaults;
      sandbox.open({ ...setup, balance, frozenAt, profile, fixtures: [], ofScenario: true });
      const opened = {
        token: setup.tokens[0]?.token ?? "",
        companyId: setup.id,
        secretKey: setup.secretKey,
        get frozen() {
          return sandbox.findCompany(setup.id)?.clock.mode === "frozen";
        },
      };
      others.set(otherName, opened);
      return opened;
    },
    async settle() {
      const opened = [...others.values()].map((other) => other.companyId);
      for (const id of [companyId, ...opened.filter((other) => sandbox.findCompany(other) !== undefined)])
        await control("POST", `/_sandbox/settle?company=${encodeURIComponent(id)}`);
    },
    receiverUrl: inbox.url,
    received: () => inbox.received,
    seen: () => {
      const ids = [companyId, ...[...others.values()].map((other) => other.companyId)];
      const companies = ids.flatMap((id) => sandbox.findCompany(id) ?? []);
      return {
        findings: companies.flatMap(({ id }) => [...sandbox.observationOf(id).findings.list()]),
        allowed: [],
        rulesNeverFired: companies.flatMap(({ world }) =>
          world.rules.values().flatMap((rule) => (rule.fired === 0 ? describeRule(rule) : [])),
        ),
      };
    },
    redactor: sandbox.redactor,
    now: () => toIso(company().now()),
    get frozen() {
      return company().clock.mode === "frozen";
    },
    get testNumbers() {
      return company().profile.testNumbers;
    },
    close: async () => {
      inbox.close();
      const opened = [...others.values()].map((other) => other.companyId);
      if (given !== undefined) opened.push(companyId);
      // A scenario is no client: what it does not look at is not a mistake.
      for (const company of opened.flatMap((id) => sandbox.findCompany(id) ?? []))
        sandbox.remove(company, { endsRun: false });
    },
  };
}
