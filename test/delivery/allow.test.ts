import { createServer } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { resolveNames, silenceResolver } from "../support/resolve-names.js";
import { acceptedProfile } from "../support/profiles.js";
import { chargeRequest } from "../support/requests.js";
import { selfSigned } from "../support/self-signed.js";

const subscription = (url: string) => ({ topic: "charges/events", url });

describe("webhooks.allow: any host but link-local and cloud metadata addresses", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://169.254.0.1/",
    "http://169.254.170.2/v2/credentials",
    "http://2852039166/", // 169.254.169.254 as one number
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://169.254.169.254./",
    "http://user:pass@169.254.169.254/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[fd00:ec2::254]/",
    "http://[fd00:ec2::23]/v1/credentials",
    "http://[fd20:ce::254]/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    "http://metadata.google.internal/computeMetadata/v1",
    "http://METADATA.google.internal./",
  ])("refuses %s with 400 at subscription", async (url) => {
    const live = await startLive();
    const answer = await live.http("POST", "/v1/webhooks", subscription(url));
    expect(answer.status).toBe(400);
    expect(answer.body.message.join()).toMatch(/url/);
    expect(live.company.world.subscriptions.size).toBe(0);
  });

  it.each([
    "http://localhost:3000/hook",
    "http://127.0.0.1/",
    "http://10.1.2.3/",
    "http://192.168.1.10/",
    "http://172.17.0.1/",
    "http://host.docker.internal/",
    "http://[::1]:8080/",
    "http://[fd12:3456::1]/",
    "http://[fd00:ec3::254]/",
    "http://0.0.0.0:3000/",
    "http://user:pass@hooks.shop.test/in?x=1",
    "https://169.254.shop.test/",
    "http://169.253.255.255/",
  ])("takes %s", async (url) => {
    const live = await startLive();
    expect((await live.http("POST", "/v1/webhooks", subscription(url))).status).toBe(201);
  });

  it("never calls a name that resolves to such an address", async () => {
    resolveNames({ "hooks.shop.test": ["169.254.169.254"], "v6.shop.test": ["fd00:ec2::254"] });
    const live = await startLive({ profile: { webhooks: { retry: "none" } } });
    for (const host of ["hooks.shop.test", "v6.shop.test"]) await live.subscribe("charges/events", `http://${host}/`);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const error = (host: string) => `refused: ${host} is a link-local or metadata address`;
    expect(live.deliveries()).toMatchObject([
      { status: "exhausted", attempts: [{ status: null, error: error("hooks.shop.test") }] },
      { status: "exhausted", attempts: [{ status: null, error: error("v6.shop.test") }] },
    ]);
  });

  it("calls the other addresses of a name that resolves to several", async () => {
    resolveNames({ "hooks.shop.test": ["169.254.169.254", "127.0.0.1"] });
    const live = await startLive();
    const receiver = await startReceiver();
    await live.subscribe("charges/events", receiver.url.replace("127.0.0.1", "hooks.shop.test"));
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(live.deliveries()[0]?.status).toBe("succeeded");
    expect(receiver.received[0]?.headers.host).toBe(new URL(receiver.url).host.replace("127.0.0.1", "hooks.shop.test"));
  });

  it("is checked again for each attempt, so that a stricter profile refuses earlier subscriptions", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const { profile, overrides } = acceptedProfile({ webhooks: { allow: ["hooks.shop.test"], retry: "none" } });
    live.company.adopt(profile, overrides);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(receiver.connectionsMade).toBe(0);
    expect(live.deliveries()[0]).toMatchObject({
      status: "exhausted",
      attempts: [{ status: null, error: "refused: webhooks.allow does not permit this host" }],
    });
  });
});

describe("webhooks.allow: a list of hosts and CIDRs", () => {
  const allow = ["hooks.shop.test", "10.0.0.0/8", "127.0.0.1", "2001:db8::/32"];

  it.each([
    ["http://hooks.shop.test/a", 201],
    ["http://HOOKS.shop.test:8443/a", 201],
    ["http://10.255.0.1/", 201],
    ["http://127.0.0.1:9999/", 201],
    ["http://[2001:db8::7]/", 201],
    ["http://[::ffff:a00:1]/", 201],
    ["http://shop.test/", 400],
    ["http://evil.hooks.shop.test/", 400],
    ["http://hooks.shop.test.evil.example/", 400],
    ["http://hooks.shop.test@evil.example/", 400],
    ["http://11.0.0.1/", 400],
    ["http://localhost/", 400],
    ["http://[2001:db9::7]/", 400],
  ])("%s is %i", async (url, status) => {
    const live = await startLive({ profile: { webhooks: { allow } } });
    expect((await live.http("POST", "/v1/webhooks", subscription(url))).status).toBe(status);
  });
});

describe("webhooks.allow: a listed name", () => {
  const names = {
    "metadata.shop.test": ["169.254.169.254"],
    "v6.shop.test": ["fd00:ec2::254"],
    "mapped.shop.test": ["::ffff:169.254.169.254"],
  };
  const list = Object.keys(names);
  const payOne = async (allow: readonly string[], url: string) => {
    resolveNames({ ...names, "inside.shop.test": ["127.0.0.1"] });
    const live = await startLive({ profile: { webhooks: { allow, retry: "none", timeout: "1s" } } });
    await live.subscribe("charges/events", url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    return live.deliveries()[0];
  };

  it.each(list)("%s does not permit a metadata address", async (host) => {
    const delivery = await payOne(list, `http://${host}/`);
    expect(delivery).toMatchObject({
      status: "exhausted",
      attempts: [{ status: null, error: `refused: ${host} is a link-local or metadata address` }],
    });
  });

  it("may resolve to a private address, such as a container's", async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace("127.0.0.1", "inside.shop.test");
    expect(await payOne(["inside.shop.test"], url)).toMatchObject({ status: "succeeded" });
  });
});

// Checking and trying thousands of addresses, for 64 attempts at once, stopped the event loop for 0.2 s.
it("tries only the first addresses of a name", async () => {
  const live = await startLive({ profile: { webhooks: { retry: "none" } } });
  const receiver = await startReceiver();
  const closed = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 2}`);
  resolveNames({ "few.shop.test": [...closed.slice(1), "127.0.0.1"], "many.shop.test": [...closed, "127.0.0.1"] });
  for (const host of ["few.shop.test", "many.shop.test"])
    await live.subscribe("charges/events", receiver.url.replace("127.0.0.1", host));
  await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
  await live.settle();
  expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded", "exhausted"]);
});

describe("with tenancy", () => {
  const tenancy = { tenancy: true, adminToken: "s3cret" };
  const profileOf = (allow: readonly string[]) => ({ webhooks: { allow, retry: "none" as const } });

  it.each(["http://127.0.0.1:9/", "http://10.0.0.1/", "http://[::1]/", "http://[::a9fe:a9fe]/"])(
    "refuses %s at subscription, even with a setting of the company",
    async (url) => {
      const live = await startLive(tenancy);
      for (const allow of ["any", [new URL(url).hostname.replaceAll(/[[\]]/g, "")]]) {
        const own = { authorization: "Bearer at_sandbox" };
        expect((await live.control("PATCH", "/profile", { webhooks: { allow } }, own)).status).toBe(200);
        const answer = await live.http("POST", "/v1/webhooks", subscription(url));
        expect(answer.status).toBe(400);
        expect(answer.body.message.join()).toContain("url must name a public host, or one that the operator");
      }
    },
  );

  it("never connects to a private address, whatever a name resolves to", async () => {
    const live = await startLive({ ...tenancy, profile: { webhooks: { retry: "none" } } });
    const receiver = await startReceiver();
    await live.subscribe("charges/events", receiver.url.replace("127.0.0.1", "rebound.shop.test"));
    // The address changes after the subscription, as an attacker who owns the name can do.
    resolveNames({ "rebound.shop.test": ["127.0.0.1"] });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(receiver.connectionsMade).toBe(0);
    expect(live.deliveries()[0]?.attempts[0]?.error).toBe("refused: rebound.shop.test is a private address");
  });

  it("asks the name servers: other tenants' names without an answer may block the machine's resolver", async () => {
    const live = await startLive({ ...tenancy, profile: { webhooks: { retry: "none", timeout: "1s" } } });
    resolveNames({ "hooks.shop.test": ["10.0.0.1"] });
    silenceResolver();
    await live.subscribe("charges/events", "http://hooks.shop.test/");
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(live.deliveries()[0]?.attempts[0]?.error).toBe("refused: hooks.shop.test is a private address");
  });

  it("a replay over HTTP, which may send anywhere, opens no private address to a tenant", async () => {
    const live = await startLive({ ...tenancy, profile: { webhooks: { retry: "none" } } });
    const receiver = await startReceiver();
    const url = receiver.url.replace("127.0.0.1", "inside.shop.test");
    resolveNames({ "inside.shop.test": ["127.0.0.1"] });
    const pays = [
      { request: "POST /v1/charges", body: chargeRequest(), save: { id: "body.id" } },
      { request: "POST /v1/charges/${id}/pay" },
      { settle: true },
    ];
    const scenario = { given: { webhooks: [{ topic: "charges/events", url }] }, steps: pays };
    const replayed = await live.control("POST", "/scenarios/replay", scenario, { authorization: "Bearer s3cret" });
    expect(replayed.body).toMatchObject({ outcome: "passed" });
    expect(receiver.received).toHaveLength(1);
    await live.subscribe("charges/events", url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(live.deliveries()[0]?.attempts[0]?.error).toBe("refused: inside.shop.test is a private address");
    expect(receiver.received).toHaveLength(1);
  });

  it("sends to what the operator lists, and follows no redirect from there", async () => {
    const live = await startLive({ ...tenancy, profile: profileOf(["127.0.0.1"]) });
    const inside = await startReceiver();
    const location = inside.url;
    const receiver = await live.receiverFor("charges/events", { status: 307, headers: { location } });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(receiver.received).toHaveLength(1);
    expect(inside.connectionsMade).toBe(0);
    expect(live.deliveries()[0]).toMatchObject({ status: "exhausted", attempts: [{ status: 307 }] });
  });
});

describe("webhooks.insecureTls", () => {
  it.each([
    [false, "exhausted", null, /self.signed/i],
    [true, "succeeded", 200, undefined],
  ])("%s: a receiver with a self-signed certificate", async (insecureTls, status, code, error) => {
    const live = await startLive({ profile: { webhooks: { insecureTls, retry: "none" } } });
    const receiver = await startTlsReceiver();
    await live.subscribe("charges/events", receiver.url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const [delivery] = live.deliveries();
    expect(delivery).toMatchObject({ status, attempts: [{ status: code }] });
    if (error === undefined) expect(receiver.bodies).toEqual([delivery?.body]);
    else expect(delivery?.attempts[0]?.error).toMatch(error);
  });

  it("one company's setting does not apply to another", async () => {
    const receiver = await startTlsReceiver();
    const transport = createHttpTransport(systemClock);
    onTestFinished(() => transport.close());
    const request = {
      url: receiver.url,
      body: Buffer.from("{}"),
      headers: {},
      timeoutMs: 5_000,
      allow: { kind: "any" as const },
    };
    const { signal } = new AbortController();
    const outcomes = [];
    for (const insecureTls of [true, false, true])
      outcomes.push(await transport.send({ ...request, insecureTls, signal }));
    expect(outcomes.map(({ status }) => status)).toEqual([200, null, 200]);
  });
});

/** An HTTPS receiver with a self-signed certificate; ends with the test. */
async function startTlsReceiver() {
  const bodies: string[] = [];
  const server = createServer(selfSigned, (incoming, outgoing) => {
    let body = "";
    incoming.on("data", (chunk: Buffer) => (body += chunk.toString()));
    incoming.on("end", () => {
      bodies.push(body);
      outgoing.end();
    });
  });
  return { url: `https://127.0.0.1:${await listen(server)}/hook`, bodies };
}
