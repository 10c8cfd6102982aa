import { expect } from "vitest";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createCharge, createPaidCharge, createTransfer, type SettingCase } from "./setting-case.js";

const CHECK = "/v1/transactions/customers/check";
const noCompany = { "x-company-id": null };

/** How the API answers in general, and what is known of customers. */
export const httpCases: readonly SettingCase[] = [
  {
    setting: "http.createdStatus",
    value: 200,
    async shows(world) {
      const { api } = world;
      expect((await api("POST", "/v1/charges", chargeRequest())).status).toBe(200);
      expect((await createTransfer(world)).status).toBe(200);
      expect((await api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] })).status).toBe(200);
      expect((await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://shop.test" })).status).toBe(
        200,
      );
    },
  },
  {
    setting: "http.actionStatus",
    value: 201,
    async shows(world) {
      const { id } = await createCharge(world);
      expect((await world.api("POST", `/v1/charges/${id}/pay`)).status).toBe(201);
      expect((await world.api("POST", `/v1/charges/${id}/refund`)).status).toBe(201);
    },
  },
  {
    setting: "auth.companyHeader",
    value: "everywhere",
    async shows({ api }) {
      for (const [method, path] of [
        ["GET", "/v1/balance"],
        ["GET", CHECK],
        ["POST", "/v1/transactions"],
        ["POST", "/v1/transactions/batch"],
        ["GET", "/v1/transactions/x"],
        ["POST", "/v1/charges"],
        ["GET", "/v1/charges/x"],
        ["POST", "/v1/charges/x/pay"],
        ["POST", "/v1/charges/x/refund"],
        ["POST", "/v1/webhooks"],
        ["GET", "/v1/webhooks"],
        ["GET", "/v1/webhooks/x"],
        ["DELETE", "/v1/webhooks/x"],
      ] as const) {
        const { status, body } = await api(method, path, undefined, noCompany);
        expect(status).toBe(400);
        expect(body.message).toEqual([
          "X-Company-Id is missing; it must be company_sandbox, the access token's company",
        ]);
      }
      expect((await api("GET", "/v1/balance")).status).toBe(200);
      expect((await api("GET", "/v1/balance", undefined, { "x-company-id": "other" })).status).toBe(403);
    },
  },
  {
    setting: "auth.companyHeader",
    value: "ignored",
    async shows({ api }) {
      for (const header of [null, "other"]) {
        const headers = { "x-company-id": header };
        expect((await api("POST", "/v1/charges", chargeRequest(), headers)).status).toBe(201);
        expect((await api("GET", "/v1/balance", undefined, headers)).status).toBe(200);
      }
    },
  },
  {
    setting: "errors.shape",
    value: "envelope-text",
    async shows({ api }) {
      const { status, body } = await api("GET", "/v1/webhooks?limit=0&cursor=x");
      expect(status).toBe(400);
      expect(body).toMatchObject({
        statusCode: 400,
        error: "Bad Request Exception",
        correlationId: expect.stringMatching(/^[0-9a-f]{32}$/),
        path: "/v1/webhooks",
        timestamp: expect.any(String),
        message:
          'limit must be a whole number from 1 to 100, got "0"; cursor must be the cursor.prev or cursor.next of an earlier answer, got "x"',
      });
      expect((await api("GET", "/nope")).body.message).toBe("There is no GET /nope here");
    },
  },
  {
    setting: "errors.shape",
    value: "message",
    async shows({ api }) {
      const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges/events", url: "x", limit: 1 });
      expect(status).toBe(400);
      expect(body).toEqual({ message: 'url must be an absolute http or https URL, got "x"' });
      const both = (await api("GET", "/v1/webhooks?limit=0&cursor=x")).body.message;
      expect(both).toBe(
        'limit must be a whole number from 1 to 100, got "0"; cursor must be the cursor.prev or cursor.next of an earlier answer, got "x"',
      );
      expect((await api("GET", "/v1/charges/x")).body).toEqual({ message: 'No charge has the id "x"' });
      expect((await api("GET", "/nope")).body).toEqual({ message: "There is no GET /nope here" });
      expect((await api("GET", "/v1/balance", undefined, { authorization: null })).body).toEqual({
        message: "Authorization is missing; it must be: Bearer <access token>",
      });
    },
  },
  {
    setting: "customers.unlisted",
    value: "generated",
    async shows({ api }) {
      const check = async (msisdn: string) => (await api("GET", `${CHECK}?msisdn=${msisdn}`)).body;
      const person = await check("0102030405");
      expect(person).toEqual({
        kycStatus: "complete",
        firstName: expect.stringMatching(/\S/),
        lastName: expect.stringMatching(/\S/),
      });
      expect(person.firstName).not.toBe("unknown");
      for (const way of ["%2B2250102030405", "002250102030405", "+2250102030405", "0102030405"]) {
        expect(await check(way)).toEqual(person);
      }
      const others = await Promise.all(Array.from({ length: 20 }, (_, index) => check(`01020304${10 + index}`)));
      expect(new Set(others.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).size).toBeGreaterThan(10);
      expect((await check("+2250700000008")).kycStatus).toBe("incomplete");
    },
  },
  {
    setting: "customers.subCompanyId",
    value: "refused",
    async shows({ api }) {
      const { status, body } = await api("GET", `${CHECK}?msisdn=x&subCompanyId=c`);
      expect(status).toBe(400);
      expect(body.message).toEqual([
        'msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, got "x"',
        'subCompanyId must be absent: this company has no sub companies, got "c"',
      ]);
      expect((await api("GET", `${CHECK}?msisdn=0102030405`)).status).toBe(200);
    },
  },
  {
    setting: "paging.limitParameter",
    value: "page_size",
    async shows({ api }) {
      const { status, body } = await api("GET", "/v1/webhooks?page_size=0&limit=0");
      expect(status).toBe(400);
      expect(body.message).toEqual(['page_size must be a whole number from 1 to 100, got "0"']);
      expect((await api("GET", "/v1/webhooks?page_size=3")).body).toMatchObject({ limit: 3 });
    },
  },
  {
    setting: "paging.cursorParameter",
    value: "after",
    async shows({ api }) {
      const urls = ["https://a.test/", "https://b.test/"];
      for (const url of urls) await api("POST", "/v1/webhooks", { topic: "charges/events", url });
      const first = (await api("GET", "/v1/webhooks?limit=1")).body;
      const second = (await api("GET", `/v1/webhooks?limit=1&after=${first.cursor.next}`)).body;
      const listed = [first, second].flatMap(({ data }) => data.map(({ url }: { url: string }) => url));
      expect(listed).toEqual(expect.arrayContaining(urls.slice(0, 1)));
      expect(second.data[0].id).not.toBe(first.data[0].id);
    },
  },
  {
    setting: "unknownBody",
    value: "reject",
    async shows(world) {
      const { id } = await createPaidCharge(world);
      const refund = (body?: unknown) => world.api("POST", `/v1/charges/${id}/refund`, body);
      const { status, body } = await refund({ value: 5 });
      expect(status).toBe(400);
      expect(body.message).toEqual(['amount is missing; the body has "value", which nothing reads']);
      const other = await createCharge(world, { externalId: "other" });
      expect((await world.api("POST", `/v1/charges/${other.id}/pay`, { phone: "0700000002" })).status).toBe(400);
      expect((await refund({ amount: 1, note: "damaged" })).status).toBe(200);
      expect((await refund({})).body).toMatchObject({ status: "refunded" });
    },
  },
  {
    setting: "paging.limit",
    value: 2,
    async shows({ api }) {
      for (let index = 0; index < 3; index++)
        await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" });
      const { body } = await api("GET", "/v1/webhooks");
      expect(body).toMatchObject({ count: 2, limit: 2, cursor: { prev: null, next: expect.any(String) } });
      expect((await api("GET", "/v1/webhooks?limit=3")).body).toMatchObject({ count: 3, limit: 3 });
    },
  },
  {
    setting: "rateLimit",
    value: { requests: 2, per: "1m" },
    async shows({ api, advance }) {
      const statuses = [];
      for (let index = 0; index < 3; index++) statuses.push((await api("GET", "/v1/balance")).status);
      expect(statuses).toEqual([200, 200, 429]);
      await advance("59.5s");
      const { headers, body } = await api("POST", "/v1/charges", {});
      expect(headers.get("retry-after")).toBe("1");
      expect(body).toMatchObject({ statusCode: 429, message: ["Too many requests; the next is admitted in 1 s"] });
      await advance("500ms");
      expect((await api("GET", "/v1/balance")).status).toBe(200);
      // Spans follow one another: each has all of its requests, however late those of the last one came.
      await advance("59s");
      expect((await api("GET", "/v1/balance")).status).toBe(200);
      await advance("1s");
      for (let index = 0; index < 2; index++) expect((await api("GET", "/v1/balance")).status).toBe(200);
      await advance("1m");
    },
  },
  {
    setting: "server.bodyLimit",
    value: 100,
    async shows({ api }) {
      const { status, body } = await api("POST", "/v1/charges", chargeRequest());
      expect(status).toBe(413);
      expect(body.message).toEqual(["The body must be at most 100 bytes"]);
      expect((await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" })).status).toBe(201);
    },
  },
  ...(
    [
      ["failure", { status: "due", attempts: 1, transactions: [{ error: "payment_declined" }] }],
      ["pending", { status: "due", attempts: 1, transactions: [{ error: "timeout" }] }],
      ["limit", { status: "due", attempts: 1, transactions: [{ error: "insufficient_funds" }] }],
      ["unverified", { status: "due", attempts: 1, transactions: [{ error: "identity_not_verified" }] }],
      ["refused", { message: ["msisdn 0102030405 does not accept payment requests"] }],
    ] as const
  ).map(([role, expected]): SettingCase => ({
    setting: `testNumbers.${role}`,
    value: "+2250102030405",
    async shows(world) {
      const { id } = await createCharge(world);
      expect((await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "0102030405" })).body).toMatchObject(expected);
    },
  })),
  {
    setting: "testNumbers.success",
    value: "+2250102030405",
    async shows(world) {
      expect((await createPaidCharge(world)).transactions).toMatchObject([{ recipientMsisdn: "2250102030405" }]);
    },
  },
  {
    setting: "testNumbers.late",
    value: "+2250102030405",
    async shows(world) {
      const { id } = (await createTransfer(world, { msisdn: "0102030405" })).body;
      await world.advance("2s");
      expect((await world.api("GET", `/v1/transactions/${id}`)).body.status).toBe("pending");
      await world.advance("10m");
      expect((await world.api("GET", `/v1/transactions/${id}`)).body.status).toBe("completed");
    },
  },
  {
    setting: "testNumbers.confirming",
    value: "+2250102030405",
    async shows(world) {
      const { id } = await createCharge(world);
      expect((await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "0102030405" })).body.status).toBe("due");
      await world.advance("30s");
      expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("paid");
    },
  },
  {
    setting: "testNumbers.silent",
    value: "+2250102030405",
    async shows(world) {
      await world.api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://127.0.0.1:9" });
      await createTransfer(world, { msisdn: "0102030405" });
      expect((await world.control("GET", "/deliveries")).body.count).toBe(0);
    },
  },
];
