import { toIso } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import type { Company } from "../../sandbox/company/company.js";
import { setupFor } from "../../sandbox/config/options.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { type Answer, type Credentials, type Outgoing, type ScenarioWorld, type Target, readAnswer } from "./world.js";
import { type Receiver, startReceiver } from "./receiver.js";
import type { Given, Scenario } from "../file/scenario.js";
import { describeRule } from "../../sandbox/state/rules.js";

/** The sandbox's own door, without a socket. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Replays in a sandbox of this process: each story in a company of its own, so that any number runs at the same time. */
export function createSandboxTarget(sandbox: Sandbox, fetch: Fetch): Target {
  let receiver: Promise<Receiver> | undefined;
  return {
    unfit: () => undefined,
    async open(scenario, name) {
      receiver ??= startReceiver();
      return openWorld({ sandbox, fetch, receiver: await receiver, name }, scenario);
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
  /** Of the story: its receiver's path and its other companies are called by it. */
  readonly name: string;
}

/** A company of its own, which goes with the story. */
async function openWorld(given: Parts, scenario: Scenario): Promise<ScenarioWorld> {
  const { sandbox } = given;
  const parts = { ...given, name: freeName(sandbox, given.name) };
  const identity = setupFor(tokenOf(parts.name));
  const world = createCompanyWorld(parts, identity.id, scenario.given);
  const closeOthers = world.close;
  world.close = async () => {
    await closeOthers();
    const left = sandbox.findCompany(identity.id);
    if (left !== undefined) sandbox.remove(left);
  };
  const { balance, frozenAt, profile, fixtures, webhooks, rules } = scenario.given;
  const subscriptions = webhooks.map(({ topic, url }) => ({ topic, url: url ?? world.receiverUrl }));
  const own = { customers: [], charges: [], transactions: [], subscriptions };
  try {
    sandbox.open({ ...identity, balance, frozenAt, profile, fixtures: [...fixtures, own], rules });
    return world;
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** The same story may be replayed twice at a time in one sandbox. */
function freeName(sandbox: Sandbox, name: string): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    const { id } = setupFor(tokenOf(candidate));
    if (sandbox.findCompany(id) === undefined && !sandbox.isTokenTaken(tokenOf(candidate))) return candidate;
  }
}

/** A name may be anything; what goes into a header may not. */
function tokenOf(name: string): string {
  return `at_${encodeURIComponent(name)}`;
}

/** What a story does in a company of this sandbox. `given`: how another company of the same story begins. */
export function createCompanyWorld(parts: Parts, companyId: string, given?: Given): ScenarioWorld {
  const { sandbox, fetch, receiver, name } = parts;
  const opened = new Map<string, Credentials>();
  // A company's state can be replaced while its story runs (reset, put state): it is looked up each time.
  const company = (): Company => {
    const found = sandbox.findCompany(companyId);
    if (found === undefined) throw new UsageError("state", `The company ${companyId} of this story was removed.`);
    return found;
  };
  const inbox = receiver.open(name, {
    secretKey: () => sandbox.findCompany(companyId)?.record.identity.secretKey ?? "",
    signatureHeader: () => sandbox.findCompany(companyId)?.profile.webhooks.signatureHeader ?? "",
  });
  // Links in answers begin with the address of the request: so they begin with ${url}.
  const { origin } = new URL(sandbox.publicUrl);

  const send = async ({ method, path, headers, body }: Outgoing): Promise<Answer> => {
    const url = new URL(origin + path);
    const isControl = path.startsWith("/_sandbox");
    if (isControl && !url.searchParams.has("company")) url.searchParams.set("company", companyId);
    const { adminToken } = sandbox.options;
    const admin: Record<string, string> =
      isControl && adminToken !== undefined ? { authorization: `Bearer ${adminToken}` } : {};
    // As bytes: of a text a Request would make up a content type where the story wants none.
    const content = body === undefined ? {} : { body: new TextEncoder().encode(body) };
    return readAnswer(await fetch(new Request(url, { method, headers: { ...admin, ...headers }, ...content })));
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
    async control(method, path, body) {
      const content: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const answer = await send({ method, path, headers: content, body: sent });
      if (answer.status < 300) return answer;
      const messages = messagesOf(answer.body);
      throw new UsageError("input", messages.length > 0 ? messages : `${method} ${path} answered ${answer.status}.`);
    },
    other(otherName) {
      const known = opened.get(otherName);
      if (known !== undefined) return known;
      const other = setupFor(tokenOf(`${name}-${otherName}`));
      const { balance, frozenAt, profile } = given ?? sandbox.options.defaults;
      sandbox.open({ ...other, balance, frozenAt, profile, fixtures: [] });
      const credentials = describeIdentity(other);
      opened.set(otherName, credentials);
      return credentials;
    },
    receiverUrl: inbox.url,
    received: () => inbox.received,
    seen: () => {
      const ids = [companyId, ...[...opened.values()].map((other) => other.companyId)];
      const companies = ids.filter((id) => sandbox.findCompany(id) !== undefined);
      return {
        findings: companies.flatMap((id) => [...sandbox.observationOf(id).findings.list()]),
        rulesNeverFired: companies.flatMap((id) => neverFired(sandbox, id)),
      };
    },
    now: () => toIso(company().now()),
    get frozen() {
      return company().clock.mode === "frozen";
    },
    get testNumbers() {
      return company().profile.testNumbers;
    },
    close: async () => {
      inbox.close();
      for (const { companyId: id } of opened.values()) {
        const left = sandbox.findCompany(id);
        if (left !== undefined) sandbox.remove(left);
      }
    },
  };
}

function describeIdentity({ id, tokens, secretKey }: ReturnType<typeof setupFor>): Credentials {
  return { token: tokens[0]?.token ?? "", companyId: id, secretKey };
}

function neverFired(sandbox: Sandbox, companyId: string): string[] {
  const rules = sandbox.findCompany(companyId)?.world.rules.values() ?? [];
  return rules.filter(({ fired }) => fired === 0).map(describeRule);
}

function messagesOf(body: unknown): string[] {
  if (typeof body !== "object" || body === null || !("message" in body) || !Array.isArray(body.message)) return [];
  return body.message.map(String);
}
