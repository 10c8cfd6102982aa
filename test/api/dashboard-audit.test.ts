import { describe, expect, it } from "vitest";
import { startReceiver } from "../audit/receivers.js";
import { openAuditDesk, sound, startHeld, takesHex } from "../support/audit-desk.js";
import { DASHBOARD } from "../support/dashboard.js";

describe("an audit from the dashboard", () => {
  it("runs the one check that is chosen, and no checks of the application's state", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(takesHex);
    const page = await desk.audit({ url: receiver.url, only: "signature-missing" });
    expect(page.text).toContain("No mistake was found");
    expect(page.commands[0]).toContain("--only 'signature-missing'");
    expect(receiver.received).toHaveLength(3);
    const refused = await desk.audit({ url: receiver.url, only: "state-duplicate" });
    expect(refused.text).toContain("There is no report");
    expect((await desk.audit({ url: receiver.url, only: "nothing" })).text).toContain('no check "nothing"');
    expect(receiver.received).toHaveLength(3);
  });

  it.each([
    [[], ""],
    [["charges/events", "transactions/completed"], ""],
    [["charges/events"], " --topic charges/events"],
    [["transactions/completed", "transactions/failed"], " --topic transactions/completed"],
  ])("tries all topics like its command, unless the receiver gets one: %j", async (topics, option) => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver((incoming) => {
      const { topic } = JSON.parse(String(incoming.body));
      return topic === "transactions/completed" && option === "" ? 200 : sound(incoming);
    });
    for (const topic of topics) await desk.world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
    const page = await desk.audit({ url: receiver.url, only: "signature-topics" });
    expect(page.commands[0]).toBe(
      `npx business-payments-sandbox audit '${receiver.url}' --secret "$SANDBOX_SECRET_KEY"${option} --only 'signature-topics'`,
    );
    expect(page.text).toContain(
      option === "" ? "is accepted when its topic is transactions/completed" : "nothing was judged",
    );
  });

  it("shows the last report of a company to that company only", async () => {
    const desk = await openAuditDesk();
    await desk.world.control("POST", "/companies", { companyId: "company_two" });
    const receiver = await startReceiver(() => 401);
    for (const n of [1, 2]) await desk.audit({ url: `${receiver.url}?n=${n}`, only: "valid-event" });
    const { text } = await desk.get(`${DASHBOARD}/audit`);
    expect(text).toContain(`Receiver ${receiver.url}?n=2`);
    expect(text).not.toContain("?n=1");
    expect((await desk.get(`${DASHBOARD}/audit?company=company_two`)).text).not.toContain("Receiver ");
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

  it.each(refused)("has the message that a subscription would have: %s", async (_, url) => {
    const desk = await openAuditDesk();
    const page = await desk.audit({ url });
    const { status, body } = await desk.world.api("POST", "/v1/webhooks", { topic: "charges/events", url });
    expect(status).toBe(400);
    expect(page.text).toContain("There is no report: the receiver was not audited.");
    expect(page.text).toContain(body.message[0]);
  });

  it("is one to a host that webhooks.allow does not list", async () => {
    const desk = await openAuditDesk({ profile: { webhooks: { allow: ["hooks.shop.test"] } } });
    const receiver = await startReceiver(sound);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("url must name a host that the setting webhooks.allow lists");
    expect(page.html).toContain(`value="${receiver.url}"`);
    expect(receiver.received).toEqual([]);
  });

  it("says why: no URL, or nothing listens there", async () => {
    const desk = await openAuditDesk();
    expect((await desk.audit({})).text).toContain("url must be");
    const nobody = await desk.audit({ url: "http://user:%zz@127.0.0.1:1/hooks" });
    expect(nobody.text).toContain("Failed to reach the receiver at http://127.0.0.1:1/hooks: nothing listens there");
  });

  it("is one that another site requests, or that has no form token", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(sound);
    const fields = { url: receiver.url };
    const path = `${DASHBOARD}/audit`;
    expect((await desk.post(path, fields, { origin: "http://evil.test" })).status).toBe(403);
    expect((await desk.post(path, fields, { origin: null })).status).toBe(403);
    expect((await desk.post(path, { ...fields, formToken: "guessed" })).status).toBe(403);
    expect((await desk.post(path, fields, { "content-type": "application/json" })).status).toBe(400);
    expect(receiver.received).toEqual([]);
  });

  it("is one without the admin token, if there is one", async () => {
    const desk = await openAuditDesk({ adminToken: "admin-of-the-tests" });
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
  it("and a second audit at the same time is refused", async () => {
    const desk = await openAuditDesk();
    const { url, asked, open, received } = await startHeld();
    const first = desk.audit({ url, only: "valid-event" });
    await asked;
    const second = await desk.audit({ url });
    expect(second.text).toContain("Another audit of this company is running.");
    open();
    expect((await first).text).toContain("No mistake was found");
    expect(received).toHaveLength(1);
    expect((await desk.audit({ url, only: "valid-event" })).text).toContain("No mistake was found");
  });
});
