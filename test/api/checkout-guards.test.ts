import { describe, expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { type ChargeFixture, emptyFixture } from "../../src/sandbox/state/fixture.js";
import { call, type Live, startLive } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const form = { "content-type": "application/x-www-form-urlencoded" };
const paying = "action=pay&msisdn=%2B2250700000001";

const post = async ({ url }: Live, id: string, body: string, headers: Readonly<Record<string, string>> = form) => {
  const answer = await fetch(`${url}/checkout/${id}`, { method: "POST", body, headers, redirect: "manual" });
  return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
};

/** The status of a page. Reads the page, since its connection is closed after it. */
const statusAt = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
  const answer = await fetch(url, { headers });
  await answer.text();
  return answer.status;
};

const other = { authorization: "Bearer at_other", "x-company-id": "company_other" };

const statusOf = async (live: Live, id: string): Promise<string> => (await live.ok("GET", `/v1/charges/${id}`)).status;

/** The answer to GET …/status. */
const pageStatus = async ({ url }: Live, id: string): Promise<LooseJson> =>
  (await call(`${url}/checkout/${id}/status`, "GET")).body;

describe("who may pay", () => {
  it("is anyone with the link: no token is needed, even when there is an admin token", async () => {
    const live = await startLive({ adminToken: "admin" });
    const { id } = await live.createCharge();
    expect(await statusAt(`${live.url}/checkout/${id}`)).toBe(200);
    expect(await post(live, id, paying)).toMatchObject({ status: 303, location: "https://shop.test/yes" });
  });

  it.each([
    [{ origin: "http://evil.test" }],
    [{ origin: "null" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }],
  ])("is not a page of another origin: %j", async (headers) => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const answer = await post(live, id, paying, { ...form, ...headers });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("This order came from another website");
    expect(await statusOf(live, id)).toBe("due");
  });

  it("may follow the link from any page", async () => {
    const live = await startLive();
    const { paymentUrl } = await live.createCharge();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect(await statusAt(paymentUrl, headers)).toBe(200);
  });

  it("is the page itself, under its own address or the one of --public-url", async () => {
    const live = await startLive({ publicUrl: "https://pay.example/sandbox" });
    for (const origin of [live.url, "https://pay.example"]) {
      const { id, paymentUrl } = await live.createCharge();
      expect(paymentUrl).toBe(`https://pay.example/sandbox/checkout/${id}`);
      expect((await post(live, id, paying, { ...form, origin, "sec-fetch-site": "same-origin" })).status).toBe(303);
    }
  });

  it("is given only addresses below the sandbox's own, also behind a proxy with a path", async () => {
    const live = await startLive({ publicUrl: "https://pay.example/sandbox" });
    const { id } = await live.createCharge();
    const html = await (await fetch(`${live.url}/checkout/${id}`)).text();
    const addresses = [...html.matchAll(/(?:href|src|action|data-next|data-status)="([^"]+)"/g)].map(
      ([, to = ""]) => to,
    );
    expect(addresses.length).toBeGreaterThan(10);
    const base = `https://pay.example/sandbox/checkout/${id}`;
    for (const to of addresses)
      expect(new URL(to, base).href).toMatch(/^https:\/\/pay\.example\/sandbox\/(?:checkout|_sandbox\/assets)\//);
  });
});

describe("a request that is not the page's form", () => {
  it.each(["PUT", "PATCH", "DELETE"])("%s is 405 and says what would be right", async (method) => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const page = await live.http(method, `/checkout/${id}`);
    expect(page.status).toBe(405);
    expect(page.headers.get("allow")).toBe("GET, POST");
    expect(page.body).toMatchObject({
      statusCode: 405,
      message: [`${method} is not a method of this path; it has GET, POST`],
    });
    expect((await live.http(method, `/checkout/${id}/status`)).headers.get("allow")).toBe("GET");
  });

  it("is refused by its content type, its size, and its action", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    for (const [body, type, status] of [
      ['{"action":"pay"}', "application/json", 415],
      [`${paying}&more=${"x".repeat(20_000)}`, "application/x-www-form-urlencoded", 413],
      ["action=steal", "application/x-www-form-urlencoded", 400],
      ["", "application/x-www-form-urlencoded", 400],
      ["\u0000%%%=&&&", "application/x-www-form-urlencoded", 400],
    ] as const) {
      const answer = await post(live, id, body, { "content-type": type });
      expect([answer.status, answer.text.includes("Payment not understood")]).toEqual([status, true]);
    }
    expect(await statusOf(live, id)).toBe("due");
  });

  it("is answered with the error body when its path does not exist", async () => {
    const live = await startLive();
    for (const path of ["/checkout", "/checkout/", "/checkout/1/2"]) {
      const { status, body } = await live.http("GET", path);
      expect([status, body.statusCode]).toEqual([404, 404]);
    }
  });
});

describe("GET /checkout/:chargeId/status", () => {
  it("returns the version of the page and the time left, and nothing else", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    expect(await pageStatus(live, id)).toEqual({ version: "due.0", leftMs: 3_600_000, isRunning: false });
    await live.advance("59m59s");
    expect(await pageStatus(live, id)).toEqual({ version: "due.0", leftMs: 1_000, isRunning: false });
    await live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000002" });
    expect((await pageStatus(live, id)).version).toBe("due.1");
    await live.advance("1s");
    expect(await pageStatus(live, id)).toEqual({ version: "expired.1", leftMs: 0, isRunning: false });
  });

  it("reports a clock that runs, and a charge that does not exist", async () => {
    const live = await startLive({ clock: "running" });
    const { id } = await live.createCharge();
    const { leftMs, isRunning } = await pageStatus(live, id);
    expect(isRunning).toBe(true);
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect((await call(`${live.url}/checkout/none/status`, "GET")).status).toBe(404);
  });
});

describe("the payment page behaves as the API does", () => {
  it("sends the webhook once the customer was redirected", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await post(live, id, paying);
    const [hook] = await receiver.waitFor(1);
    expect(hook?.body).toMatchObject({ topic: "charges/events", data: { id, status: "paid" } });
  });

  it("redirects only after a webhook that a rule sends before the answer", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    await live.control("POST", "/rules", { on: "delivery", then: { before: "response" } });
    const { id } = await live.createCharge();
    await post(live, id, paying);
    expect(receiver.received).toHaveLength(1);
  });

  it("applies payment rules", async () => {
    const live = await startLive();
    await live.control("POST", "/rules", {
      on: "payment",
      match: { amount: 10_000 },
      then: { outcome: "failed", error: "fraud" },
    });
    const { id } = await live.createCharge();
    expect((await post(live, id, paying)).location).toBe(`${id}?msisdn=%2B2250700000001`);
    expect(await (await fetch(`${live.url}/checkout/${id}`)).text()).toContain("The payment did not go through: fraud");
  });

  it("waits for a result that comes later, and does not ask for a second payment meanwhile", async () => {
    const live = await startLive();
    await live.control("POST", "/rules", { on: "payment", then: { after: "1m" } });
    const { id } = await live.createCharge();
    for (const body of [paying, `${paying}&attempt=0`, paying])
      expect((await post(live, id, body)).location).toBe(`${id}?msisdn=%2B2250700000001&waiting=`);
    expect((await post(live, id, "action=cancel")).location).toBe(`${id}?waiting=`);
    const waiting = await fetch(`${live.url}/checkout/${id}?waiting=`);
    expect([waiting.status, await waiting.text()]).toEqual([200, expect.stringContaining("Waiting for confirmation")]);
    expect(await pageStatus(live, id)).toMatchObject({ version: "pending.1", leftMs: 60_000 });
    await live.advance("1m");
    const done = await fetch(`${live.url}/checkout/${id}?waiting=`, { redirect: "manual" });
    expect([done.status, done.headers.get("location")]).toEqual([303, "https://shop.test/yes"]);
    expect(await live.ok("GET", `/v1/charges/${id}`)).toMatchObject({ status: "paid", attempts: 1 });
  });

  it("leads a waiting customer back to the page when the payment failed or its result came too late", async () => {
    const live = await startLive();
    const { data: rule } = {
      data: await live.control("POST", "/rules", { on: "payment", then: { after: "1m", outcome: "failed" } }),
    };
    const failed = await live.createCharge();
    await post(live, failed.id, paying);
    await live.advance("1m");
    const back = await fetch(`${live.url}/checkout/${failed.id}?waiting=`);
    expect(back.url).toBe(`${live.url}/checkout/${failed.id}`);
    expect(await back.text()).toContain("payment declined");
    await live.control("DELETE", `/rules/${rule.body.id}`);
    await live.control("POST", "/rules", { on: "payment", then: { after: "2h" } });
    const late = await live.createCharge();
    await post(live, late.id, paying);
    await live.advance("2h");
    expect(await (await fetch(`${live.url}/checkout/${late.id}?waiting=`)).text()).toContain("Payment link expired");
  });

  it("lets no rule's answer run a script or send a header, which would count for the dashboard", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const headers = {
      "content-type": "text/html",
      "content-security-policy": "x",
      "Set-Cookie": "sandbox_session=x",
      "Clear-Site-Data": '"cookies"',
      Refresh: "0; url=https://evil.test/",
    };
    const body = "<script>steal()</script>";
    for (const then of [{ body, headers }, { status: 502, headers }, { headers }]) {
      await live.control("DELETE", "/rules");
      await live.control("POST", "/rules", { on: "request", match: { path: "/checkout/:id" }, then });
      const answer = await fetch(`${live.url}/checkout/${id}`, {
        method: "POST",
        body: paying,
        headers: form,
        redirect: "manual",
      });
      expect(answer.headers.get("content-type") ?? "", JSON.stringify(then)).not.toContain("html");
      for (const name of ["content-security-policy", "set-cookie", "clear-site-data", "refresh"]) {
        expect(answer.headers.get(name), name).toBeNull();
      }
      await answer.text();
    }
  });

  it("lets only request rules that name its path change the answer", async () => {
    const live = await startLive();
    const path = "/checkout/:id";
    const rule = async (then: unknown, match: unknown = { path }) =>
      live.control("POST", "/rules", { on: "request", match, then, times: 1 });
    const { id } = await live.createCharge();
    await rule({ status: 503, body: "down" });
    expect(await post(live, id, paying)).toEqual({ status: 503, location: null, text: "down" });
    await rule({ fault: "empty" }, { path, body: { action: "pay" } });
    expect(await post(live, id, paying)).toEqual({ status: 200, location: null, text: "" });
    expect(await statusOf(live, id)).toBe("due");
    await rule({ status: 502 }, {});
    expect(await post(live, id, "action=cancel")).toMatchObject({ status: 303, location: "https://shop.test/no" });
    await live.control("DELETE", "/rules");
    await rule({ delay: "1ms", headers: { "x-late": "yes" } });
    expect(await post(live, id, `${paying}&msisdn=`)).toMatchObject({ status: 303, location: "https://shop.test/yes" });
    expect((await live.control("GET", "/rules")).body.count).toBe(0);
  });

  it("pays even if a rule loses the answer, and redirects a customer who sends the form again", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const then = { fault: "reset", commit: true };
    await live.control("POST", "/rules", {
      on: "request",
      match: { method: "POST", path: `/checkout/${id}` },
      then,
      times: 1,
    });
    await expect(post(live, id, `${paying}&attempt=0`)).rejects.toThrow("fetch failed");
    expect(await live.ok("GET", `/v1/charges/${id}`)).toMatchObject({ status: "paid", attempts: 1 });
    expect((await post(live, id, `${paying}&attempt=0`)).location).toBe("https://shop.test/yes");
  });
});

describe("the connection of the payment page", () => {
  it("is closed with each answer, because a browser repeats a form when a reused connection is reset", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const html = await (await fetch(`${live.url}/checkout/${id}`)).text();
    const [, asset = ""] = /href="\.\.\/(_sandbox\/assets\/[^"]+)"/.exec(html) ?? [];
    for (const path of [`checkout/${id}`, `checkout/${id}/status`, asset, "_sandbox", "_sandbox/dashboard/rules"]) {
      const answer = await fetch(`${live.url}/${path}`, { headers: { accept: "text/html" } });
      await answer.text();
      expect([path, answer.status, answer.headers.get("connection")]).toEqual([path, 200, "close"]);
    }
    const description = await fetch(`${live.url}/openapi.json`);
    await description.text();
    expect(description.headers.get("connection")).toBe("keep-alive");
  });

  it("is reset again for a form that the browser repeats, which counts as the same attempt", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    const then = { fault: "reset" };
    await live.control("POST", "/rules", { on: "request", match: { path: "/checkout/:id" }, then, times: 1 });
    const browser = { ...form, accept: "text/html" };
    await expect(post(live, id, paying, browser)).rejects.toThrow("fetch failed");
    await expect(post(live, id, paying, browser)).rejects.toThrow("fetch failed");
    expect(await statusOf(live, id)).toBe("due");
    expect((await post(live, id, `${paying}&more=`, browser)).status).toBe(303);
  });
});

describe("the company of a charge", () => {
  it("is found among all companies", async () => {
    const live = await startLive({ autoProvision: true });
    const { body } = await live.http("POST", "/v1/charges", chargeRequest(), other);
    expect(await (await fetch(body.paymentUrl)).text()).toContain("company_other");
    expect(await statusAt(`${body.paymentUrl}?company=company_sandbox`)).toBe(404);
  });

  it.each(["at_kept-secret", "kept-secret"])(
    "does not show the access token %s, where an admin token guards the sandbox",
    async (token) => {
      const live = await startLive({ autoProvision: true, adminToken: "admin" });
      const headers = { authorization: `Bearer ${token}`, "x-company-id": "company_kept-secret" };
      const { body } = await live.http("POST", "/v1/charges", chargeRequest(), headers);
      const html = await (await fetch(body.paymentUrl)).text();
      expect(html).toContain("company_[redacted]</strong>");
      expect(html).not.toContain("kept-secret");
    },
  );

  it("is chosen by ?company= where fixtures give several companies the same charge", async () => {
    const id = "7d9c6ab2-0000-4000-8000-000000000000";
    const charge: ChargeFixture = {
      id,
      externalId: "order-1",
      amount: fromXof(10_000),
      description: "Shoes",
      status: "due",
      onCompletedRedirectionUrl: "https://shop.test/yes",
      onCanceledRedirectionUrl: "https://shop.test/no",
      metadata: {},
    };
    const live = await startLive({ autoProvision: true, fixtures: [{ ...emptyFixture, charges: [charge] }] });
    await live.http("GET", "/v1/balance", undefined, other);
    const sent = await post(live, `${id}?company=company_other&lang=fr`, "action=pay&msisdn=%2B2250700000002");
    expect(sent.location).toBe(`${id}?msisdn=%2B2250700000002&company=company_other&lang=fr`);
    expect((await live.http("GET", `/v1/charges/${id}`, undefined, other)).body.attempts).toBe(1);
    expect((await live.http("GET", `/v1/charges/${id}`)).body.attempts).toBe(0);
    const html = await (await fetch(`${live.url}/checkout/${id}?company=company_other`)).text();
    expect(html).toContain(`data-status="${id}/status?company=company_other"`);
  });

  it("is chosen by the link of the dashboard, also when a state brought the charge of another company", async () => {
    const live = await startLive({ autoProvision: true });
    const { id } = await live.createCharge();
    await live.http("GET", "/v1/balance", undefined, other);
    const state = await (await fetch(`${live.url}/_sandbox/state`)).text();
    const headers = { "content-type": "application/json" };
    await fetch(`${live.url}/_sandbox/state?company=company_other`, { method: "PUT", headers, body: state });
    for (const company of ["company_sandbox", "company_other"]) {
      const page = `${live.url}/_sandbox/dashboard/charges/${id}?company=${company}`;
      const [, href = ""] = /href="([^"]*checkout[^"]*)"/.exec(await (await fetch(page)).text()) ?? [];
      expect(await (await fetch(new URL(href, page))).text()).toContain(`to ${company}</title>`);
    }
  });
});
