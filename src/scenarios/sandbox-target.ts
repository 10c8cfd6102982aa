import { toIso } from "../kernel/instant.js";
import { setupFor } from "../sandbox/options.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { readAnswer } from "./read-answer.js";
import { type Receiver, startReceiver } from "./receiver.js";
import type { Given, Scenario } from "./scenario.js";
import type { Answer, Credentials, Outgoing, ScenarioWorld, Target } from "./world.js";

/** The sandbox's own door, without a socket. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Every request in process has to name a host; this one is on every list of allowed ones. */
const ORIGIN = "http://localhost";

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
function openWorld(parts: Parts, { given }: Scenario): ScenarioWorld {
  const { sandbox, name } = parts;
  const identity = setupFor(`at_${name}`);
  const world = createCompanyWorld(parts, identity.id, given);
  const subscriptions = given.webhooks.map(({ topic, url }) => ({ topic, url: url ?? world.receiverUrl }));
  const own = { customers: [], charges: [], transactions: [], subscriptions };
  sandbox.open({ ...identity, ...given, fixtures: [...given.fixtures, own] });
  const closeOthers = world.close;
  world.close = async () => {
    await closeOthers();
    const left = sandbox.findCompany(identity.id);
    if (left !== undefined) sandbox.remove(left);
  };
  return world;
}

/** What a story does in a company of this sandbox. `given`: how another company of the same story begins. */
export function createCompanyWorld(parts: Parts, companyId: string, given?: Given): ScenarioWorld {
  const { sandbox, fetch, receiver, name } = parts;
  const opened = new Map<string, Credentials>();
  // A company's state can be replaced while its story runs (reset, put state): it is looked up each time.
  const company = () => sandbox.findCompany(companyId) ?? sandbox.defaultCompany;
  const inbox = receiver.open(name, {
    secretKey: () => company().record.identity.secretKey,
    signatureHeader: () => company().profile.webhooks.signatureHeader,
  });

  const send = async ({ method, path, headers, body }: Outgoing): Promise<Answer> => {
    const url = new URL(ORIGIN + path);
    const isControl = path.startsWith("/_sandbox");
    if (isControl && !url.searchParams.has("company")) url.searchParams.set("company", companyId);
    const { adminToken } = sandbox.options;
    const admin: Record<string, string> =
      isControl && adminToken !== undefined ? { authorization: `Bearer ${adminToken}` } : {};
    const init = { method, headers: { ...admin, ...headers }, ...(body === undefined ? {} : { body }) };
    return readAnswer(await fetch(new Request(url, init)));
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
    control: (method, path, body) => {
      const content: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
      return send({ method, path, headers: content, body: body === undefined ? undefined : JSON.stringify(body) });
    },
    other(otherName) {
      const known = opened.get(otherName);
      if (known !== undefined) return known;
      const other = setupFor(`at_${name}-${otherName}`);
      sandbox.open({ ...other, ...(given ?? sandbox.options.defaults), fixtures: [] });
      const credentials = describeIdentity(other);
      opened.set(otherName, credentials);
      return credentials;
    },
    receiverUrl: inbox.url,
    received: () => inbox.received,
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
