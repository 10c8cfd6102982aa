import { describe, expect, it } from "vitest";
import { pages } from "../../src/http/pages/dashboard/registry.js";
import { GUESSES_MAX } from "../../src/http/shared/address-limit.js";
import { SESSION_MS } from "../../src/http/pages/dashboard/sessions.js";
import { DASHBOARD, ORIGIN, signIn, type Visitor, visit } from "../support/dashboard.js";
import { openWorld, type TestWorld, type WorldOptions } from "../support/world.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";

let world: TestWorld;

function open(options: WorldOptions = {}): Visitor {
  world = openWorld(options);
  return visit(world.app);
}

/** The pages that need no id. */
const paths = pages.map(({ path }) => path).filter((path) => !path.includes(":"));
const addressOf = (path: string): string => (path === "" ? "/_sandbox" : DASHBOARD + path);

describe("/", () => {
  it.each(["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "application/xml, TEXT/HTML;q=0.9"])(
    "redirects clients that accept %s to the dashboard",
    async (accept) => {
      const answer = await open().get("/", { accept });
      expect(answer.status).toBe(302);
      expect(new URL(answer.headers.get("location") ?? "", ORIGIN).pathname).toBe("/_sandbox");
      expect(answer.headers.get("vary")).toBe("accept");
    },
  );

  it("redirects from /_sandbox/, too", async () => {
    const answer = await open().get("/_sandbox/");
    expect(new URL(answer.headers.get("location") ?? "", `${ORIGIN}/_sandbox/`).pathname).toBe("/_sandbox");
  });

  it.each(["*/*", "application/json", "text/*", "application/xhtml+xml", "text/htmlx"])(
    "answers clients that accept %s with the contract's 404",
    async (accept) => {
      open();
      const answer = await world.api("GET", "/", undefined, { accept });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ statusCode: 404, message: ["There is no GET / here"], path: "/" });
    },
  );

  it("answers 404 to a program that does not say what it accepts, and to every other method", async () => {
    open();
    expect((await world.app.request("/")).status).toBe(404);
    expect((await world.app.request("/", { method: "POST", headers: { accept: "text/html" } })).status).toBe(404);
  });
});

describe("pages", () => {
  it.each(paths.map(addressOf))("%s is a page under a strict policy", async (path) => {
    const { status, headers, html } = await open().get(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(/<script(?![^>]* src=)|<style|<[^>]*\s(?:on\w+|style)=/.exec(html)?.[0]).toBeUndefined();
    const addresses = [...html.matchAll(/\s(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address ?? "");
    expect(addresses.filter((address) => new URL(address, ORIGIN).origin !== ORIGIN)).toEqual([]);
  });

  it("never replace an answer of the control API, whatever the client accepts", async () => {
    const visitor = open();
    for (const path of ["/clock", "/rules", "/charges", "/profile", "/findings", "/coverage", "/health", "/nothing"]) {
      const answer = await visitor.get(`/_sandbox${path}`);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
  });

  it("say when there is no such page, company or setting", async () => {
    const visitor = open();
    for (const path of ["/nothing", "/clock?company=nobody", "/profile/transfers.settlment"]) {
      const answer = await visitor.get(DASHBOARD + path);
      expect(answer.status).toBe(404);
      expect(answer.text).toContain("There is nothing here");
    }
  });

  it.each([
    ["/?company=company_b", "/_sandbox?company=company_b"],
    ["/_sandbox/?company=company_b", "/_sandbox?company=company_b"],
    [`${DASHBOARD}?q=x`, "/_sandbox?q=x"],
    [`${DASHBOARD}/charges/?status=due`, `${DASHBOARD}/charges?status=due`],
  ])("%s leads to %s", async (given, wanted) => {
    const { status, headers } = await open().get(given);
    expect([302, 303]).toContain(status);
    const { pathname, search } = new URL(headers.get("location") ?? "", ORIGIN + given);
    expect(pathname + search).toBe(wanted);
  });

  it("say so when there is no company left", async () => {
    const visitor = open();
    await world.control("DELETE", "/companies/company_sandbox");
    expect((await visitor.get(`${DASHBOARD}/clock`)).text).toContain("There is no company left");
  });

  it("are refused under the name of another host, as the control API is", async () => {
    open();
    const answer = await world.app.request(`http://evil.test${DASHBOARD}/clock`, { headers: { host: "evil.test" } });
    expect(answer.status).toBe(403);
  });
});

describe("the admin token", () => {
  it("is asked for only once, since it is kept in a cookie of the session", async () => {
    const visitor = open({ adminToken: "s3cret" });
    const asked = await visitor.get(`${DASHBOARD}/clock?company=company_sandbox`);
    expect(asked.status).toBe(303);
    const signInAt = new URL(asked.headers.get("location") ?? "", `${ORIGIN}${DASHBOARD}/clock`);
    expect(signInAt.pathname).toBe(`${DASHBOARD}/sign-in`);
    const form = await visitor.get(signInAt.pathname + signInAt.search);
    expect(form.status).toBe(200);
    expect(form.html).not.toContain("s3cret");
    const answer = await visitor.post(`${DASHBOARD}/sign-in`, { token: "s3cret" });
    expect(answer.status).toBe(303);
    expect(new URL(answer.headers.get("location") ?? "", `${ORIGIN}${DASHBOARD}/sign-in`).href).toBe(
      `${ORIGIN}${DASHBOARD}/clock?company=company_sandbox`,
    );
    expect(answer.headers.get("set-cookie")).toMatch(
      /^sandbox_session_4010=[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const page = await visitor.get(`${DASHBOARD}/clock`);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Sign out");
  });

  it("as a cookie opens only the dashboard: the control API needs it as a bearer token", async () => {
    const visitor = open({ adminToken: "s3cret" });
    await signIn(visitor);
    for (const path of ["/clock", "/stream", "/state"])
      expect((await visitor.get(`/_sandbox${path}`)).status).toBe(401);
  });

  it("is needed by every page, every action and the live updates", async () => {
    const visitor = open({ adminToken: "s3cret" });
    for (const path of paths) expect((await visitor.get(addressOf(path))).status).toBe(303);
    expect((await visitor.get(`${DASHBOARD}/live`, { accept: "text/event-stream" })).status).toBe(401);
    await visitor.get(`${DASHBOARD}/sign-in`);
    expect((await visitor.post(`${DASHBOARD}/actions/reset`)).status).toBe(401);
  });

  it("may be sent by a program as to the control API, with the same answer", async () => {
    open({ adminToken: "s3cret" });
    for (const path of ["/_sandbox", `${DASHBOARD}/clock`, `${DASHBOARD}/nothing`]) {
      const refused = await world.app.request(path);
      expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/json; charset=utf-8"]);
    }
    const headers = { authorization: "Bearer s3cret" };
    expect((await world.app.request(`${DASHBOARD}/clock`, { headers })).status).toBe(200);
    expect((await world.app.request(`${DASHBOARD}/actions/reset`, { method: "POST", headers })).status).toBe(400);
  });

  it("is asked for again before a form of a session that is over, which has no effect", async () => {
    const visitor = open({ adminToken: "s3cret" });
    await signIn(visitor);
    await visitor.get(`${DASHBOARD}/state`);
    await world.control("PUT", "/balance", { balance: 1 }, { authorization: "Bearer s3cret" });
    visitor.cookies.clear();
    const answer = await visitor.post(`${DASHBOARD}/actions/reset`, {}, { accept: "text/html" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/sign-in\?back=%2F_sandbox$/),
    ]);
    expect((await world.control("GET", "/balance", undefined, { authorization: "Bearer s3cret" })).body.balance).toBe(
      1,
    );
  });

  it("is kept in a cookie for HTTPS alone if the page came over HTTPS", async () => {
    open({ adminToken: "s3cret", publicUrl: "https://pay.example.test" });
    const visitor = visit(world.app, "https://pay.example.test");
    expect((await signIn(visitor)).headers.get("set-cookie")).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
  });

  it.each(["S3cret", "", "s3cret ", "at_sandbox"])("must match exactly: %j is refused", async (token) => {
    const visitor = open({ adminToken: "s3cret" });
    const answer = await signIn(visitor, token);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain("That is not the admin token");
    expect(visitor.cookies.size).toBe(0);
  });

  it("cannot be guessed without limit; the right one is always accepted", async () => {
    let elapsed = 0;
    const visitor = open({ adminToken: "s3cret", system: { ...systemClock, monotonic: () => elapsed } });
    for (let guess = 0; guess < GUESSES_MAX; guess++) expect((await signIn(visitor, "no")).status).toBe(401);
    const refused = await signIn(visitor, "no");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("6");
    expect(refused.text).toContain("Too many wrong tokens. Try again in 6 s.");
    elapsed += 6_000;
    expect((await signIn(visitor, "no")).status).toBe(401);
    expect((await signIn(visitor, "no")).status).toBe(429);
    expect((await signIn(visitor)).status).toBe(303);
  });

  it("is asked for again after twelve hours, and after signing out", async () => {
    let elapsed = 0;
    const visitor = open({ adminToken: "s3cret", system: { ...systemClock, monotonic: () => elapsed } });
    await signIn(visitor);
    elapsed += SESSION_MS - 1;
    expect((await visitor.get(`${DASHBOARD}/clock`)).status).toBe(200);
    elapsed += 1;
    expect((await visitor.get(`${DASHBOARD}/clock`)).status).toBe(303);
    await signIn(visitor);
    await visitor.get(`${DASHBOARD}/clock`);
    const cookie = new Map(visitor.cookies);
    expect((await visitor.post(`${DASHBOARD}/sign-out`)).status).toBe(303);
    expect(visitor.cookies.size).toBe(0);
    for (const [name, value] of cookie) visitor.cookies.set(name, value);
    expect((await visitor.get(`${DASHBOARD}/clock`)).status).toBe(303);
  });

  it.each([
    "https://evil.test/",
    "/_sandbox/dashboard/%2e%2e/clock",
    "//evil.test",
    "/\\evil.test",
    "/v1/charges",
    "/_sandbox/clock",
    "/_sandbox/dashboard/../clock",
    "/_sandbox\r\nx: y",
    "javascript:alert(1)",
  ])("leads back to the dashboard only, and not to %j", async (back) => {
    const visitor = open({ adminToken: "s3cret" });
    await visitor.get(`${DASHBOARD}/sign-in?${String(new URLSearchParams({ back }))}`);
    const answer = await visitor.post(`${DASHBOARD}/sign-in`, { token: "s3cret", back });
    const location = new URL(answer.headers.get("location") ?? "", `${ORIGIN}${DASHBOARD}/sign-in`);
    expect(location.href).toBe(`${ORIGIN}/_sandbox`);
  });
});

describe("forged forms", () => {
  const reset = `${DASHBOARD}/actions/reset`;

  it.each([
    ["another origin", { origin: "https://evil.test" }],
    ["another port of this machine", { origin: "http://localhost:5173" }],
    ["no origin", { origin: null }],
    ["a sandboxed frame", { origin: "null" }],
  ])("of %s are refused", async (_, headers) => {
    const visitor = open();
    await world.control("PUT", "/balance", { balance: 1 });
    await visitor.get(`${DASHBOARD}/clock`);
    expect((await visitor.post(reset, {}, headers)).status).toBe(403);
    expect((await world.control("GET", "/balance")).body.balance).toBe(1);
  });

  it.each(["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])(
    "without the page's token are refused: %j",
    async (formToken) => {
      const visitor = open();
      await visitor.get(`${DASHBOARD}/clock`);
      const answer = await visitor.post(reset, { formToken });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("Nothing was done");
    },
  );

  it("with the token of another session are refused", async () => {
    const [one, two] = [open({ adminToken: "s3cret" }), visit(world.app)];
    await signIn(one);
    await signIn(two);
    const page = await one.get(`${DASHBOARD}/clock`);
    const formToken = /name="formToken" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    await two.get(`${DASHBOARD}/clock`);
    expect((await two.post(reset, { formToken })).status).toBe(403);
    expect((await one.post(reset, { formToken })).status).toBe(303);
  });

  it.each([
    ["application/json", 400],
    ["text/plain", 400],
    ["multipart/form-data", 400],
  ])("of a body of %s are refused", async (type, status) => {
    const visitor = open();
    await visitor.get(`${DASHBOARD}/clock`);
    expect((await visitor.post(reset, {}, { "content-type": type })).status).toBe(status);
  });

  it.each(["sign-in", "sign-out", "open", "audit", "actions/reset"])("%s takes no file", async (path) => {
    const { html } = await open().get(`${DASHBOARD}/clock`);
    const body = new FormData();
    body.set("formToken", /name="formToken" value="([^"]*)"/.exec(html)?.[1] ?? "");
    const headers = { host: new URL(ORIGIN).host, origin: ORIGIN };
    const answer = await world.app.request(`${ORIGIN}${DASHBOARD}/${path}`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The dashboard accepts its own forms only.");
  });

  it.each(["sign-in", "open"])("%s takes only a small body, since anyone may send it", async (path) => {
    const visitor = open({ adminToken: "s3cret" });
    await visitor.get(`${DASHBOARD}/sign-in`);
    expect((await visitor.post(`${DASHBOARD}/${path}`, { x: "x".repeat(16 * 1024) })).status).toBe(413);
  });

  it("a form that is too large is refused", async () => {
    const visitor = open();
    await visitor.get(`${DASHBOARD}/clock`);
    expect((await visitor.post(reset, { x: "x".repeat(1024 * 1024) })).status).toBe(413);
  });

  it("a form that cannot be handled has a page without live updates, since its address cannot be loaded again", async () => {
    const visitor = open();
    await visitor.get(`${DASHBOARD}/clock`);
    const answer = await visitor.post(`${reset}?company=company_gone`);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('No company has the id "company_gone"');
    expect(answer.html).not.toContain("data-live");
  });

  it("an unknown action is 404, and no action is a GET", async () => {
    const visitor = open();
    for (const name of ["nothing", "constructor", "__proto__"]) {
      await visitor.get(`${DASHBOARD}/clock`);
      expect((await visitor.post(`${DASHBOARD}/actions/${name}`)).status).toBe(404);
    }
    expect((await visitor.get(reset)).status).toBe(404);
  });
});
