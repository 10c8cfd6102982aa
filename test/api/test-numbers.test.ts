import { describe, expect, it } from "vitest";
import { type ApiWorld, describeApi, useWorlds } from "../support/describe-api.js";
import { startReceiver, type Receiver } from "../support/receiver.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

/** The table of test numbers in the README, every cell. */
interface Role {
  readonly key: string;
  /** The number as dialled within the country. The table has it with +225. */
  readonly national: string;
  readonly transfer: { readonly status: string; readonly failureReason?: string | null } | "refused";
  readonly lateMinutes?: number;
  readonly payment: { readonly status: string; readonly error: string | null } | "refused";
  /** How long the charge stays due before the payment is confirmed. */
  readonly confirmedAfter?: string;
  readonly kycStatus: string;
}

const paid = { status: "paid", error: null };
const completed = { status: "completed", failureReason: null };
const due = (error: string) => ({ status: "due", error });
const failed = (failureReason: string) => ({ status: "failed", failureReason });

const roles: readonly Role[] = [
  { key: "success", national: "0700000001", transfer: completed, payment: paid, kycStatus: "complete" },
  {
    key: "failure",
    national: "0700000002",
    transfer: failed("recipient_unreachable"),
    payment: due("payment_declined"),
    kycStatus: "complete",
  },
  {
    key: "pending",
    national: "0700000003",
    transfer: { status: "pending" },
    payment: due("timeout"),
    kycStatus: "complete",
  },
  { key: "late", national: "0700000004", transfer: completed, lateMinutes: 10, payment: paid, kycStatus: "complete" },
  { key: "silent", national: "0700000005", transfer: completed, payment: paid, kycStatus: "complete" },
  {
    key: "limit",
    national: "0700000006",
    transfer: failed("limit_exceeded"),
    payment: due("insufficient_funds"),
    kycStatus: "complete",
  },
  { key: "refused", national: "0700000007", transfer: "refused", payment: "refused", kycStatus: "unknown" },
  {
    key: "unverified",
    national: "0700000008",
    transfer: failed("identity_not_verified"),
    payment: due("identity_not_verified"),
    kycStatus: "incomplete",
  },
  {
    key: "confirming",
    national: "0700000009",
    transfer: completed,
    payment: paid,
    confirmedAfter: "30s",
    kycStatus: "complete",
  },
  { key: "any other", national: "0700000099", transfer: completed, payment: paid, kycStatus: "unknown" },
];

const waysToWrite = (national: string): readonly string[] =>
  ["+225", "00225", "225", "", "+", "00"].map((prefix) => prefix + national);

async function expectTransfer({ api, advance }: ApiWorld, msisdn: string, { transfer, lateMinutes = 0 }: Role) {
  const created = await api("POST", "/v1/transactions", transferRequest({ msisdn }));
  if (transfer === "refused") {
    expect(created.status).toBe(422);
    expect(created.body.message).toEqual([`msisdn ${msisdn} does not accept transfers`]);
    return;
  }
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ status: "pending", msisdn });
  const read = async () => (await api("GET", `/v1/transactions/${created.body.id}`)).body;
  await advance(`${lateMinutes}m1.999s`);
  expect(await read()).toMatchObject({ status: "pending", failureReason: null });
  await advance("1ms");
  expect(await read()).toMatchObject({ ...transfer, msisdn });
  await advance("30d");
  expect(await read()).toMatchObject(transfer);
}

async function expectPayment({ api, advance }: ApiWorld, msisdn: string, { payment, confirmedAfter }: Role) {
  const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
  const { status, body } = await api("POST", `/v1/charges/${id}/pay`, { msisdn });
  if (payment === "refused") {
    expect(status).toBe(422);
    expect(body.message).toEqual([`msisdn ${msisdn} does not accept payment requests`]);
    return;
  }
  expect(status).toBe(200);
  const read = async () => (await api("GET", `/v1/charges/${id}`)).body;
  if (confirmedAfter !== undefined) {
    expect(body).toMatchObject({ status: "due", attempts: 1, transactions: [] });
    await advance("29.999s");
    expect((await read()).status).toBe("due");
    await advance("1ms");
  }
  expect(confirmedAfter === undefined ? body : await read()).toMatchObject({
    status: payment.status,
    attempts: 1,
    transactions: [{ status: payment.error === null ? "completed" : "failed", error: payment.error, type: "payment" }],
  });
}

describeApi("the test number", (open) => {
  describe.each(roles)("$key", (role) => {
    it.each(waysToWrite(role.national))("decides a transfer to %s", async (msisdn) => {
      await expectTransfer(await open(), msisdn, role);
    });

    it("decides a transfer in a batch", async () => {
      const { api, advance } = await open();
      const item = transferRequest({ msisdn: `+225${role.national}` });
      const { status, body } = await api("POST", "/v1/transactions/batch", { transactions: [transferRequest(), item] });
      if (role.transfer === "refused") {
        expect(status).toBe(422);
        expect(body.message).toEqual([`transactions[1].msisdn +225${role.national} does not accept transfers`]);
        return;
      }
      await advance("1h");
      expect((await api("GET", `/v1/transactions/${body.transactions[1].id}`)).body).toMatchObject(role.transfer);
      expect((await api("GET", `/v1/transactions/${body.transactions[0].id}`)).body.status).toBe("completed");
    });

    it("decides a payment, however it is written", async () => {
      const world = await open();
      for (const msisdn of waysToWrite(role.national)) await expectPayment(world, msisdn, role);
    });

    it("decides a customer check, however it is written", async () => {
      const { api } = await open();
      for (const msisdn of waysToWrite(role.national)) {
        const { status, body } = await api("GET", `/v1/transactions/customers/check?msisdn=${msisdn}`);
        expect(status).toBe(200);
        expect(body.kycStatus).toBe(role.kycStatus);
        const isNobody = role.kycStatus === "unknown";
        expect([body.firstName === "unknown", body.lastName === "unknown"]).toEqual([isNobody, isNobody]);
      }
    });
  });
});

describeApi("a test number that the profile changes", (open) => {
  it.each(roles.slice(0, -1))("$key has its effect at the new number alone", async (role) => {
    const world = await open();
    // Eight digits: the shortest number there is.
    const number = "77665544";
    const { status } = await world.control("PATCH", "/profile", { testNumbers: { [role.key]: `+225${number}` } });
    expect(status).toBe(200);
    for (const msisdn of waysToWrite(number)) {
      await expectTransfer(world, msisdn, role);
      await expectPayment(world, msisdn, role);
      expect((await world.api("GET", `/v1/transactions/customers/check?msisdn=${msisdn}`)).body.kycStatus).toBe(
        role.kycStatus,
      );
    }
    const ordinary = roles.at(-1)!;
    await expectTransfer(world, `+225${role.national}`, ordinary);
    await expectPayment(world, `+225${role.national}`, ordinary);
  });

  it("pays automatically when it is the success number", async () => {
    const { api } = await open({ profile: { testNumbers: { success: "+33612345678" } } });
    const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
    expect((await api("POST", `/v1/charges/${id}/pay`)).body.transactions[0].recipientMsisdn).toBe("33612345678");
  });
});

describe("the silent number", () => {
  const open = useWorlds();
  let receiver: Receiver | undefined;

  it("causes no webhook, while others do", async () => {
    receiver = await startReceiver();
    const { api, control, advance } = await open();
    for (const topic of ["transactions/started", "transactions/completed", "charges/events"]) {
      await api("POST", "/v1/webhooks", { topic, url: receiver.url });
    }
    for (const msisdn of ["+2250700000005", "+2250700000001"]) {
      await api("POST", "/v1/transactions", transferRequest({ msisdn }));
      const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
      await api("POST", `/v1/charges/${id}/pay`, { msisdn });
      await api("POST", `/v1/charges/${id}/refund`, { amount: 1 });
      await advance("2s");
    }
    expect(receiver.received.map(({ body }) => [body.topic, body.data.status])).toEqual(
      expect.arrayContaining([
        ["transactions/started", "pending"],
        ["transactions/completed", "completed"],
        ["charges/events", "paid"],
        ["charges/events", "refunded_partially"],
      ]),
    );
    expect(receiver.received).toHaveLength(4);
    expect(receiver.received.filter(({ raw }) => raw.includes("2250700000005"))).toEqual([]);
    expect((await control("GET", "/deliveries")).body.count).toBe(4);
    // Both happened nevertheless, and have events.
    const events = (await control("GET", "/events?limit=100")).body.data.map(({ type }: { type: string }) => type);
    expect(events.filter((type: string) => type === "charge.paid")).toHaveLength(2);
    expect(events.filter((type: string) => type === "transaction.completed")).toHaveLength(2);
  });
});
