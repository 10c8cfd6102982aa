import { expect, it } from "vitest";
import { DASHBOARD, signIn, visit } from "../support/dashboard.js";
import { chargeRequest } from "../support/requests.js";
import { type LooseJson, openWorld } from "../support/world.js";

const ADMIN = "s3cret-admin-token";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it("no tenant chooses what is redacted for another", async () => {
  const { app, api, control } = openWorld({ tenancy: true, autoProvision: true, adminToken: ADMIN });
  const { body: mine } = await control("POST", "/companies");
  const { body: other } = await control("POST", "/companies");
  const own = { ...bearer(mine.accessToken), "x-company-id": mine.companyId };
  const texts = ["application/json", "order-77", "https://shop.test/yes", "Abidjan"];
  for (const secretKey of texts)
    await control("POST", `/companies/${other.companyId}/rotate`, { secretKey }, bearer(other.accessToken));

  const rule = { on: "request", name: "Abidjan", match: { path: "/none" }, then: { status: 503 } };
  await control("POST", "/rules", rule, own);
  const charge = { externalId: "order-77", onCompletedRedirectionUrl: "https://shop.test/yes", amount: "Abidjan" };
  const refused = await api("POST", "/v1/charges", chargeRequest(charge), own);
  expect(refused.body.message[0]).toContain("Abidjan");
  const created = await api("POST", "/v1/charges", chargeRequest({ ...charge, amount: 5000 }), own);
  expect(created.status).toBe(201);

  const visitor = visit(app);
  await signIn(visitor, mine.accessToken);
  const shown = [
    ...(await Promise.all(
      ["/requests", "/requests?format=har", "/findings", "/coverage"].map(async (path) => {
        return (await control("GET", path, undefined, own)).text;
      }),
    )),
    (await visitor.get(`${DASHBOARD}/rules`)).html,
    (await visitor.get(`${DASHBOARD}/charges/${created.body.id}`)).html,
  ].map((text) => text.replaceAll(/"authorization":\s*"\[redacted\]"|"value":\s*"\[redacted\]"/g, ""));
  for (const text of shown) expect(text).not.toContain("[redacted]");
  const verified = await control("POST", "/requests/verify", { match: { status: 201, body: { amount: 1 } } }, own);
  expect(verified.body.message.join("\n")).not.toContain("[redacted]");
});

it("a tenant's own secrets, the replaced ones too, and the admin token are redacted for it", async () => {
  const { api, control } = openWorld({ tenancy: true, autoProvision: true, adminToken: ADMIN });
  const { body: mine } = await control("POST", "/companies");
  const own = { ...bearer(mine.accessToken), "x-company-id": mine.companyId };
  const { body: rotated } = await control("POST", `/companies/${mine.companyId}/rotate`, undefined, own);
  const secrets = [mine.accessToken, mine.secretKey, rotated.secretKey, ADMIN];
  await api("POST", "/v1/charges", chargeRequest({ description: secrets.join(" ") }), own);
  const { text } = await control("GET", "/requests", undefined, own);
  expect(text).toContain("[redacted] [redacted] [redacted] [redacted]");
  for (const secret of secrets) expect(text).not.toContain(secret);
});

it("answers that belong to no company show nothing of tenants' secrets", async () => {
  const { api, control } = openWorld({ tenancy: true, autoProvision: true, adminToken: ADMIN });
  const { body: other } = await control("POST", "/companies");
  for (const secretKey of ["Bearer <access token>", "my-secret-key"])
    await control("POST", `/companies/${other.companyId}/rotate`, { secretKey }, bearer(other.accessToken));

  const stranger = { authorization: null };
  const ask = async (path: string) => (await api("GET", path, undefined, stranger)).body.message[0];
  expect(await ask("/v1/balance")).toContain("Bearer <access token>");
  expect(await ask("/v1/my-secret-key")).toContain("GET /v1/my-secret-key");
  expect(await ask(`/v1/${ADMIN}`)).toContain("GET /v1/[redacted]");
  const { body: mine } = await control("POST", "/companies");
  const misspelt = async (path: string) =>
    (await control("GET", path, undefined, bearer(mine.accessToken))).body.message[0];
  expect(await misspelt("/my-secret-key")).toContain("/my-secret-key");
  expect(await misspelt(`/${mine.secretKey}`)).toContain("/[redacted]");
});

it("a tenant does not see in the dashboard what an administrator did there", async () => {
  const { app, control } = openWorld({ tenancy: true, autoProvision: true, adminToken: ADMIN });
  const { body: mine } = await control("POST", "/companies");
  const administrator = visit(app);
  await signIn(administrator, ADMIN);
  await administrator.get(`${DASHBOARD}/companies?company=${mine.companyId}`);
  const opened = await administrator.act("open", { companyId: "company_of_another" }, mine.companyId);
  expect(opened.text).toContain("of_another");
  const tenant = visit(app);
  await signIn(tenant, mine.accessToken);
  for (let outcome = 1; outcome <= 5; outcome++)
    expect((await tenant.get(`${DASHBOARD}/transfers?outcome=${outcome}`)).text).not.toContain("of_another");
});

it("nobody can guess the tokens of the companies of a replay", async () => {
  const { control } = openWorld({ tenancy: true, adminToken: ADMIN });
  const asOther = { request: "GET /v1/balance", as: "shop", expect: { status: 200 } };
  const guessed = ["at_replay-1", "at_replay-1-shop"].flatMap((token) => [
    { request: "GET /v1/balance", token, expect: { status: 401 } },
    { request: "GET /_sandbox/clock", headers: bearer(token), expect: { status: 401 } },
  ]);
  const { body } = await control("POST", "/scenarios/replay", { steps: [asOther, ...guessed] }, bearer(ADMIN));
  expect(body).toMatchObject({ outcome: "passed", stepsPassed: 5 });
});

// Such rules count what they match, so 1 000 of them gave a tenant parts of the session of the user who paid there.
it("no rule about a payment page sees a header of a customer, such as the session of the dashboard", async () => {
  const { app, api, control } = openWorld({ tenancy: true, autoProvision: true, adminToken: ADMIN });
  const { body: mine } = await control("POST", "/companies");
  const own = { ...bearer(mine.accessToken), "x-company-id": mine.companyId };
  const { body: charge } = await api("POST", "/v1/charges", chargeRequest(), own);
  const match = { path: "/checkout/:id", method: "POST" };
  for (const name of ["cookie", "authorization", "proxy-authorization", "origin"]) {
    const rule = { on: "request", name, match: { ...match, headers: { [name]: { $any: true } }, nth: 2 } };
    await control("POST", "/rules", { ...rule, then: { status: 503 } }, own);
  }
  const seen = { on: "request", name: "fields", match: { ...match, body: { action: "pay" }, nth: 2 } };
  await control("POST", "/rules", { ...seen, then: { status: 503 } }, own);
  const visitor = visit(app);
  await signIn(visitor, ADMIN);
  const credentials = { authorization: "Basic eDp5", "proxy-authorization": "Basic eDp5" };
  const fields = { action: "pay", msisdn: "+2250700000001" };
  const { status } = await visitor.post(`/checkout/${charge.id}`, fields, credentials);
  const { body: state } = await control("GET", "/state", undefined, own);
  const matched = state.rules.filter((row: LooseJson) => row.matched > 0).map((row: LooseJson) => row.rule.name);
  expect([status, matched]).toEqual([303, ["fields"]]);
});
