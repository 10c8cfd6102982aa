import { join } from "node:path";
import { expect, it } from "vitest";
import { followSandbox, runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { type ReceivedRequest, startReceiver } from "../support/receiver.js";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

async function send(url: string, body?: unknown): Promise<LooseJson> {
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { headers, ...post });
  expect(answer.status).toBeLessThan(300);
  return answer.json();
}

const topics = ["charges/events", "transactions/started", "transactions/completed", "transactions/failed"];

type Body = Record<string, unknown>;
type Answer = { readonly status: number; readonly body: Body };
type Mutate = (request: ReceivedRequest, answer: Answer) => Answer;

/** Passes requests on to a service, and changes what it answers. */
async function startMutator(serviceUrl: string, mutate: Mutate) {
  return startReceiver(async (request) => {
    const { method, path, headers: given, raw } = request;
    const { host: _, "content-length": __, connection: ___, ...passed } = given as Record<string, string>;
    const sent = raw.length === 0 ? {} : { body: raw };
    const answer = await fetch(serviceUrl + path, { method, headers: passed, ...sent });
    const { status, body } = mutate(request, { status: answer.status, body: (await answer.json()) as Body });
    return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  });
}

interface Found {
  readonly set: Record<string, unknown>;
  readonly contradicted: unknown;
  readonly drift: unknown;
}

/** A service with this profile, the proxy before it, and a receiver behind the proxy. `mutate` changes its answers on the way to the proxy. */
async function startStaging(profile: string, topics: readonly string[], mutate?: Mutate) {
  const cwd = await folderWith({ "staging.yaml": profile });
  const file = join(cwd, "traffic.har");
  const service = await startSandbox(["--profile", "staging.yaml"], { cwd });
  const receiver = await startReceiver();
  const flags = ["--record", file, "--webhooks-to", receiver.url, "--secret", "secret_sandbox", "--port", "0"];
  const target = mutate === undefined ? service.url : (await startMutator(service.url, mutate)).origin;
  const proxy = followSandbox(["proxy", "--target", target, ...flags]);
  const [, url = ""] = /(http:\S+)/.exec(await proxy.waitForText("Proxy: ")) ?? [];
  for (const topic of topics) {
    await send(`${url}/v1/webhooks`, { topic, url: `${url}/_webhooks` });
  }
  return {
    url,
    service,
    receiver,
    /** The result of calibrate for the recording. */
    calibrate: async (): Promise<Found> => {
      expect(await proxy.stop()).toBe(0);
      const { code, stdout, stderr } = await runSandbox(["calibrate", file, "--reporter", "json"]);
      expect([code, stderr]).toEqual([0, expect.stringContaining("confirmed")]);
      const { settings, drift } = JSON.parse(stdout);
      const inState = (state: string) => settings.filter((row: LooseJson) => row.state === state);
      const valueOf = ({ path, value }: LooseJson) => [path, value];
      return { set: Object.fromEntries(inState("set").map(valueOf)), contradicted: inState("contradicted"), drift };
    },
  };
}

it.each<[string, Record<string, unknown>]>([
  ["{}", {}],
  [
    "http: { createdStatus: 200 }\ncharges: { createdAtFormat: iso }",
    { "http.createdStatus": 200, "charges.createdAtFormat": "iso" },
  ],
  [
    "webhooks: { signatureHeader: x-other-signature, topicHeader: x-topic }",
    { "webhooks.signatureHeader": "x-other-signature", "webhooks.topicHeader": "x-topic" },
  ],
])("reports exactly what differs in a service with %s, from what the proxy recorded", async (profile, set) => {
  const staging = await startStaging(profile, topics);
  const target = ["--target", staging.url, "--token", "at_sandbox", "--company", "company_sandbox", "--workers", "1"];
  const played = await runSandbox(["replay", join(process.cwd(), "scenarios/probes"), ...target]);
  // 4: an answer is not what the scenario expects of the defaults.
  expect([0, 4]).toContain(played.code);
  expect(await staging.calibrate()).toEqual({ set, contradicted: [], drift: [] });
  const passed = staging.receiver.received.map(({ body }) => body.topic);
  expect(passed).toEqual(expect.arrayContaining(["charges/events", "transactions/started"]));
});

/** Without webhooks, whose time would be that of the answer before. */
it("finds after how long a charge is dropped, from a recording in which the service's time was moved", async () => {
  const staging = await startStaging("charges: { ttl: 30m }", []);
  const { url, service } = staging;
  const { id } = await send(`${url}/v1/charges`, chargeRequest());
  await send(`${service.url}/_sandbox/clock/advance`, { by: "29m" });
  await send(`${url}/v1/charges`, chargeRequest());
  expect((await send(`${url}/v1/charges/${id}`)).status).toBe("due");
  await send(`${service.url}/_sandbox/clock/advance`, { by: "2m" });
  await send(`${url}/v1/charges`, chargeRequest());
  expect((await send(`${url}/v1/charges/${id}`)).status).toBe("dropped");
  const found = await staging.calibrate();
  expect(found).toEqual({ set: { "charges.ttl": "30m" }, contradicted: [], drift: [] });
});

function expectDriftOnly({ drift, ...found }: Found, expected: readonly object[]): void {
  expect(found).toEqual({ set: {}, contradicted: [] });
  expect(drift).toMatchObject(expected);
}

const isRead = ({ method, path }: ReceivedRequest): boolean => method === "GET" && path.startsWith("/v1/charges/");
const inReads =
  (change: (body: Body) => Body): Mutate =>
  (request, answer) =>
    isRead(request) ? { ...answer, body: change(answer.body) } : answer;
const read = { operation: "GET /v1/charges/:id", count: 1, of: 1 };

it.each<[string, Mutate, readonly object[]]>([
  [
    "a renamed field",
    inReads(({ externalId, ...rest }) => ({ ...rest, merchantReference: externalId })),
    [
      { ...read, pointer: "/body/externalId", kind: "missing" },
      { ...read, pointer: "/body/merchantReference", kind: "added" },
    ],
  ],
  [
    "a retyped field",
    inReads((body) => ({ ...body, amount: String(body["amount"]) })),
    [{ ...read, pointer: "/body/amount", kind: "type" }],
  ],
  [
    "another status",
    ({ path }, answer) => (path.endsWith("/pay") ? { ...answer, status: 202 } : answer),
    [{ operation: "POST /v1/charges/:id/pay", pointer: "/status", kind: "status", count: 1, of: 1 }],
  ],
])("lists %s of a service as drift", async (_, mutate, drift) => {
  const { url, calibrate } = await startStaging("{}", [], mutate);
  const { id } = await send(`${url}/v1/charges`, chargeRequest());
  await send(`${url}/v1/charges/${id}/pay`, {});
  await send(`${url}/v1/charges/${id}`);
  expectDriftOnly(await calibrate(), drift);
});

const SIGNATURE = "x-service-hmac-sha256";
const ofWebhooks = { topic: "charges/events", count: 1 };

/** Receives the webhooks of charges in the place of the proxy. `pass` sends one on to it, without a header. */
async function holdWebhooks(url: string) {
  const held = await startReceiver();
  await send(`${url}/v1/webhooks`, { topic: "charges/events", url: held.url });
  return {
    held,
    pass: async ({ headers: given, raw }: ReceivedRequest, without?: string) => {
      const signed = Object.entries(given).filter(([name]) => ["content-type", SIGNATURE].includes(name));
      const passed = Object.fromEntries(signed.filter(([name]) => name !== without)) as Record<string, string>;
      await fetch(`${url}/_webhooks`, { method: "POST", headers: passed, body: raw });
    },
  };
}

type Pass = (webhook: ReceivedRequest, without?: string) => Promise<void>;

it.each<[string, (pass: Pass, paid: ReceivedRequest, refunded: ReceivedRequest) => Promise<void>, object]>([
  [
    "an unsigned webhook",
    async (pass, paid, refunded) => {
      await pass(paid, SIGNATURE);
      await pass(refunded);
    },
    { pointer: `/headers/${SIGNATURE}`, kind: "signature", of: 2 },
  ],
  [
    "webhooks in another order",
    async (pass, paid, refunded) => {
      await pass(refunded);
      await pass(paid);
    },
    { pointer: "", kind: "order", of: 2 },
  ],
])("lists %s as drift", async (_, deliver, drift) => {
  const { url, calibrate } = await startStaging("{}", []);
  const { held, pass } = await holdWebhooks(url);
  const { id } = await send(`${url}/v1/charges`, chargeRequest());
  await send(`${url}/v1/charges/${id}/pay`, {});
  await held.waitFor(1);
  await send(`${url}/v1/charges/${id}/refund`, { amount: 4_000 });
  const [paid, refunded] = (await held.waitFor(2)) as [ReceivedRequest, ReceivedRequest];
  await deliver(pass, paid, refunded);
  expectDriftOnly(await calibrate(), [{ ...ofWebhooks, ...drift }]);
});

it("lists a late webhook as drift", async () => {
  const { url, service, calibrate } = await startStaging("{}", []);
  const { held, pass } = await holdWebhooks(url);
  const { id } = await send(`${url}/v1/charges`, chargeRequest());
  await send(`${url}/v1/charges/${id}/pay`, {});
  const [paid] = (await held.waitFor(1)) as [ReceivedRequest];
  await send(`${service.url}/_sandbox/clock/advance`, { by: "10m" });
  await send(`${url}/v1/charges`, chargeRequest());
  await pass(paid);
  expectDriftOnly(await calibrate(), [{ ...ofWebhooks, pointer: "/at", kind: "value", of: 1 }]);
});
