import { expect } from "vitest";
import { transferRequest } from "../../support/requests.js";
import { balanceOf, createTransfer, readTransfer, settle, type SettingCase, subscribe } from "./setting-case.js";

const FAILS = "+2250700000002";

/** Money out. */
export const transferCases: readonly SettingCase[] = [
  {
    setting: "transfers.min",
    value: 100,
    async shows(world) {
      expect((await createTransfer(world, { amount: 100 })).status).toBe(201);
      const { status, body } = await createTransfer(world, { amount: 99 });
      expect(status).toBe(400);
      expect(body.message).toEqual(["amount must be a whole number of XOF from 100 to 500000, got 99"]);
      const batch = { transactions: [transferRequest({ amount: 100 }), transferRequest({ amount: 99 })] };
      expect((await world.api("POST", "/v1/transactions/batch", batch)).body.message).toEqual([
        "transactions[1].amount must be a whole number of XOF from 100 to 500000, got 99",
      ]);
    },
  },
  {
    setting: "transfers.max",
    value: 600_000,
    async shows(world) {
      expect((await createTransfer(world, { amount: 600_000 })).status).toBe(201);
      const { body } = await createTransfer(world, { amount: 600_001 });
      expect(body.message).toEqual(["amount must be a whole number of XOF from 5000 to 600000, got 600001"]);
    },
  },
  {
    setting: "transfers.fee",
    value: { rate: 0.02, fixed: 10.5, decimals: 0 },
    async shows(world) {
      // 5051 × 0.02 + 10.5 = 111.52
      expect((await createTransfer(world, { amount: 5_051 })).body).toMatchObject({ fee: 112, totalAmount: 5_163 });
    },
  },
  {
    setting: "transfers.fee",
    value: { fixed: 0.0001, decimals: 4 },
    async shows(world) {
      expect((await createTransfer(world, { amount: 5_051 })).body).toMatchObject({
        fee: 50.5101,
        totalAmount: 5_101.5101,
      });
    },
  },
  {
    setting: "transfers.fee",
    value: { rate: 0 },
    async shows(world) {
      const before = await balanceOf(world);
      expect((await createTransfer(world, { amount: 5_051 })).body).toMatchObject({ fee: 0, totalAmount: 5_051 });
      await world.advance("2s");
      expect(await balanceOf(world)).toBe(before - 5_051);
    },
  },
  {
    setting: "transfers.settlement",
    value: { after: "1h" },
    async shows(world) {
      const { id } = (await createTransfer(world)).body;
      await world.advance("59m59.999s");
      expect((await readTransfer(world, id)).status).toBe("pending");
      await world.advance("1ms");
      expect((await readTransfer(world, id)).status).toBe("completed");
    },
  },
  {
    setting: "transfers.settlement",
    value: "immediate",
    async shows(world) {
      const created = (await createTransfer(world)).body;
      expect(created).toMatchObject({ status: "pending", updatedAt: created.createdAt });
      expect(created).not.toHaveProperty("failureReason");
      expect((await readTransfer(world, created.id)).status).toBe("completed");
      const failed = (await createTransfer(world, { msisdn: FAILS })).body;
      expect(failed.status).toBe("pending");
      expect(await readTransfer(world, failed.id)).toMatchObject({
        status: "failed",
        failureReason: "recipient_unreachable",
      });
      const late = (await createTransfer(world, { msisdn: "+2250700000004" })).body;
      expect((await readTransfer(world, late.id)).status).toBe("pending");
      await world.advance("10m");
      expect((await readTransfer(world, late.id)).status).toBe("completed");
    },
  },
  {
    setting: "transfers.settlement",
    value: { polls: 3 },
    async shows(world) {
      const { id } = (await createTransfer(world)).body;
      const other = (await createTransfer(world, { msisdn: FAILS })).body;
      await world.advance("30d");
      const statuses = [];
      for (let poll = 0; poll < 4; poll++) statuses.push((await readTransfer(world, id)).status);
      expect(statuses).toEqual(["pending", "pending", "completed", "completed"]);
      for (let poll = 0; poll < 2; poll++) expect((await readTransfer(world, other.id)).status).toBe("pending");
      expect((await readTransfer(world, other.id)).status).toBe("failed");
    },
  },
  {
    setting: "transfers.settlement",
    value: "manual",
    async shows(world) {
      const [first, second] = [(await createTransfer(world)).body, (await createTransfer(world)).body];
      await world.advance("30d");
      expect((await readTransfer(world, first.id)).status).toBe("pending");
      expect((await world.control("POST", `/transactions/${first.id}/complete`)).status).toBe(200);
      expect((await readTransfer(world, first.id)).status).toBe("completed");
      expect(
        (await world.control("POST", `/transactions/${second.id}/fail`, { reason: "account_closed" })).status,
      ).toBe(200);
      expect(await readTransfer(world, second.id)).toMatchObject({ status: "failed", failureReason: "account_closed" });
    },
  },
  {
    setting: "transfers.duplicateReference",
    value: "allow",
    async shows(world) {
      const [first, second] = [
        await createTransfer(world, { reference: "same" }),
        await createTransfer(world, { reference: "same" }),
      ];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.id).not.toBe(first.body.id);
      const batch = { transactions: [transferRequest({ reference: "same" }), transferRequest({ reference: "same" })] };
      expect((await world.api("POST", "/v1/transactions/batch", batch)).status).toBe(201);
    },
  },
  {
    setting: "transfers.insufficientBalance",
    value: "fail",
    async shows(world) {
      const topics = ["transactions/started", "transactions/failed"];
      const receivers = [await subscribe(world, topics[0]!), await subscribe(world, topics[1]!)];
      await world.control("PUT", "/balance", { balance: 5_049.99 });
      const { status, body } = await createTransfer(world);
      expect(status).toBe(201);
      expect(body.status).toBe("pending");
      expect(await balanceOf(world)).toBe(5_049.99);
      await world.advance("2s");
      expect(await readTransfer(world, body.id)).toMatchObject({
        status: "failed",
        failureReason: "insufficient_balance",
      });
      expect(await balanceOf(world)).toBe(5_049.99);
      expect(receivers.map(({ received }) => received.length)).toEqual([1, 1]);

      await world.control("PUT", "/balance", { balance: 5_050 });
      const batch = { transactions: [transferRequest(), transferRequest()] };
      const { transactions } = (await world.api("POST", "/v1/transactions/batch", batch)).body;
      expect(await balanceOf(world)).toBe(0);
      await world.advance("2s");
      expect((await readTransfer(world, transactions[0].id)).status).toBe("completed");
      expect((await readTransfer(world, transactions[1].id)).failureReason).toBe("insufficient_balance");
    },
  },
  {
    setting: "transfers.unknownRecipient",
    value: "reject",
    async shows(world) {
      const { status, body } = await createTransfer(world, { msisdn: "0102030405" });
      expect(status).toBe(422);
      expect(body.message).toEqual(["msisdn 0102030405 does not accept transfers"]);
      await world.control("PUT", "/customers/0102030405", {
        firstName: "Awa",
        lastName: "Koné",
        kycStatus: "complete",
      });
      expect((await createTransfer(world, { msisdn: "0102030405" })).status).toBe(201);
      expect((await createTransfer(world, { msisdn: "+2250700000001", reference: "known" })).status).toBe(201);
    },
  },
  {
    setting: "transfers.unknownRecipient",
    value: "fail",
    async shows(world) {
      const { id } = (await createTransfer(world, { msisdn: "0102030405" })).body;
      await world.advance("2s");
      const failed = { status: "failed", failureReason: "recipient_unreachable" };
      expect(await readTransfer(world, id)).toMatchObject(failed);
      await world.control("PATCH", "/profile", { customers: { unlisted: "generated" } });
      const other = (await createTransfer(world, { msisdn: "0102030405", reference: "known" })).body;
      await world.advance("2s");
      expect(await readTransfer(world, other.id)).toMatchObject({ status: "completed" });
      await world.control("PATCH", "/profile", { customers: { unlisted: null } });
    },
  },
  {
    setting: "transfers.debit",
    value: "on-completion",
    async shows(world) {
      await world.control("PUT", "/balance", { balance: 6_000 });
      const [first, second] = [(await createTransfer(world)).body, (await createTransfer(world)).body];
      const failing = (await createTransfer(world, { msisdn: FAILS })).body;
      expect(await balanceOf(world)).toBe(6_000);
      await world.advance("2s");
      expect((await readTransfer(world, first.id)).status).toBe("completed");
      expect(await readTransfer(world, second.id)).toMatchObject({
        status: "failed",
        failureReason: "insufficient_balance",
      });
      expect((await readTransfer(world, failing.id)).failureReason).toBe("recipient_unreachable");
      expect(await balanceOf(world)).toBe(950);
    },
  },
  {
    setting: "transfers.webhookId",
    value: "prefixed",
    async shows(world) {
      const receiver = await subscribe(world, "transactions/started");
      const { id } = (await createTransfer(world)).body;
      const batch = (await world.api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] })).body;
      await settle(world);
      expect(receiver.received.map(({ body }) => [body.data.id, body.data.batchId])).toEqual(
        expect.arrayContaining([
          [id, undefined],
          [batch.transactions[0].id, batch.id],
        ]),
      );
    },
  },
  {
    setting: "batch.maxItems",
    value: 2,
    async shows({ api }) {
      const send = (count: number) =>
        api("POST", "/v1/transactions/batch", { transactions: Array.from({ length: count }, () => transferRequest()) });
      expect((await send(2)).status).toBe(201);
      const { status, body } = await send(3);
      expect(status).toBe(400);
      expect(body.message).toEqual(["transactions must be a list of 1 to 2 transactions, got a list of 3"]);
    },
  },
  {
    setting: "batch.itemType",
    value: "required",
    async shows({ api }) {
      const { type: _, ...item } = transferRequest();
      const { status, body } = await api("POST", "/v1/transactions/batch", { transactions: [transferRequest(), item] });
      expect(status).toBe(400);
      expect(body.message).toEqual(['transactions[1].type must be "transfer", but it is missing']);
      expect((await api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] })).status).toBe(201);
    },
  },
  {
    setting: "batch.totalAmount",
    value: "without-fees",
    async shows({ api }) {
      const transactions = [transferRequest({ amount: 5_050 }), transferRequest({ amount: 6_000, reference: "b" })];
      const { body } = await api("POST", "/v1/transactions/batch", { transactions });
      expect(body).toMatchObject({ totalAmount: 11_050, totalFee: 110.5 });
    },
  },
  {
    setting: "batch.finalStatus",
    value: "done",
    async shows({ api, control, advance }) {
      await api("POST", "/v1/transactions/batch", {
        transactions: [transferRequest(), transferRequest({ msisdn: FAILS })],
      });
      const statuses = async () =>
        (await control("GET", "/batches")).body.data.map(({ status }: { status: string }) => status);
      expect(await statuses()).toEqual(["processing"]);
      await advance("2s");
      expect(await statuses()).toEqual(["done"]);
      expect((await control("GET", "/batches?status=done")).body.count).toBe(1);
    },
  },
];
