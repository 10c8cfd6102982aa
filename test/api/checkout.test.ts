import { describe, expect, it } from "vitest";
import { setupFor } from "../../src/sandbox/config/options.js";
import { chargeRequest } from "../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../support/world.js";

const create = async ({ api }: TestWorld, change = {}): Promise<LooseJson> =>
  (await api("POST", "/v1/charges", chargeRequest(change))).body;

const read = async ({ api }: TestWorld, id: string): Promise<LooseJson> => (await api("GET", `/v1/charges/${id}`)).body;

type Given = Readonly<Record<string, string>>;

const get = async ({ app }: TestWorld, path: string, headers: Given = {}) => app.request(path, { headers });

const page = async (world: TestWorld, path: string, headers: Given = {}): Promise<string> => {
  const answer = await get(world, path, headers);
  return plain(await answer.text());
};

/** Replaces every kind of space with a plain one. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, " ");

const send = async ({ app }: TestWorld, path: string, form: Given, headers: Given = {}) =>
  app.request(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });

const pay = async (world: TestWorld, id: string, msisdn: string, more: Given = {}) =>
  send(world, `/checkout/${id}`, { action: "pay", msisdn, ...more });

describe("the payment page of a charge that is due", () => {
  it("is at the address of paymentUrl", async () => {
    const world = openWorld();
    const { paymentUrl } = await create(world);
    const { pathname } = new URL(paymentUrl);
    expect(await page(world, pathname)).toContain("10 000 F CFA");
  });

  it("shows merchant, description, reference, amount and time left, and needs no token", async () => {
    const world = openWorld();
    const { id } = await create(world, { amount: 1_250_000, description: "Tickets", externalId: "order-42" });
    await world.control("POST", "/clock/advance", { by: "12s" });
    const html = await page(world, `/checkout/${id}`);
    for (const shown of ["company_sandbox", "Tickets", "order-42", "1 250 000 F CFA", ">59:48<", "Test mode"])
      expect(html).toContain(shown);
  });

  it("shows the name of a company that has one, even after a reset", async () => {
    const name = `Chez Awa & Fils <b>"`;
    const setup = { ...setupFor("at_shop"), name, balance: 0, frozenAt: 0, profile: {}, fixtures: [] };
    const world = openWorld({ companies: [setup] });
    const token = { authorization: "Bearer at_shop", "x-company-id": "company_shop" };
    await world.control("POST", "/reset");
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest(), token)).body;
    const html = await page(world, `/checkout/${id}`);
    expect(html).toContain(`Chez Awa &amp; Fils &lt;b&gt;&quot;</strong>`);
    expect(html).toContain(`<title>Pay 10 000 F CFA to Chez Awa &amp; Fils`);
    expect(html).not.toContain("company_shop");
  });

  it("offers every test number of the profile, with the outcome of its payment", async () => {
    const world = openWorld({ profile: { testNumbers: { failure: "+221770000009" } } });
    const { id } = await create(world);
    const html = await page(world, `/checkout/${id}`);
    const choices = [...html.matchAll(/data-number="([^"]+)".*?class="effect">([^<]+)</gs)].map(
      ([, ...choice]) => choice,
    );
    expect(choices).toEqual([
      ["+2250700000001", "Pays"],
      ["+221770000009", "Fails: payment declined"],
      ["+2250700000003", "Fails: no answer in time"],
      ["+2250700000004", "Pays (only transfers are late)"],
      ["+2250700000005", "Pays, sends no webhook"],
      ["+2250700000006", "Fails: not enough money"],
      ["+2250700000007", "Refused: no attempt is made"],
      ["+2250700000008", "Fails: identity not verified"],
      ["+2250700000009", "Confirms on the phone after 30 s"],
    ]);
  });

  it("fills the field with a chosen number without a script", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const [, href] = /<a[^>]*class="number failed"[^>]*href="([^"]+)"/.exec(await page(world, `/checkout/${id}`)) ?? [];
    const html = await page(world, new URL(href ?? "", `http://x/checkout/${id}`).href.slice("http://x".length));
    expect(html).toMatch(/<input[^>]*name="msisdn"[^>]*value="\+2250700000002"/);
    expect(html.match(/aria-current="true"[^>]*>\s*<span class="digits">([^<]+)/)?.[1]).toBe("+225 07 00 00 00 02");
  });

  it("escapes all texts of the merchant", async () => {
    const world = openWorld();
    const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&lt;`;
    const { id } = await create(world, { description: hostile, externalId: hostile });
    const html = await page(world, `/checkout/${id}?msisdn=${encodeURIComponent(hostile)}`);
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("<img");
    expect(html.match(/&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;/g)).toHaveLength(3);
  });

  it("shows the beginning of a very long text", async () => {
    const world = openWorld();
    const { id } = await create(world, { description: "😀".repeat(100_000) });
    const html = await page(world, `/checkout/${id}`);
    expect(html).toContain(`${"😀".repeat(200)}…`);
    expect(html.length).toBeLessThan(20_000);
  });

  it("allows nothing inline, nothing from another host, and no frame", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const { headers } = await get(world, `/checkout/${id}`);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self' http: https:; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const html = await page(world, `/checkout/${id}`);
    expect(html).not.toMatch(/ style=|<style| on\w+=/);
  });

  it.each([
    ["fr-CI,fr;q=0.9,en;q=0.8", "fr"],
    ["de, FR;q=0.5", "fr"],
    ["en-GB", "en"],
    ["fr;q=0, en;q=0.1", "en"],
    ["wo", "en"],
    ["", "en"],
    ["fr;q=0.2, en", "en"],
    [";;;q=,,", "en"],
  ])("answers Accept-Language %j in %s", async (accepted, language) => {
    const world = openWorld();
    const { id } = await create(world);
    const { headers } = await get(world, `/checkout/${id}`, { "accept-language": accepted });
    expect(headers.get("content-language")).toBe(language);
    expect(headers.get("vary")).toBe("accept-language");
    const html = await page(world, `/checkout/${id}`, { "accept-language": accepted });
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(language === "fr" ? "Payer 10 000 F CFA" : "Pay 10 000 F CFA");
  });

  it("keeps the language that was chosen on the page", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const html = await page(world, `/checkout/${id}?lang=fr`, { "accept-language": "en" });
    expect(html).toContain("Annuler");
    expect(html).toContain(`href="${id}?msisdn=%2B2250700000001&amp;lang=fr"`);
  });
});

describe("paying on the page", () => {
  it("moves the money and leads to onCompletedRedirectionUrl", async () => {
    const world = openWorld({ balance: 0 });
    const { id } = await create(world);
    const answer = await pay(world, id, "+2250700000010", { attempt: "0" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("https://shop.test/yes");
    expect(await read(world, id)).toMatchObject({
      status: "paid",
      attempts: 1,
      transactions: [{ recipientMsisdn: "2250700000010", status: "completed" }],
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10_000);
  });

  it.each(["07 00 00 00 10", "+225 07.00.00.00.10", "(225) 07-00-00-00-10", "\u00a00700000010"])(
    "takes the number %j",
    async (typed) => {
      const world = openWorld();
      const { id } = await create(world);
      expect((await pay(world, id, typed)).headers.get("location")).toBe("https://shop.test/yes");
      expect((await read(world, id)).transactions[0].recipientMsisdn).toMatch(/^(225)?0700000010$/);
    },
  );

  it("says why an attempt failed, and allows another", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const failed = await pay(world, id, "+2250700000006", { attempt: "0" });
    expect([failed.status, failed.headers.get("location")]).toEqual([303, `${id}?msisdn=%2B2250700000006`]);
    const html = await page(world, `/checkout/${failed.headers.get("location")}`);
    expect(html).toMatch(/<input[^>]*name="msisdn"[^>]*value="\+2250700000006"/);
    expect(html).toContain("The payment did not go through: not enough money");
    expect(html).toContain("No money was taken.");
    const paid = await pay(world, id, "+2250700000001", { attempt: "1" });
    expect(paid.headers.get("location")).toBe("https://shop.test/yes");
    expect(await read(world, id)).toMatchObject({ status: "paid", attempts: 2 });
  });

  it.each([
    ["", 400, "Enter your mobile money number."],
    ["   ", 400, "Enter your mobile money number."],
    ["123", 400, "This is not a phone number"],
    ["<b>0700000001</b>", 400, "This is not a phone number"],
    ["+2250700000007", 422, "does not accept payment requests"],
  ])("keeps the number %j with %i and says what is wrong", async (typed, status, problem) => {
    const world = openWorld();
    const { id } = await create(world);
    const answer = await pay(world, id, typed);
    expect(answer.status).toBe(status);
    const html = await answer.text();
    expect(html).toContain(problem);
    expect(html).toContain('aria-invalid="true"');
    if (/^[+\d]+$/.test(typed)) expect(html).toContain(`value="${typed}"`);
    expect(await read(world, id)).toMatchObject({ status: "due", attempts: 0 });
  });

  it("pays once when the form is sent twice, one after the other or at once", async () => {
    const world = openWorld({ balance: 0 });
    const { id } = await create(world);
    const answers = await Promise.all([1, 2, 3].map(() => pay(world, id, "+2250700000001", { attempt: "0" })));
    const again = await pay(world, id, "+2250700000001", { attempt: "0" });
    for (const answer of [...answers, again]) expect(answer.headers.get("location")).toBe("https://shop.test/yes");
    expect(await read(world, id)).toMatchObject({ paid: 10_000, attempts: 1 });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10_000);
  });

  it("makes one attempt when a form that fails is sent twice", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const answers = await Promise.all([1, 2].map(() => pay(world, id, "+2250700000002", { attempt: "0" })));
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual(
      [1, 2].map(() => `${id}?msisdn=%2B2250700000002`),
    );
    expect((await read(world, id)).attempts).toBe(1);
  });

  it("leads to an address with letters that cannot be in a header", async () => {
    const world = openWorld();
    const { id } = await create(world, { onCompletedRedirectionUrl: "https://shop.test/payé?q=1" });
    expect((await pay(world, id, "+2250700000001")).headers.get("location")).toBe("https://shop.test/pay%C3%A9?q=1");
  });

  it("shows the end of a charge that its first failed attempt drops", async () => {
    const world = openWorld({ profile: { charges: { failedAttempt: "drop" } } });
    const { id } = await create(world);
    expect((await pay(world, id, "+2250700000002")).headers.get("location")).toContain(id);
    const html = await page(world, `/checkout/${id}`);
    expect(html).toContain("Payment closed");
    expect(html).toContain("payment declined");
    expect(html).not.toContain("<form");
  });
});

describe("cancelling on the page", () => {
  it("leads to onCanceledRedirectionUrl, and the charge stays due", async () => {
    const world = openWorld();
    const { id } = await create(world);
    const answer = await send(world, `/checkout/${id}`, { action: "cancel", msisdn: "" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://shop.test/no"]);
    expect(await read(world, id)).toMatchObject({ status: "due", attempts: 0 });
    const { data } = (await world.control("GET", "/events")).body;
    expect(data.map(({ type }: LooseJson) => type)).toContain("charge.payment_cancelled");
    expect((await pay(world, id, "+2250700000001")).headers.get("location")).toBe("https://shop.test/yes");
  });

  it("leads a customer who has already paid to onCompletedRedirectionUrl", async () => {
    const world = openWorld();
    const { id } = await create(world);
    await pay(world, id, "+2250700000001");
    const answer = await send(world, `/checkout/${id}`, { action: "cancel" });
    expect(answer.headers.get("location")).toBe("https://shop.test/yes");
  });
});

describe("a charge that is no longer due", () => {
  it("has a page once it is paid", async () => {
    const world = openWorld();
    const { id } = await create(world);
    await pay(world, id, "+2250700000001");
    const answer = await get(world, `/checkout/${id}`);
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain("Payment complete");
    expect(html).toContain('href="https://shop.test/yes"');
    expect(html).not.toContain("<form");
  });

  it("has a page once its time is over, on the company's clock", async () => {
    const world = openWorld();
    const { id } = await create(world);
    await world.control("POST", "/clock/advance", { by: "59m59s" });
    expect(await page(world, `/checkout/${id}`)).toContain(">0:01<");
    await world.control("POST", "/clock/advance", { by: "1s" });
    const html = await page(world, `/checkout/${id}`);
    expect(html).toContain("Payment link expired");
    expect(html).toContain('href="https://shop.test/no"');
    expect((await pay(world, id, "+2250700000001")).headers.get("location")).toContain(id);
    expect((await send(world, `/checkout/${id}`, { action: "cancel" })).headers.get("location")).toBe(id);
    expect((await read(world, id)).status).toBe("dropped");
  });

  it("has a page once it is dropped by hand", async () => {
    const world = openWorld();
    const { id } = await create(world);
    await world.control("POST", `/charges/${id}/drop`, { reason: "sold out" });
    expect(await page(world, `/checkout/${id}`)).toContain("can no longer be made (sold out)");
  });

  it.each(["constructor", "__proto__"])("shows the reason %s like any other word", async (reason) => {
    const world = openWorld();
    const { id } = await create(world);
    await world.control("POST", `/charges/${id}/drop`, { reason });
    expect(await page(world, `/checkout/${id}`)).toContain(`This payment can no longer be made (${reason}).`);
  });

  it("has a page once it is refunded, in part or in full", async () => {
    const world = openWorld();
    const { id } = await create(world);
    await pay(world, id, "+2250700000001");
    await world.api("POST", `/v1/charges/${id}/refund`, { amount: 2_500 });
    expect(await page(world, `/checkout/${id}`)).toContain("refunded 2 500 F CFA of 10 000 F CFA");
    await world.api("POST", `/v1/charges/${id}/refund`);
    expect(await page(world, `/checkout/${id}`)).toContain("Payment refunded");
    expect((await pay(world, id, "+2250700000001")).headers.get("location")).toContain(id);
  });

  it("has a page when there is no such charge", async () => {
    const world = openWorld();
    for (const path of ["/checkout/00000000-0000-4000-8000-000000000000", "/checkout/%3Cscript%3E", "/checkout/%ff"]) {
      const answer = await get(world, path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain("Payment not found");
    }
    expect((await pay(world, "nothing", "+2250700000001")).status).toBe(404);
  });
});
