import { expect } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import {
  balanceOf,
  createCharge,
  createPaidCharge,
  type SettingCase,
  type SettingWorld,
  subscribe,
  settle,
} from "./setting-case.js";

const read = async ({ api }: SettingWorld, id: string) => (await api("GET", `/v1/charges/${id}`)).body;

/** Money in. */
export const chargeCases: readonly SettingCase[] = [
  {
    setting: "charges.min",
    value: 500,
    async shows({ api }) {
      expect((await api("POST", "/v1/charges", chargeRequest({ amount: 500 }))).status).toBe(201);
      const { body } = await api("POST", "/v1/charges", chargeRequest({ amount: 499 }));
      expect(body.message).toEqual(["amount must be a whole number of XOF from 500 to 200000000, got 499"]);
    },
  },
  {
    setting: "charges.max",
    value: 1_000,
    async shows({ api }) {
      expect((await api("POST", "/v1/charges", chargeRequest({ amount: 1_000 }))).status).toBe(201);
      const { body } = await api("POST", "/v1/charges", chargeRequest({ amount: 1_001 }));
      expect(body.message).toEqual(["amount must be a whole number of XOF from 1 to 1000, got 1001"]);
    },
  },
  {
    setting: "charges.ttl",
    value: "10m",
    async shows(world) {
      const { id } = await createCharge(world);
      await world.advance("9m59.999s");
      expect((await read(world, id)).status).toBe("due");
      await world.advance("1ms");
      expect(await read(world, id)).toMatchObject({ status: "dropped", droppedReason: "expired" });
    },
  },
  {
    setting: "charges.createdAtFormat",
    value: "iso",
    async shows(world) {
      const created = await createCharge(world);
      expect(created.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(created.createdAt).toBe((await read(world, created.id)).createdAt);
    },
  },
  {
    setting: "charges.creationStatus",
    value: "due",
    async shows(world) {
      const created = await createCharge(world);
      expect(created.status).toBe("due");
      expect(created).not.toHaveProperty("droppedReason");
    },
  },
  {
    setting: "charges.fee",
    value: { rate: 0.015, decimals: 2 },
    async shows(world) {
      const before = await balanceOf(world);
      // 9999 × 0.015 = 149.985
      expect(await createPaidCharge(world, { amount: 9_999 })).toMatchObject({
        fees: { currency: "XOF", rate: 0.015, value: 149.99 },
      });
      expect(await balanceOf(world)).toBe(before + 9_999);
    },
  },
  {
    setting: "charges.fee",
    value: { credit: "net" },
    async shows(world) {
      const before = await balanceOf(world);
      const { id, fees } = await createPaidCharge(world);
      expect(fees).toEqual({ currency: "XOF", rate: 0.01, value: 100 });
      expect(await balanceOf(world)).toBe(before + 9_900);
      await world.api("POST", `/v1/charges/${id}/refund`);
      expect(await balanceOf(world)).toBe(before - 100);
    },
  },
  {
    setting: "charges.failedAttempt",
    value: "drop",
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      const { id } = await createCharge(world);
      const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000002" });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: "dropped",
        droppedReason: "payment_declined",
        attempts: 1,
        webRedirectionUrl: "https://shop.test/no",
      });
      await settle(world);
      expect(receiver.received.map((one) => one.body.data.status)).toEqual(["dropped"]);
      expect((await world.api("POST", `/v1/charges/${id}/pay`)).status).toBe(422);
    },
  },
  {
    setting: "charges.droppedReason",
    value: "abandoned",
    async shows(world) {
      const { id } = await createCharge(world);
      await world.advance("1h");
      expect(await read(world, id)).toMatchObject({ status: "dropped", droppedReason: "abandoned" });
    },
  },
  {
    setting: "charges.payNotDue",
    value: 409,
    async shows(world) {
      const { id } = await createPaidCharge(world);
      const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`);
      expect(status).toBe(409);
      expect(body).toMatchObject({
        error: "Conflict Exception",
        message: ["The charge is paid; only a charge that is due can be paid"],
      });
    },
  },
  {
    setting: "charges.payField",
    value: "phone_number",
    async shows(world) {
      const { id } = await createCharge(world);
      const pay = (body: object) => world.api("POST", `/v1/charges/${id}/pay`, body);
      expect((await pay({ phone_number: "12" })).body.message).toEqual([
        'phone_number must be a phone number: a string of 8 to 15 digits after an optional + or 00, got "12"',
      ]);
      const failed = (await pay({ phone_number: "+2250700000002" })).body;
      expect(failed).toMatchObject({ status: "due", transactions: [{ recipientMsisdn: "2250700000002" }] });
      expect((await pay({ msisdn: "+2250700000002" })).body.status).toBe("paid");
    },
  },
  {
    setting: "charges.failedRedirection",
    value: "completed",
    async shows(world) {
      const { id } = await createCharge(world, { onCompletedRedirectionUrl: "https://shop.test/back" });
      const pay = async (msisdn: string) => (await world.api("POST", `/v1/charges/${id}/pay`, { msisdn })).body;
      expect(await pay("+2250700000002")).toMatchObject({
        status: "due",
        webRedirectionUrl: "https://shop.test/back",
      });
      expect(await pay("+2250700000001")).toMatchObject({
        status: "paid",
        webRedirectionUrl: "https://shop.test/back",
      });
    },
  },
  {
    setting: "charges.payEndpoint",
    value: "absent",
    async shows(world) {
      const { id } = await createCharge(world);
      const path = `/v1/charges/${id}/pay`;
      for (const body of [undefined, {}, "not json", { msisdn: "x" }]) {
        const answer = await world.api("POST", path, body, { "x-company-id": "company_other" });
        expect(answer.status).toBe(404);
        expect(answer.body.message).toEqual([`There is no POST ${path} here: charges.payEndpoint is absent`]);
      }
      expect(await read(world, id)).toMatchObject({ status: "due", attempts: 0 });
    },
  },
  ...(["refunded", "paid"] as const).map((value): SettingCase => ({
    setting: "charges.partialStatusOnRead",
    value,
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      const { id } = await createPaidCharge(world);
      const refund = await world.api("POST", `/v1/charges/${id}/refund`, { amount: 1 });
      expect(refund.body.status).toBe("refunded_partially");
      expect(await read(world, id)).toMatchObject({ status: value, refunded: 1 });
      await settle(world);
      expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid", "refunded_partially"]);
      expect((await world.api("POST", `/v1/charges/${id}/refund`)).body.status).toBe("refunded");
    },
  })),
  {
    setting: "charges.paymentUrlOnRead",
    value: true,
    async shows(world) {
      const { id, paymentUrl } = await createCharge(world);
      expect((await read(world, id)).paymentUrl).toBe(paymentUrl);
      const paid = await world.api("POST", `/v1/charges/${id}/pay`);
      expect(paid.body).not.toHaveProperty("paymentUrl");
    },
  },
  {
    setting: "charges.service",
    value: "djamo",
    async shows(world) {
      const { id, transactions } = await createPaidCharge(world);
      expect(transactions).toMatchObject([{ service: "djamo" }]);
      const refund = await world.api("POST", `/v1/charges/${id}/refund`);
      expect(refund.body.transactions).toMatchObject([{ service: "djamo" }, { service: "djamo" }]);
    },
  },
  {
    setting: "refunds.amountField",
    value: "value",
    async shows(world) {
      const { id } = await createPaidCharge(world);
      const refund = (body: object) => world.api("POST", `/v1/charges/${id}/refund`, body);
      expect((await refund({ value: 0 })).body.message).toEqual([
        "value must be a whole number of XOF from 1 to 225179981368, got 0",
      ]);
      expect((await refund({ value: 5 })).body).toMatchObject({ status: "refunded_partially", refunded: 5 });
      expect((await refund({ amount: 5 })).body).toMatchObject({ status: "refunded" });
    },
  },
  {
    setting: "refunds.aboveLeft",
    value: 422,
    async shows(world) {
      const { id } = await createPaidCharge(world, { amount: 10_000 });
      const refund = (amount: number) => world.api("POST", `/v1/charges/${id}/refund`, { amount });
      expect((await refund(6_000)).status).toBe(200);
      const { status, body } = await refund(10_000);
      expect(status).toBe(422);
      expect(body.message).toEqual(["amount must be at most what is left to refund, 4000 XOF, got 10000"]);
      expect((await refund(10_001)).status).toBe(400);
      expect((await refund(4_000)).body.status).toBe("refunded");
    },
  },
  {
    setting: "refunds.further",
    value: "refused",
    async shows(world) {
      const { id } = await createPaidCharge(world);
      const refund = (body?: unknown) => world.api("POST", `/v1/charges/${id}/refund`, body);
      expect((await refund({ amount: 1 })).status).toBe(200);
      for (const request of [undefined, { amount: 1 }, { amount: 99_999 }]) {
        const { status, body } = await refund(request);
        expect(status).toBe(422);
        expect(body.message).toEqual([
          "The charge is refunded_partially; refunds.further is refused, so one refund is all",
        ]);
      }
    },
  },
  {
    setting: "refunds.insufficientBalance",
    value: "reject",
    async shows(world) {
      const { id } = await createPaidCharge(world);
      await world.control("PUT", "/balance", { balance: 9_999 });
      const refund = (body?: unknown) => world.api("POST", `/v1/charges/${id}/refund`, body);
      const { status, body } = await refund();
      expect(status).toBe(422);
      expect(body.message).toEqual(["The balance is 9999 XOF; 10000 XOF are needed for this refund"]);
      expect(await read(world, id)).toMatchObject({ status: "paid", refunded: 0 });
      expect((await refund({ amount: 9_999 })).status).toBe(200);
      expect(await balanceOf(world)).toBe(0);
    },
  },
];
