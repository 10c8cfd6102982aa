import { describe, expect, it, onTestFinished } from "vitest";
import { HEADER, hmac, type Receive, startReceiver, stillSystem, take } from "../audit/receivers.js";
import { DASHBOARD, type PageAnswer, visit, type Visitor } from "../support/dashboard.js";
import { gate, startLive } from "../support/live.js";
import { createWorld, type TestWorld, type WorldOptions } from "../support/world.js";

const SECRET_KEY = "secret_sandbox";

const sound: Receive = ({ headers, body }) => (headers[HEADER] === hmac(body, "base64", SECRET_KEY) ? take(body) : 401);
/** The classic mistake, beside what is right. */
const takesHex: Receive = ({ headers, body }) =>
  headers[HEADER] === hmac(body, "hex", SECRET_KEY) ? take(body) : sound({ headers, body, rawHeaders: [], method: "" });

interface Desk extends Visitor {
  readonly world: TestWorld;
  /** Sends the form, and follows to the page that it leads to. */
  audit(fields: Readonly<Record<string, string>>, company?: string): Promise<PageAnswer>;
}

async function openDesk(options: WorldOptions = {}): Promise<Desk> {
  const world = createWorld({ system: stillSystem, ...options });
  onTestFinished(() => world.close());
  const visitor = visit(world.app);
  await visitor.get(`${DASHBOARD}/audit`);
  return Object.assign(visitor, {
    world,
    async audit(fields: Readonly<Record<string, string>>, company = "company_sandbox") {
      const path = `${DASHBOARD}/audit?company=${company}`;
      await visitor.get(path);
      const answer = await visitor.post(path, fields);
      expect(answer.status).toBe(303);
      const { pathname, search } = new URL(answer.headers.get("location") ?? "", `http://sandbox.test${path}`);
      return visitor.get(pathname + search);
    },
  });
}

describe("an audit from the dashboard", () => {
  it("finds nothing wrong with a receiver that is right", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(sound);
    const page = await desk.audit({ url: receiver.url });
    expect(page.status).toBe(200);
    expect(page.text).toContain("No mistake was found");
    expect(page.html).not.toContain("mistake-");
    expect(page.text).toContain("✓ pass signature-hex");
    expect(page.text).not.toContain("state-duplicate");
    expect(page.text).toContain(`${receiver.received.length} requests in`);
    expect(page.commands).toEqual([`sandbox audit '${receiver.url}' --secret "$SANDBOX_SECRET_KEY"`]);
  });

  it("names the one mistake of a receiver, and how to mend it in three languages", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(takesHex);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("One check failed");
    expect([...page.html.matchAll(/id="mistake-([^"]*)"/g)].map(([, id]) => id)).toEqual(["signature-hex"]);
    expect(page.text).toMatch(/✗ fail signature-hex critical|✗ fail signature-hex high/);
    for (const said of ["Expected", "Sent", "Came back 200", "Why it matters:", "How to mend it:"])
      expect(page.text).toContain(said);
    for (const language of ["node", "python", "php"])
      expect(page.html).toContain(`<details id="code-signature-hex-${language}">`);
    expect(page.text).toContain("hmac.compare_digest");
    expect(page.html).not.toContain(SECRET_KEY);
    const again = await desk.get(`${DASHBOARD}/audit`);
    expect(again.text).toContain("✗ 1 failed");
  });

  it("says first that an ordinary event is not accepted, without options of a command line", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(() => 401);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("An ordinary event with the right signature is not accepted");
    expect(page.text).toContain("signs with the company's secret key");
    expect(page.text).not.toContain("--header");
    expect(page.html).not.toContain(SECRET_KEY);
  });

  it("runs the one check that is chosen, and none of the application's state", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(takesHex);
    const page = await desk.audit({ url: receiver.url, only: "signature-missing" });
    expect(page.text).toContain("No mistake was found");
    expect(page.commands[0]).toContain("--only 'signature-missing'");
    expect(receiver.received).toHaveLength(2);
    const refused = await desk.audit({ url: receiver.url, only: "state-duplicate" });
    expect(refused.text).toContain("There is no report");
    expect((await desk.audit({ url: receiver.url, only: "nothing" })).text).toContain('no check "nothing"');
    expect(receiver.received).toHaveLength(2);
  });

  it("takes header, topic and secret key of the company", async () => {
    const desk = await openDesk({ profile: { webhooks: { signatureHeader: "x-hook-signature" } } });
    const receiver = await startReceiver(({ headers, body }) =>
      headers["x-hook-signature"] === hmac(body, "base64", SECRET_KEY) ? take(body) : 401,
    );
    await desk.world.api("POST", "/v1/webhooks", { topic: "transaction/completed", url: receiver.url });
    expect((await desk.get(`${DASHBOARD}/audit`)).html).toContain(`<option value="${receiver.url}">`);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("No mistake was found");
    expect(JSON.parse(String(receiver.received[0]?.body)).topic).toBe("transaction/completed");
    expect(page.commands[0]).toMatch(/--header 'x-hook-signature' --topic transaction\/completed$/);
    await desk.audit({ url: receiver.url, topic: "charge/events", only: "valid-event" });
    expect(JSON.parse(String(receiver.received.at(-1)?.body)).topic).toBe("charge/events");
  });

  it("shows what a receiver answers as text, without the secret key", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(() => 302, { location: `/<script>alert(1)</script>?key=${SECRET_KEY}` });
    const page = await desk.audit({ url: `${receiver.url}?<b>"x"&key=${SECRET_KEY}` });
    expect(page.status).toBe(200);
    expect(page.html).not.toContain("<script>alert");
    expect(page.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page.html).not.toContain(SECRET_KEY);
    expect(page.html).not.toContain("<b>&quot;x");
  });

  it("keeps the last five reports of each company to itself", async () => {
    const desk = await openDesk();
    await desk.world.control("POST", "/companies", { companyId: "company_two" });
    const receiver = await startReceiver(() => 401);
    for (let count = 0; count < 6; count++)
      await desk.audit({ url: `${receiver.url}?n=${count}`, only: "valid-event" });
    const list = await desk.get(`${DASHBOARD}/audit`);
    const kept = [...list.html.matchAll(/id="audit-(\d+)"/g)].map(([, id]) => id);
    expect(kept).toEqual(["6", "5", "4", "3", "2"]);
    expect((await desk.get(`${DASHBOARD}/audit/1`)).status).toBe(404);
    expect((await desk.get(`${DASHBOARD}/audit/6`)).status).toBe(200);
    expect((await desk.get(`${DASHBOARD}/audit/6?company=company_two`)).status).toBe(404);
    expect((await desk.get(`${DASHBOARD}/audit?company=company_two`)).text).toContain("No receiver was audited yet");
  });
});

describe("an audit that is refused", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["a metadata address", "http://169.254.169.254/latest/meta-data"],
    ["a metadata address in other words", "http://[::ffff:a9fe:a9fe]/"],
    ["a metadata name", "http://metadata.google.internal/"],
    ["no URL", "webhooks"],
    ["another scheme", "file:///etc/passwd"],
  ];

  it.each(refused)("says what a subscription would say: %s", async (_, url) => {
    const desk = await openDesk();
    const page = await desk.audit({ url });
    const { status, body } = await desk.world.api("POST", "/v1/webhooks", { topic: "charges/events", url });
    expect(status).toBe(400);
    expect(page.text).toContain("There is no report: the receiver was not audited.");
    expect(page.text).toContain(body.message[0]);
  });

  it("goes to no host that webhooks.allow does not list", async () => {
    const desk = await openDesk({ profile: { webhooks: { allow: ["hooks.shop.test"] } } });
    const receiver = await startReceiver(sound);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("url must name a host that the setting webhooks.allow lists");
    expect(page.html).toContain(`value="${receiver.url}"`);
    expect(receiver.received).toEqual([]);
  });

  it("without a URL, with a wrong topic, and where nothing listens says so", async () => {
    const desk = await openDesk();
    expect((await desk.audit({})).text).toContain("url must be");
    const wrong = await desk.audit({ url: "http://127.0.0.1:1/", topic: "charges" });
    expect(wrong.text).toContain("topic must be one of");
    const nobody = await desk.audit({ url: "http://user:%zz@127.0.0.1:1/hooks" });
    expect(nobody.text).toContain("Failed to reach the receiver at http://127.0.0.1:1/hooks: nothing listens there");
    expect(nobody.html).not.toContain("%zz");
  });

  it("is one that another site asks for, or nobody's form", async () => {
    const desk = await openDesk();
    const receiver = await startReceiver(sound);
    const fields = { url: receiver.url };
    const path = `${DASHBOARD}/audit`;
    expect((await desk.post(path, fields, { origin: "http://evil.test" })).status).toBe(403);
    expect((await desk.post(path, fields, { origin: null })).status).toBe(403);
    expect((await desk.post(path, { ...fields, formToken: "guessed" })).status).toBe(403);
    expect((await desk.post(path, fields, { "content-type": "application/json" })).status).toBe(400);
    expect(receiver.received).toEqual([]);
  });

  it("is one without the admin token, where there is one", async () => {
    const desk = await openDesk({ adminToken: "admin-of-the-tests" });
    const receiver = await startReceiver(sound);
    const path = `${DASHBOARD}/audit`;
    const page = await desk.post(path, { url: receiver.url }, { accept: "text/html" });
    expect(page.status).toBe(303);
    expect(page.headers.get("location")).toContain("sign-in");
    expect((await desk.post(path, { url: receiver.url })).status).toBe(401);
    expect(receiver.received).toEqual([]);
  });
});

describe("an audit takes its time", () => {
  /** A receiver that answers when the gate opens. */
  async function startHeld() {
    const asked = gate();
    const answers = gate();
    const receiver = await startReceiver(async (incoming) => {
      asked.open();
      await answers.opened;
      return sound(incoming);
    });
    return { url: receiver.url, asked: asked.opened, open: () => answers.open(), received: receiver.received };
  }

  it("and a second one at the same time is told so", async () => {
    const desk = await openDesk();
    const { url, asked, open, received } = await startHeld();
    const first = desk.audit({ url, only: "valid-event" });
    await asked;
    const second = await desk.audit({ url });
    expect(second.text).toContain("Another audit of this sandbox is under way.");
    expect(second.text).toContain("An audit of this sandbox is under way.");
    open();
    expect((await first).text).toContain("No mistake was found");
    expect(received).toHaveLength(1);
    expect((await desk.audit({ url, only: "valid-event" })).text).toContain("No mistake was found");
  });

  it("and is over when nobody waits for it any more, or the server stops", async () => {
    const live = await startLive();
    const visitor = visit(live.app, live.url);
    const page = await visitor.get(`${DASHBOARD}/audit`);
    const formToken = /name="formToken" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const send = (url: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${live.url}${DASHBOARD}/audit`, {
        method: "POST",
        headers: { origin: live.url, cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") },
        body: new URLSearchParams({ formToken, url }),
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
      });
    const left = await startHeld();
    const leaving = new AbortController();
    const first = send(left.url, leaving.signal);
    await left.asked;
    leaving.abort();
    await expect(first).rejects.toThrow("aborted");
    // Nothing tells when a server has noticed that its client is gone, but that the next audit may begin.
    const held = await startHeld();
    let second = send(held.url);
    while ((await Promise.race([held.asked.then(() => undefined), second]))?.status === 303) second = send(held.url);
    await live.close();
    const answer = await second;
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toContain("/audit?url=");
    expect(left.received).toHaveLength(1);
    expect(held.received).toHaveLength(1);
  });
});
