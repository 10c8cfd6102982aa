import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { DASHBOARD, ORIGIN, signIn, type Visitor, visit } from "../support/dashboard.js";
import { folderWith } from "../support/folder.js";
import { connectTo } from "../support/raw-http.js";
import { resolveNames } from "../support/resolve-names.js";
import { createFakeSystem } from "../support/fake-system.js";
import { chargeRequest } from "../support/requests.js";
import { type Answer, type LooseJson, openWorld, type TestWorld, type WorldOptions } from "../support/world.js";
import { createControlApp } from "../../src/http/server/control-app.js";
import { OPENING_MS, OPENINGS_MAX } from "../../src/http/shared/address-limit.js";
import { SESSIONS_MAX } from "../../src/http/pages/dashboard/sessions.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import { fromXof } from "../../src/domain/values/money.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { resolveOptions, setupFor, tenancyProblem } from "../../src/sandbox/config/options.js";

const ADMIN = "s3cret-admin-token";
const OWN = "at_mine_7bqf2Zk1Xw";
const OTHER = "at_other_9LmP4tRs8v";
const LATE = "at_late_3cVb8nMq2W";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Two tenants, whose clocks stand at different times. */
function open(options: WorldOptions = {}): TestWorld {
  const companyOf = (id: string, token: string, year: number) => ({
    ...setupFor(token),
    id,
    balance: fromXof(1_000_000),
    frozenAt: Date.UTC(year, 0, 15, 9),
    profile: {},
    fixtures: [],
  });
  return openWorld({
    tenancy: true,
    adminToken: ADMIN,
    companies: [companyOf("company_mine", OWN, 2026), companyOf("company_other", OTHER, 2031)],
    ...options,
  });
}

/** The routes that concern the whole sandbox, and not one company. */
const administration = new Set([
  "GET /companies",
  "POST /companies",
  "DELETE /companies/:id",
  "POST /scenarios/replay",
  "GET /metrics",
  "POST /companies/:id/export",
  "PUT /companies/:id",
]);
const isOpen = (path: string): boolean => path.startsWith("/health");

/** Each route of the control API as `GET /clock`. */
function controlRoutes(): readonly string[] {
  const replayer = { replay: async () => ({}) };
  const { routes } = createControlApp(new Sandbox(resolveOptions()), { replayer });
  const calls = routes
    .filter(({ method }) => ["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method))
    .map(({ method, path }) => ({ method, path: path.slice("/_sandbox".length) }))
    .filter(({ path }) => path !== "/" && path !== "" && !path.startsWith("/dashboard") && !path.startsWith("/assets"));
  return [...new Set(calls.map(({ method, path }) => `${method} ${path}`))];
}

const routes = controlRoutes();

/** Calls a route, with this company where the path has the id of one. Bodies are empty. */
async function call(world: TestWorld, route: string, company: string, token?: string, query = ""): Promise<Answer> {
  const [method = "", template = ""] = route.split(" ");
  const path = template.replace(":id", template.startsWith("/companies") ? company : "x");
  const wait = template.endsWith("/wait") ? [`timeout=0`] : [];
  const parameters = [...wait, ...(query === "" ? [] : [query])].join("&");
  const response = await world.app.request(`/_sandbox${path}${parameters === "" ? "" : `?${parameters}`}`, {
    method,
    headers: { ...(token !== undefined && bearer(token)), "content-type": "application/json" },
    ...(method !== "GET" && { body: "{}" }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : {},
  };
}

const unknownCompany = (id: string): string => `No company has the id "${id}".`;

/** Nothing in an answer may come from the other company: no time, token, key. */
function expectNothingOfOther({ headers, text }: Answer): void {
  expect(headers.get("x-sandbox-now")).not.toContain("2031");
  expect(text).not.toMatch(/2031-|at_other|secret_other/);
}

describe("each route of the control API", () => {
  it("are listed completely below", () => {
    expect(routes.length).toBeGreaterThan(45);
    for (const route of ["GET /clock", "PUT /state", "GET /stream", "POST /scenarios/replay", "GET /health"])
      expect(routes).toContain(route);
  });

  it.each(routes)("%s", async (route) => {
    const path = route.split(" ")[1] ?? "";
    const isAdmins = administration.has(route);
    const isPublic = isOpen(path);
    const world = open();
    const mine = (token?: string) => call(world, route, "company_mine", token);

    for (const token of [undefined, "at_nobody", "company_mine", OTHER.slice(0, -1)]) {
      const stranger = await mine(token);
      expect(stranger.status === 401, `${token}: ${stranger.status}`).toBe(!isPublic);
      expectNothingOfOther(stranger);
    }

    const own = await mine(OWN);
    expect(own.status === 403, `own: ${own.status}`).toBe(isAdmins);
    expect(own.status).not.toBe(401);
    // `wait` times out, since there is no delivery.
    if (/^GET (?!.*(?::|\/wait$))/.test(route) && !isAdmins) expect(own.status).toBe(200);
    expect(own.text).not.toContain("No company has the id");
    expectNothingOfOther(own);

    for (const query of ["company=company_other", "company=nobody", "company=*"]) {
      const foreign = path.includes("companies/:id")
        ? await call(world, route, query.split("=")[1] ?? "", OWN)
        : await call(world, route, "company_mine", OWN, query);
      if (isPublic) continue;
      const isAll = query === "company=*" && ["/reset", "/coverage"].includes(path);
      expect(foreign.status, query).toBe(isAdmins || isAll ? 403 : 404);
      if (!isAdmins && !isAll) expect(foreign.body.message).toEqual([unknownCompany(query.split("=")[1] ?? "")]);
      expectNothingOfOther(foreign);
    }
    expect(world.sandbox.findCompany("company_other")?.world.events.size).toBe(0);

    const admin = await call(world, route, "company_other", ADMIN, isAdmins || isPublic ? "" : "company=company_other");
    expect([401, 403]).not.toContain(admin.status);
    expect(admin.text).not.toContain("No company has the id");
  });
});

describe("a tenant", () => {
  it("controls its own clock, without naming its company", async () => {
    const { control } = open();
    const moved = await control("POST", "/clock/advance", { by: "1h" }, bearer(OWN));
    expect(moved.body.now).toBe("2026-01-15T10:00:00.000Z");
    const other = await control("GET", "/clock", undefined, bearer(OTHER));
    expect(other.body.now).toBe("2031-01-15T09:00:00.000Z");
  });

  it("resets its own company only", async () => {
    const { control, sandbox } = open();
    const before = sandbox.findCompany("company_other");
    expect((await control("POST", "/reset", undefined, bearer(OWN))).body).toEqual({ reset: ["company_mine"] });
    expect((await control("POST", "/reset?company=*", undefined, bearer(OWN))).status).toBe(403);
    expect(sandbox.findCompany("company_other")).toBe(before);
  });

  it("is a stranger as soon as its token is replaced", async () => {
    const { control } = open();
    const path = "/companies/company_mine/rotate";
    const { accessToken } = (await control("POST", path, { accessToken: true }, bearer(OWN))).body;
    expect((await control("GET", "/clock", undefined, bearer(OWN))).status).toBe(401);
    expect((await control("GET", "/clock", undefined, bearer(accessToken))).status).toBe(200);
  });

  it("restores only its own snapshots", async () => {
    const { control } = open();
    await control("POST", "/snapshots/before", undefined, bearer(OTHER));
    for (const method of ["GET", "PUT", "DELETE"])
      expect((await control(method, "/snapshots/before", undefined, bearer(OWN))).status).toBe(404);
    expect((await control("GET", "/snapshots", undefined, bearer(OWN))).body.count).toBe(0);
  });

  it("finds nothing of another company by its ids", async () => {
    const { api, control } = open();
    const headers = { ...bearer(OTHER), "x-company-id": "company_other" };
    const { id } = (await api("POST", "/v1/charges", chargeRequest(), headers)).body;
    for (const action of ["pay", "cancel", "drop", "refund"]) {
      const answer = await control("POST", `/charges/${id}/${action}`, undefined, bearer(OWN));
      expect(answer.status, action).toBe(404);
    }
    expect((await control("GET", "/requests?format=har", undefined, bearer(OWN))).text).not.toContain(id);
  });

  it("reads the API description of its own profile only", async () => {
    const { app } = open();
    const read = (path: string, token?: string) =>
      app.request(path, { headers: token === undefined ? {} : bearer(token) });
    expect((await read("/openapi.json", OWN)).status).toBe(200);
    expect((await read("/openapi.json?company=company_mine", OTHER)).status).toBe(404);
    expect((await read("/openapi.json")).status).toBe(200);
    expect((await read("/openapi.json?company=company_other")).status).toBe(404);
  });

  it("does not show its profile to strangers when no configured company is open", async () => {
    const { app, control, sandbox } = open();
    for (const { id } of sandbox.options.companies)
      await control("DELETE", `/companies/${id}`, undefined, bearer(ADMIN));
    await control("POST", "/companies", { companyId: "company_late", accessToken: LATE }, bearer(ADMIN));
    for (const query of ["", "?company=company_late"]) {
      expect((await app.request(`/openapi.json${query}`)).status).toBe(404);
    }
    expect((await app.request("/openapi.json", { headers: bearer(LATE) })).status).toBe(200);
  });
});

it("logs each call with the company that it reaches, whichever one it names", async () => {
  const logged: LooseJson[] = [];
  const write = (_: string, event: string, fields?: object): void => void (event === "request" && logged.push(fields));
  const { app, api } = open({ log: { wants: () => true, write } });
  const get = (path: string, token?: string) =>
    app.request(path, { headers: { accept: "*/*", ...(token !== undefined && bearer(token)) } });
  const headers = { ...bearer(OWN), "x-company-id": "company_mine" };
  const { id } = (await api("POST", "/v1/charges", chargeRequest(), headers)).body;
  const calls: readonly (readonly [path: string, token: string | undefined, company: string | undefined])[] = [
    ["/_sandbox/clock", OWN, "company_mine"],
    ["/_sandbox/clock?company=company_other", OWN, "company_mine"],
    ["/_sandbox/clock?what=x", OWN, "company_mine"],
    ["/_sandbox/nothing?company=company_other", OWN, "company_mine"],
    ["/_sandbox/clock?company=company_other", undefined, undefined],
    ["/_sandbox/clock?company=company_other", "at_nobody", undefined],
    ["/_sandbox/clock?company=company_other", ADMIN, "company_other"],
    ["/openapi.json", OWN, "company_mine"],
    ["/openapi.json?company=company_other", OWN, "company_mine"],
    ["/openapi.json?company=company_other", undefined, undefined],
    ["/openapi.json", undefined, "company_mine"],
    [`${DASHBOARD}/clock`, OWN, "company_mine"],
    [`${DASHBOARD}/clock?company=company_other`, OWN, "company_mine"],
    [`${DASHBOARD}/clock?company=company_other`, ADMIN, "company_other"],
    [`/checkout/${id}`, undefined, "company_mine"],
    [`/checkout/${id}?company=company_other`, undefined, undefined],
  ];
  for (const [path, token] of calls) await (await get(path, token)).text();
  expect(logged.map(({ path, company }) => [path, company])).toEqual(calls.map(([path, , company]) => [path, company]));
  const visitor = visit(app);
  await signIn(visitor, OWN);
  await visitor.get("/_sandbox");
  expect(logged.at(-1)).toMatchObject({ path: "/_sandbox", company: "company_mine" });
});

it("reads no more large bodies of tenants at a time than one may have", async () => {
  const world = open();
  const url = await world.listen();
  const first = await connectTo(url);
  const head = `PUT /_sandbox/state HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${OWN}`;
  const length = `content-length: ${255 * 1024 * 1024}\r\nexpect: 100-continue`;
  first.write(`${head}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`);
  expect(String(await once(first, "data"))).toContain("100 Continue");
  const put = async (token: string, bytes: number): Promise<string> => {
    const headers = { ...bearer(token), "content-type": "application/json" };
    const body = JSON.stringify({ x: "x".repeat(bytes) });
    return (await fetch(`${url}/_sandbox/state`, { method: "PUT", headers, body })).text();
  };
  const visitor = visit(world.app, url);
  await signIn(visitor, OTHER);
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const upload = async (bytes: number): Promise<number> => {
    const body = new FormData();
    body.set("state", new Blob(["x".repeat(bytes)]), "state.json");
    return (await fetch(`${url}${DASHBOARD}/actions/putState`, { method: "POST", headers: { cookie }, body })).status;
  };
  const busy = "Failed to read the body: other large bodies are being read. Send it again later";
  expect(await upload(2_000_000)).toBe(429);
  expect(await upload(1_000)).toBe(403);
  expect(JSON.parse(await put(OTHER, 2_000_000))).toMatchObject({ statusCode: 429, message: [busy] });
  expect(JSON.parse(await put(OTHER, 1_000))).toMatchObject({ statusCode: 400 });
  expect(JSON.parse(await put(ADMIN, 2_000_000))).toMatchObject({ statusCode: 400 });
  first.destroy();
  await expect.poll(() => put(OTHER, 2_000_000)).toContain('"statusCode":400');
  expect(await upload(2_000_000)).toBe(403);
});

it("answers 503 to a tenant whose company is being moved", async () => {
  const { control } = open();
  await control("POST", "/companies/company_mine/export", { close: true }, bearer(ADMIN));
  const { status, headers, body } = await control("GET", "/clock", undefined, bearer(OWN));
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
  expect(body.message).toEqual(["The company is being moved to another sandbox; try again"]);
});

describe("a request with an unknown token", () => {
  it("counts for no company, whatever X-Company-Id says, and shows no company's time", async () => {
    const { app, sandbox } = open();
    const headers = { ...bearer("at_wrong"), "x-company-id": "company_other" };
    const answer = await app.request("/v1/balance", { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("x-sandbox-now")).not.toMatch(/^(2031|2026-01-15)/);
    for (const { id } of sandbox.companies) expect(sandbox.observationOf(id).journal.entries.values()).toEqual([]);
  });
});

describe("opening a company without an administrator", () => {
  const selfService = (options: WorldOptions = {}) => open({ autoProvision: true, ...options });
  const ask = (world: TestWorld, headers?: Readonly<Record<string, string>>) =>
    world.control("POST", "/companies", undefined, headers);

  it("gives a company with a token that nobody guesses", async () => {
    const world = selfService();
    const { status, body } = await ask(world);
    expect(status).toBe(201);
    expect(body.accessToken).toMatch(/^at_[\w-]{21}$/);
    expect(body.companyId).not.toContain(body.accessToken.slice(3));
    expect(body.secretKey).not.toContain(body.accessToken.slice(3));
    expect(body.signIn).toBe(`http://localhost/_sandbox/dashboard/sign-in#token=${body.accessToken}`);
    expect((await world.control("GET", "/clock", undefined, bearer(body.accessToken))).status).toBe(200);
    const list = await world.control("GET", "/companies", undefined, bearer(body.accessToken));
    expect(list.status).toBe(403);
  });

  it("accepts a long token of the client's own that no company has", async () => {
    const world = selfService();
    const token = "at_6f0d9c2b8a7e4d51";
    expect((await ask(world, bearer("at_short"))).status).toBe(400);
    expect((await ask(world, bearer(`${token}0`))).status).toBe(201);
    const again = await ask(world, bearer(`${token}0`));
    expect([again.status, again.body.message[0]]).toEqual([403, expect.stringContaining("has a company already")]);
    expect((await ask(world, { authorization: "Basic eA==" })).status).toBe(401);
  });

  it("accepts only a small body, since anyone may ask", async () => {
    const large = await selfService().control("POST", "/companies", { x: "x".repeat(16 * 1024) });
    expect(large.status).toBe(413);
  });

  it("is refused without auto-provision, and the API opens none for an unseen token", async () => {
    expect((await ask(open())).status).toBe(401);
    const { app, sandbox } = selfService();
    expect((await app.request("/v1/balance", { headers: bearer("at_6f0d9c2b8a7e4d510") })).status).toBe(401);
    expect(sandbox.companies).toHaveLength(2);
  });

  it("is limited in time for each address", async () => {
    const system = createFakeSystem();
    const world = selfService({ system });
    for (let opened = 0; opened < OPENINGS_MAX; opened++) expect((await ask(world)).status).toBe(201);
    const refused = await ask(world);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("60");
    system.pass(OPENING_MS);
    expect((await ask(world)).status).toBe(201);
    expect((await ask(world)).status).toBe(429);
  });

  it("counts attempts that are refused, since each tests a token", async () => {
    const { control } = selfService();
    const guess = (token: string) => control("POST", "/companies", { companyId: "*" }, bearer(token));
    for (let made = 0; made < OPENINGS_MAX; made++) expect((await guess("guess")).status).toBe(400);
    expect((await guess("guess")).status).toBe(429);
    expect((await guess(ADMIN)).status).toBe(400);
  });

  it("is limited in number for each address, and in all", async () => {
    for (const limits of [{ companiesPerAddress: 2 }, { companies: 2 }]) {
      const world = selfService({ limits: { ...DEFAULT_LIMITS, ...limits } });
      for (let opened = 0; opened < 2; opened++) expect((await ask(world)).status).toBe(201);
      const refused = await ask(world);
      expect(refused.status).toBe(429);
      expect(refused.body.message.join()).toMatch(/^There are 2 open companies (from your address|in this sandbox)/);
      expect(world.sandbox.companies).toHaveLength(4);
    }
  });

  it.each([undefined, "1h"])("keeps a replaced token and key in a reset, with an overlap of %s", async (overlap) => {
    const world = selfService();
    const [first, second] = ["at_6f0d9c2b8a7e4d510", "at_6f0d9c2b8a7e4d511"];
    const { companyId } = (await ask(world, bearer(first))).body;
    const rotate = (token: string, body: object) =>
      world.control("POST", `/companies/${companyId}/rotate`, body, bearer(token));
    await rotate(first, { accessToken: second, overlap });
    expect((await rotate(second, { secretKey: "another" })).status).toBe(200);
    expect((await world.control("POST", "/clock/advance", { by: "2h" }, bearer(second))).status).toBe(200);
    const reset = () => world.control("POST", "/reset", undefined, bearer(second));
    expect((await reset()).body).toEqual({ reset: [companyId] });
    expect((await world.api("GET", "/v1/balance", undefined, bearer(first))).status).toBe(401);
    // Now another company has the earlier token.
    expect((await ask(world, bearer(first))).status).toBe(201);
    expect((await reset()).body).toEqual({ reset: [companyId] });
    expect(world.sandbox.findCompany(companyId)?.record.identity.secretKey).toBe("another");
  });

  it("drops a company that nobody uses, and no other", async () => {
    const system = createFakeSystem();
    const world = selfService({ system, limits: { ...DEFAULT_LIMITS, idle: 3_600_000 } });
    const used = (await ask(world)).body.accessToken;
    const idle = (await ask(world)).body.accessToken;
    system.pass(2_000_000);
    expect((await world.control("GET", "/clock", undefined, bearer(used))).status).toBe(200);
    system.pass(2_000_000);
    expect((await world.control("GET", "/clock", undefined, bearer(used))).status).toBe(200);
    expect((await world.control("GET", "/clock", undefined, bearer(idle))).status).toBe(401);
    expect(world.sandbox.companies).toHaveLength(3);
  });

  it("drops such a company from the store, too", async () => {
    const path = join(await folderWith({}), "state.json");
    const system = createFakeSystem();
    const openStored = async () => {
      const store = await openFileStore({
        path,
        format: createStoreFormat(systemClock),
        system: systemClock,
        log: silentLog,
      });
      return selfService({ system, store, limits: { ...DEFAULT_LIMITS, idle: 3_600_000 } });
    };
    const world = await openStored();
    const idle = (await ask(world)).body;
    expect((await world.control("GET", "/clock", undefined, bearer(idle.accessToken))).status).toBe(200);
    system.pass(3_600_000);
    const used = (await ask(world)).body;
    await world.close();
    const again = await openStored();
    expect((await again.control("GET", "/clock", undefined, bearer(used.accessToken))).status).toBe(200);
    expect((await again.control("GET", "/clock", undefined, bearer(idle.accessToken))).status).toBe(401);
    expect(again.sandbox.companies.map(({ id }) => id)).not.toContain(idle.companyId);
  });

  it("distinguishes the clients of a trusted proxy, and believes nobody else", async () => {
    const statuses = async (trustedProxies: readonly string[], forwarded: readonly string[]) => {
      const world = selfService({ trustedProxies, limits: { ...DEFAULT_LIMITS, companiesPerAddress: 1 } });
      const url = await world.listen();
      const answers = forwarded.map(async (each) => {
        const answer = await fetch(`${url}/_sandbox/companies`, {
          method: "POST",
          headers: { "x-forwarded-for": each },
        });
        await answer.text();
        return answer.status;
      });
      return (await Promise.all(answers)).toSorted((a, b) => a - b);
    };
    expect(await statuses([], ["192.0.2.1", "192.0.2.2"])).toEqual([201, 429]);
    const trusted = ["127.0.0.0/8", "10.0.0.7"];
    expect(await statuses(trusted, ["192.0.2.1", "192.0.2.2, 10.0.0.7"])).toEqual([201, 201]);
    // Addresses that a client writes before the one that the proxy adds are ignored.
    expect(await statuses(trusted, ["198.51.100.9, 192.0.2.1", "192.0.2.1"])).toEqual([201, 429]);
    expect(await statuses(trusted, ["2001:db8::1", "2001:db8::ffff"])).toEqual([201, 429]);
    expect(await statuses(trusted, ["192.0.2.1:5000", "192.0.2.2:5000"])).toEqual([201, 201]);
    expect(await statuses(trusted, ["[2001:db8::1]:5000", "2001:db8::2"])).toEqual([201, 429]);
    // Beyond the 20 nearest proxies nothing is read.
    const behind = ", 10.0.0.7".repeat(20);
    expect(await statuses(trusted, [`192.0.2.1${behind}`, `192.0.2.2${behind}`])).toEqual([201, 429]);
  });
});

describe("the dashboard", () => {
  it("signs a tenant in with its access token, to its own company only", async () => {
    const { app } = open();
    const visitor = visit(app);
    expect((await signIn(visitor, "at_nobody")).text).toContain("No company has this access token.");
    expect((await signIn(visitor, OWN)).status).toBe(303);
    const home = await visitor.get("/_sandbox");
    expect(home.text).toContain("company_mine");
    expect(home.text).not.toMatch(/company_other|2031/);
    for (const path of [
      "/_sandbox",
      `${DASHBOARD}/clock`,
      `${DASHBOARD}/connect`,
      `${DASHBOARD}/nothing`,
      `${DASHBOARD}/live`,
    ]) {
      const foreign = await visitor.get(`${path}?company=company_other`);
      expect(foreign.status).toBe(404);
      expect(foreign.html).not.toMatch(/2031|at_other|secret_other/);
    }
    expect((await visitor.get(`${DASHBOARD}/companies`)).status).toBe(403);
    expect((await visitor.get(`${DASHBOARD}/state.json?company=company_other`)).status).toBe(404);
  });

  it("acts for a tenant in its own company, with its own token in the commands", async () => {
    const { app, sandbox } = open();
    const visitor = visit(app);
    await signIn(visitor, OWN);
    const page = await visitor.get(`${DASHBOARD}/clock`);
    expect(page.commands.join("\n")).toContain("$SANDBOX_ACCESS_TOKEN");
    expect(page.commands.join("\n")).not.toContain("ADMIN");
    const before = sandbox.findCompany("company_other")?.now();
    expect((await visitor.act("advance", { by: "1h" }, "company_mine")).text).toContain("2026-01-15 10:00:00");
    expect((await visitor.post(`${DASHBOARD}/actions/advance?company=company_other`, { by: "1h" })).status).toBe(404);
    await visitor.get(`${DASHBOARD}/clock`);
    expect((await visitor.post(`${DASHBOARD}/audit?company=company_other`, { url: "https://shop.test/" })).status).toBe(
      404,
    );
    expect(sandbox.findCompany("company_other")?.now()).toBe(before);
    await visitor.get(`${DASHBOARD}/clock`);
    const opened = await visitor.act("open", { companyId: "company_third" }, "company_mine");
    expect(opened.text).toContain("This call needs the admin token");
  });

  it("refuses a form of another origin, and one without the token of a page", async () => {
    const { app, sandbox } = open({ autoProvision: true });
    const visitor = visit(app);
    await signIn(visitor, OWN);
    const path = `${DASHBOARD}/actions/advance?company=company_mine`;
    for (const origin of ["https://evil.test", null])
      expect((await visitor.post(path, { by: "1h" }, { origin })).status).toBe(403);
    expect((await visitor.post(path, { by: "1h", formToken: "x" })).status).toBe(403);
    expect((await visitor.post(`${DASHBOARD}/open`, { formToken: "x" })).status).toBe(403);
    expect(sandbox.findCompany("company_mine")?.now()).toBe(Date.UTC(2026, 0, 15, 9));
    expect(sandbox.companies).toHaveLength(2);
  });

  it("shows and takes back no outcome of another company", async () => {
    const { app, control } = open();
    await control("POST", "/snapshots/plans", undefined, bearer(OTHER));
    const other = visit(app);
    await signIn(other, OTHER);
    await other.get(`${DASHBOARD}/state`);
    const removed = await other.act("removeSnapshot", { snapshot: "plans" }, "company_other");
    expect(removed.text).toContain("Undo");
    const outcome = /name="outcome" value="(\d+)"/.exec(removed.html)?.[1] ?? "";
    const mine = visit(app);
    await signIn(mine, OWN);
    expect((await mine.get(`/_sandbox?outcome=${outcome}`)).text).not.toContain("Undo");
    expect((await mine.post(`${DASHBOARD}/actions/undo?company=company_mine`, { outcome })).status).toBe(404);
    expect((await control("GET", "/snapshots", undefined, bearer(OWN))).body.count).toBe(0);
  });

  it.each([
    ["http://127.0.0.1:9/", "url must name a public host"],
    ["http://inside.shop.test/", "inside.shop.test is a private address"],
  ])("audits no private address for a tenant: not %s", async (url, problem) => {
    resolveNames({ "inside.shop.test": ["127.0.0.1"] });
    const { app } = open();
    const visitor = visit(app);
    await signIn(visitor, OWN);
    await visitor.get(`${DASHBOARD}/audit`);
    const asked = await visitor.post(`${DASHBOARD}/audit?company=company_mine`, { url });
    const back = new URL(asked.headers.get("location") ?? "", `${ORIGIN}${DASHBOARD}/audit`);
    expect((await visitor.get(back.pathname + back.search)).text).toContain(problem);
  });

  it("ends a session when its token stops working", async () => {
    const { app, control } = open();
    const visitor = visit(app);
    await signIn(visitor, OWN);
    await control("POST", "/companies/company_mine/rotate", { accessToken: true }, bearer(OWN));
    expect((await visitor.get(`${DASHBOARD}/clock`)).status).toBe(303);
  });

  it("keeps a tenant's newest sessions, however often another one signs in", async () => {
    const { app } = open();
    const signedIn = async (token: string) => {
      const visitor = visit(app);
      await signIn(visitor, token);
      return visitor;
    };
    const statusOf = async (visitor: Visitor) => (await visitor.get(`${DASHBOARD}/clock`)).status;
    const mine = await signedIn(OWN);
    const others = [];
    for (let at = 0; at <= SESSIONS_MAX; at++) others.push(await signedIn(OTHER));
    expect(await statusOf(mine)).toBe(200);
    const [oldest, second] = others;
    expect(oldest && (await statusOf(oldest))).toBe(303);
    expect(second && (await statusOf(second))).toBe(200);
  });

  it("opens a company from the sign-in page, and shows its token once", async () => {
    const { app, sandbox } = open({ autoProvision: true });
    const visitor = visit(app);
    expect((await visitor.get(`${DASHBOARD}/sign-in`)).text).toContain("Open a company");
    const opened = await visitor.post(`${DASHBOARD}/open`);
    expect(opened.status).toBe(201);
    const [token] = opened.commands.filter((line) => line.startsWith("at_"));
    expect(opened.commands).toContain(`${ORIGIN}${DASHBOARD}/sign-in#token=${token}`);
    await visitor.post(`${DASHBOARD}/sign-in`, { token: token ?? "" });
    const company = sandbox.companies.at(-1);
    expect((await visitor.get("/_sandbox")).text).toContain(company?.id);
  });

  it("shows an administrator every company", async () => {
    const { app } = open();
    const visitor = visit(app);
    await signIn(visitor, ADMIN);
    expect((await visitor.get(`${DASHBOARD}/companies`)).text).toContain("company_other");
    expect((await visitor.get(`${DASHBOARD}/clock?company=company_other`)).text).toContain("2031");
  });
});

it.each([
  [{ tenancy: true }, /needs an admin token/],
  [{ tenancy: true, adminToken: ADMIN, seed: 1 }, /excludes a seed/],
])("%j does not start", (options, problem) => expect(tenancyProblem(options)).toMatch(problem));

it("has no administrator without an admin token", async () => {
  const { control } = open({ adminToken: undefined });
  expect((await control("GET", "/companies")).status).toBe(401);
});
