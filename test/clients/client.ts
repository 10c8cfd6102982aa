import type { Live } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson, WorldOptions } from "../support/world.js";
import { verifySignature } from "../../src/webhooks.js";
import type { Reply, ReplyTo } from "../support/receiver.js";

/** A small program that uses the API, and what the sandbox must find about it. */
export interface Client {
  readonly name: string;
  /** The kinds of findings, each as often as it is found. */
  readonly finds: readonly string[];
  readonly options?: WorldOptions;
  readonly run: (api: Api) => Promise<unknown>;
}

/** Calls that the programs share. A status is undefined when no answer came. */
export interface Api {
  readonly live: Live;
  readonly pay: (reference: string, change?: object) => Promise<number | undefined>;
  readonly payBatch: (items: readonly object[]) => Promise<LooseJson>;
  readonly charge: (change?: Readonly<Record<string, unknown>>) => Promise<LooseJson>;
  readonly paidCharge: (amount: number) => Promise<string>;
  readonly refund: (charge: string, body?: object) => Promise<number | undefined>;
  /** Loses the next answer on this path, after the work was done or instead of it. */
  readonly loseNext: (path: string, then?: object) => Promise<void>;
  /** Acknowledges every event, or replies as given. */
  readonly listen: (reply?: Reply | ReplyTo) => Promise<unknown>;
}

export const PAYEE = "+2250700000010";
const topics = ["transactions/started", "transactions/completed", "transactions/failed", "charges/events"];

export function createApi(live: Live): Api {
  const tried = (path: string, body?: unknown): Promise<LooseJson> =>
    live.http("POST", path, body).catch(() => undefined);
  return {
    live,
    pay: async (reference, change = {}) =>
      (await tried("/v1/transactions", { amount: 10_000, msisdn: PAYEE, reference, type: "transfer", ...change }))
        ?.status,
    payBatch: async (items) =>
      (
        await tried("/v1/transactions/batch", {
          transactions: items.map((item) => ({ amount: 10_000, msisdn: PAYEE, type: "transfer", ...item })),
        })
      )?.body,
    charge: async (change = {}) => tried("/v1/charges", chargeRequest(change)),
    paidCharge: async (amount) => {
      const { id } = await live.createCharge({ amount });
      await live.ok("POST", `/v1/charges/${id}/pay`);
      return String(id);
    },
    refund: async (charge, body) => (await tried(`/v1/charges/${charge}/refund`, body))?.status,
    loseNext: async (path, then = { fault: "reset", commit: true }) => {
      await live.control("POST", "/rules", { on: "request", match: { method: "POST", path }, then, times: 1 });
    },
    listen: async (reply = {}) => {
      const [first, ...others] = topics;
      const receiver = await live.receiverFor(String(first), reply);
      for (const topic of others) await live.subscribe(topic, receiver.url);
      return receiver;
    },
  };
}

/** A receiver that refuses what was not signed with the company's key. */
export const checksSignatures: ReplyTo = ({ raw, headers }) => ({
  status: verifySignature(raw, String(headers["x-service-hmac-sha256"]), "secret_sandbox") ? 200 : 401,
});
