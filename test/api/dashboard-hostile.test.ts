import { describe, expect, it } from "vitest";
import { DASHBOARD, ORIGIN, visit } from "../support/dashboard.js";
import { startLive } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

const parts = (more: string): string =>
  `--x\r\nContent-Disposition: form-data; name="state"${more}\r\n\r\n{}\r\n--x--\r\n`;

describe("the dashboard under hostile requests", () => {
  it.each([
    ["addRule", { rule: "[".repeat(100_000) + "]".repeat(100_000) }, 200],
    ["setting", { setting: ".".repeat(100_000), value: "1" }, 200],
    ["putState", { state: "[".repeat(100_000) + "]".repeat(100_000) }, 210],
  ])("refuses a value that is nested too deep: %s", async (name, fields, levels) => {
    const live = await startLive();
    const visitor = visit(live.app);
    await visitor.get("/_sandbox/dashboard/rules");
    expect((await visitor.act(name, fields)).text).toContain(`is nested deeper than ${levels} levels`);
  });
  it.each([
    ["of a form", "pay", new URLSearchParams("f=x&".repeat(1_000))],
    ["of a file", "putState", parts('\r\n\r\n\r\n--x\r\nContent-Disposition: form-data; name="state"'.repeat(1_000))],
    ["before a file", "putState", parts("\r\nx: y".repeat(1_000))],
  ])("refuses thousands of fields %s before it reads them", async (_, name, sent) => {
    const live = await startLive();
    const type =
      sent instanceof URLSearchParams ? "application/x-www-form-urlencoded" : "multipart/form-data; boundary=x";
    const answer = await live.app.request(`${ORIGIN}${DASHBOARD}/actions/${name}`, {
      method: "POST",
      headers: { host: new URL(ORIGIN).host, origin: ORIGIN, "content-type": type },
      body: sent,
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The form has too many fields");
  });
  it.each([
    ["pay", "application/x-www-form-urlencoded, multipart/form-data; boundary=x"],
    ["putState", "multipart/form-data, application/x-www-form-urlencoded"],
  ])("refuses a form for %s that names two types", async (name, type) => {
    const live = await startLive();
    const answer = await live.app.request(`${ORIGIN}${DASHBOARD}/actions/${name}`, {
      method: "POST",
      headers: { host: new URL(ORIGIN).host, origin: ORIGIN, "content-type": type },
      body: `\r\n\r\n${"f=x&".repeat(1_000)}`,
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The dashboard accepts its own forms only");
  });
  it("treats a state called constructor like any other word", async () => {
    const live = await startLive();
    await live.control("PUT", "/customers/+2250700000099", { firstName: "A", lastName: "B", kycStatus: "constructor" });
    const { html } = await visit(live.app).get("/_sandbox/dashboard/customers");
    expect(html).toContain('<span class="pill plain">constructor</span>');
  });
  it("finds what an event is about, also in a state whose events are about each other", async () => {
    const live = await startLive();
    for (let n = 0; n < 2; n++) await live.createCharge();
    const { body: state } = await live.control("GET", "/state");
    const [first, second] = state.events;
    const { id } = first.subject.charge;
    Object.assign(second, { id, resource: first.id });
    second.subject.charge.id = first.id;
    expect((await live.control("PUT", "/state", state)).status).toBe(200);
    const { status, text } = await visit(live.app).get(`/_sandbox?q=${first.id}`);
    expect(status).toBe(200);
    expect(text).toContain(`Charge ${id}`);
  });
  it("shows a delivery whose body is not JSON, which a state may contain", async () => {
    const live = await startLive();
    const url = "http://127.0.0.1:9/hook";
    const { body: webhook } = await live.api("POST", "/v1/webhooks", { topic: "charges/events", url });
    const { body: charge } = await live.api("POST", "/v1/charges", chargeRequest());
    await live.api("POST", `/v1/charges/${charge.id}/pay`);
    await live.control("POST", "/settle");
    await live.api("DELETE", `/v1/webhooks/${webhook.id}`);
    const { body: state } = await live.control("GET", "/state");
    state.deliveries[0].body = "no <JSON>";
    expect((await live.control("PUT", "/state", state)).status).toBe(200);
    const { status, html } = await visit(live.app).get(`/_sandbox/dashboard/deliveries/${state.deliveries[0].id}`);
    expect(status).toBe(200);
    expect(html).toContain("no &lt;JSON&gt;");
  });
  it("shows no access token that a client sends in other places", async () => {
    const live = await startLive();
    await live.http("GET", "/v1/balance", undefined, { "x-company-id": "at_sandbox" });
    for (const reference of ["at_sandbox", "another"])
      expect((await live.api("POST", "/v1/transactions", transferRequest({ reference }))).status).toBe(201);
    const visitor = visit(live.app);
    const paths = ["/requests/req_1", "/requests/req_3", "/findings"];
    for (const path of paths) {
      const { status, html } = await visitor.get(`${DASHBOARD}${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(html).toContain("[redacted]");
      expect(html.replaceAll("Bearer at_sandbox", "")).not.toContain("at_sandbox");
    }
  });

  it("shows no secret key in the error of a webhook, or as the state of a customer", async () => {
    const live = await startLive();
    await live.control("POST", "/companies/company_sandbox/rotate", { secretKey: "key-of-mine-1" });
    await live.subscribe("charges/events", "http://key-of-mine-1.invalid/hook");
    const { id } = await live.createCharge();
    await live.control("POST", `/charges/${id}/pay`);
    await live.settle();
    const customer = { firstName: "A", lastName: "B", kycStatus: "key-of-mine-1" };
    await live.control("PUT", "/customers/+2250700000099", customer);
    for (const path of ["/_sandbox", `${DASHBOARD}/customers`]) {
      const { html } = await visit(live.app).get(path);
      expect(html).toContain("[redacted]");
      expect(html).not.toContain("key-of-mine-1");
    }
  });
});
