import { createServer } from "node:https";
import { expect } from "vitest";
import { listen } from "../../support/listen.js";
import { selfSigned } from "../../support/self-signed.js";
import { sign } from "../../support/signature.js";
import {
  createPaidCharge,
  createTransfer,
  settle,
  type SettingCase,
  type SettingWorld,
  subscribe,
} from "./setting-case.js";

async function attemptsWithin(world: SettingWorld, span: string): Promise<number> {
  const receiver = await subscribe(world, "charges/events", { status: 500 });
  await createPaidCharge(world);
  await world.advance(span);
  return receiver.received.length;
}

/** The life of a charge that is paid, refunded in part and then in full, and of one that is dropped. */
async function playCharges(world: SettingWorld): Promise<void> {
  const { id } = await createPaidCharge(world);
  await settle(world);
  await world.api("POST", `/v1/charges/${id}/refund`, { amount: 1 });
  await settle(world);
  await world.api("POST", `/v1/charges/${id}/refund`);
  await settle(world);
  await world.api("POST", "/v1/charges", { ...chargeTerms, externalId: `dropped ${id}` });
  await world.advance("1h");
}

const chargeTerms = {
  amount: 100,
  description: "Socks",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
};

/** What is delivered to receivers, and how often. */
export const webhookCases: readonly SettingCase[] = [
  {
    setting: "webhooks.signatureHeader",
    value: "X-Signature",
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      await createPaidCharge(world);
      await settle(world);
      const [delivery] = await receiver.waitFor(1);
      expect(delivery?.headers["x-signature"]).toBe(sign(delivery?.raw ?? Buffer.alloc(0)));
      expect(delivery?.headers).not.toHaveProperty("x-service-hmac-sha256");
    },
  },
  {
    setting: "webhooks.topicHeader",
    value: "x-topic",
    async shows(world) {
      const receiver = await subscribe(world, "charge/events");
      await createPaidCharge(world);
      await settle(world);
      expect(receiver.received.map(({ headers }) => headers["x-topic"])).toEqual(["charge/events"]);
    },
  },
  ...(["plural", "singular"] as const).map((value): SettingCase => ({
    setting: "webhooks.topicSpelling",
    value,
    async shows(world) {
      const receiver = await world.receiver();
      for (const topic of ["transactions/started", "transaction/started"]) {
        const { body } = await world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
        expect(body.topic).toBe(value === "plural" ? "transactions/started" : "transaction/started");
      }
      await createTransfer(world);
      await settle(world);
      const expected = value === "plural" ? "transactions/started" : "transaction/started";
      expect(receiver.received.map(({ body }) => body.topic)).toEqual([expected, expected]);
    },
  })),
  {
    setting: "webhooks.topicSpelling",
    value: "as-documented",
    async shows(world) {
      const receiver = await world.receiver();
      for (const topic of ["transactions/started", "transaction/started"]) {
        const { body } = await world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
        expect(body.topic).toBe("transaction/started");
        expect((await world.api("GET", `/v1/webhooks/${body.id}`)).body.topic).toBe("transaction/started");
      }
      await createTransfer(world);
      await settle(world);
      expect(receiver.received.map(({ body }) => body.topic)).toEqual(["transactions/started", "transactions/started"]);
    },
  },
  ...(
    [
      [
        ["paid", "dropped"],
        ["paid", "dropped"],
      ],
      [["refunded"], ["refunded"]],
      ["paid, refunded_partially", ["paid", "refunded_partially"]],
      ["none", []],
    ] as const
  ).map(([value, statuses]): SettingCase => ({
    setting: "webhooks.chargeEvents",
    value,
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      await playCharges(world);
      expect(receiver.received.map(({ body }) => body.data.status)).toEqual(statuses);
    },
  })),
  {
    setting: "webhooks.chargePayload",
    value: "slim",
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      const { id } = await createPaidCharge(world);
      await settle(world);
      const { transactions, ...read } = (await world.api("GET", `/v1/charges/${id}`)).body;
      expect(transactions).toHaveLength(1);
      expect(receiver.received.map(({ body }) => body)).toEqual([{ topic: "charges/events", data: read }]);
    },
  },
  {
    setting: "webhooks.duplicateSubscription",
    value: "conflict",
    async shows({ api }) {
      const subscribeTo = (topic: string, url = "https://shop.test/hook") =>
        api("POST", "/v1/webhooks", { topic, url });
      const { id } = (await subscribeTo("charges/events")).body;
      const again = await subscribeTo("charge/events");
      expect(again.status).toBe(409);
      expect(again.body.message).toEqual([
        'A subscription of charge/events to "https://shop.test/hook" already exists',
      ]);
      expect((await subscribeTo("transactions/failed")).status).toBe(201);
      expect((await subscribeTo("charges/events", "https://shop.test/other")).status).toBe(201);
      await api("DELETE", `/v1/webhooks/${id}`);
      expect((await subscribeTo("charges/events")).status).toBe(201);
    },
  },
  {
    setting: "webhooks.retry",
    value: ["1s", 500],
    shows: async (world) => expect(await attemptsWithin(world, "1d")).toBe(3),
  },
  {
    setting: "webhooks.retry",
    value: "none",
    shows: async (world) => expect(await attemptsWithin(world, "1d")).toBe(1),
  },
  {
    setting: "webhooks.retry",
    value: "fast",
    shows: async (world) => expect(await attemptsWithin(world, "3.1s")).toBe(6),
  },
  {
    setting: "webhooks.retry",
    value: "realistic",
    shows: async (world) => expect(await attemptsWithin(world, "3d")).toBe(9),
  },
  {
    setting: "webhooks.timeout",
    value: "20ms",
    waitsByDefault: true,
    async shows(world) {
      await subscribe(world, "charges/events", "hang");
      await createPaidCharge(world);
      await settle(world);
      const { data } = (await world.control("GET", "/deliveries")).body;
      expect(data).toMatchObject([
        { status: "pending", attempts: [{ status: null, error: "timeout: no complete answer within 20 ms" }] },
      ]);
    },
  },
  {
    setting: "webhooks.insecureTls",
    value: true,
    async shows(world) {
      const server = createServer(selfSigned, (_, outgoing) => outgoing.end());
      const url = `https://127.0.0.1:${await listen(server)}`;
      await world.api("POST", "/v1/webhooks", { topic: "charges/events", url });
      await createPaidCharge(world);
      await settle(world);
      expect((await world.control("GET", "/deliveries")).body.data).toMatchObject([{ status: "succeeded" }]);
    },
  },
  {
    setting: "webhooks.allow",
    value: ["127.0.0.1", "10.0.0.0/8"],
    async shows(world) {
      const receiver = await subscribe(world, "charges/events");
      const { status, body } = await world.api("POST", "/v1/webhooks", {
        topic: "charges/events",
        url: "https://shop.test/hook",
      });
      expect(status).toBe(400);
      expect(body.message).toEqual([
        'url must name a host that the setting webhooks.allow lists, got "https://shop.test/hook"',
      ]);
      await createPaidCharge(world);
      await settle(world);
      expect(receiver.received).toHaveLength(1);
      await world.control("PATCH", "/profile", { webhooks: { allow: ["10.0.0.0/8"] } });
      await createPaidCharge(world);
      await settle(world);
      expect(receiver.received).toHaveLength(1);
      const { attempts } = (await world.control("GET", "/deliveries")).body.data.at(-1);
      expect(attempts).toMatchObject([{ error: "refused: webhooks.allow does not permit this host" }]);
    },
  },
];
