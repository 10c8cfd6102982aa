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

/** Passes requests on to a service, and changes what it answers. */
async function startMutator(serviceUrl: string, mutate: (request: ReceivedRequest, body: Body) => Body) {
  return startReceiver(async (request) => {
    const { method, path, headers: given, raw } = request;
    const { host: _, "content-length": __, connection: ___, ...passed } = given as Record<string, string>;
    const body = raw.length === 0 ? {} : { body: raw };
    const answer = await fetch(serviceUrl + path, { method, headers: passed, ...body });
    const mutated = mutate(request, (await answer.json()) as Body);
    return {
      status: answer.status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(mutated),
    };
  });
}

/** A service with this profile, the proxy before it, and a receiver behind the proxy. `mutate` changes its answers on the way to the proxy. */
async function startStaging(
  profile: string,
  topics: readonly string[],
  mutate?: (request: ReceivedRequest, body: Body) => Body,
) {
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
    /** What calibrate finds in what was recorded. */
    async calibrate(): Promise<{ set: Record<string, unknown>; contradicted: unknown; drift: unknown }> {
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
])("names exactly what differs in a service with %s, from what the proxy recorded", async (profile, set) => {
  const staging = await startStaging(profile, topics);
  const target = ["--target", staging.url, "--token", "at_sandbox", "--company", "company_sandbox", "--workers", "1"];
  const played = await runSandbox(["replay", join(process.cwd(), "scenarios/probes"), ...target]);
  // 4: an answer is not what the scenario expects of the defaults.
  expect([0, 4]).toContain(played.code);
  expect(await staging.calibrate()).toEqual({ set, contradicted: [], drift: [] });
  const passed = staging.receiver.received.map(({ body }) => body.topic);
  expect(passed).toEqual(expect.arrayContaining(["charges/events", "transactions/started"]));
});

/** No webhook: its time would be that of the answer before it. */
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

it("lists a field that a service has renamed as drift", async () => {
  const rename = ({ method, path }: ReceivedRequest, body: Body): Body => {
    if (method !== "GET" || !path.startsWith("/v1/charges/")) return body;
    const { externalId, ...rest } = body;
    return { ...rest, merchantReference: externalId };
  };
  const staging = await startStaging("{}", [], rename);
  const { id } = await send(`${staging.url}/v1/charges`, chargeRequest());
  expect(await send(`${staging.url}/v1/charges/${id}`)).toHaveProperty("merchantReference");
  const { set, contradicted, drift } = await staging.calibrate();
  expect([set, contradicted]).toEqual([{}, []]);
  const read = { operation: "GET /v1/charges/:id", count: 1, of: 1 };
  expect(drift).toMatchObject([
    { ...read, pointer: "/body/externalId", kind: "missing" },
    { ...read, pointer: "/body/merchantReference", kind: "added" },
  ]);
});

it("lists webhooks that a service sends late as drift", async () => {
  const staging = await startStaging("{}", []);
  const { url, service, receiver } = staging;
  const between = await startReceiver();
  await send(`${url}/v1/webhooks`, { topic: "charges/events", url: between.url });
  const { id } = await send(`${url}/v1/charges`, chargeRequest());
  await send(`${url}/v1/charges/${id}/pay`, {});
  const [{ headers: signed, raw }] = (await between.waitFor(1)) as [ReceivedRequest];
  await send(`${service.url}/_sandbox/clock/advance`, { by: "10m" });
  await send(`${url}/v1/charges`, chargeRequest());
  const { "content-type": type, "x-service-hmac-sha256": signature } = signed as Record<string, string>;
  const late = { "content-type": type!, "x-service-hmac-sha256": signature! };
  await fetch(`${url}/_webhooks`, { method: "POST", headers: late, body: raw });
  await receiver.waitFor(1);
  const { set, contradicted, drift } = await staging.calibrate();
  expect([set, contradicted]).toEqual([{}, []]);
  expect(drift).toMatchObject([{ topic: "charges/events", pointer: "/at", kind: "value", count: 1, of: 1 }]);
});
