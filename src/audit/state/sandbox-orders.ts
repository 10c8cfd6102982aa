import * as z from "zod";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Resource, Step } from "../wire/events.js";
import { type Order, type OrderOptions, type Orders, openResource, renderedOrder, topicFor } from "./orders.js";

/** Calls the sandbox that the application uses, as one company. `path` is of the API or of the control API. */
export type SandboxDoor = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; /** The parsed JSON; undefined when there is none. */ readonly body: unknown }>;

/** The sandbox refused to make an order. */
export class OrderRefused extends UsageError {
  constructor(message: string) {
    super("cannot-run", message);
  }
}

const AMOUNT = 10_000;
/** A transfer to it stays pending until the audit completes it. */
const PENDING_NUMBER = "+2250700000003";

/**
 * Orders whose charges and transfers are in the sandbox, so that an application that calls the API finds what the events say. A rule drops the sandbox's own
 * deliveries about them: the application gets only those of the schedule.
 */
export function createSandboxOrders(options: OrderOptions, door: SandboxDoor): Orders {
  return {
    areKnown: true,
    async open(name, family, steps) {
      const opened = await openResource(options, name, family);
      if (name === "unknown") return renderedOrder(options, opened);
      const { resource } = opened;
      return family === "charge"
        ? openCharge(options, door, resource, steps)
        : openTransfer(options, door, resource, steps);
    },
  };
}

/** Its events contain what GET answers: that is what the sandbox sends. */
async function openCharge(
  options: OrderOptions,
  door: SandboxDoor,
  { id, reference }: Resource,
  steps: readonly Step[],
): Promise<Order> {
  const isMadeByApplication = options.order !== undefined;
  return withoutDeliveries(door, isMadeByApplication ? { id } : { externalId: reference }, async () => {
    const due = isMadeByApplication
      ? await ask(charge, door, "GET", `/v1/charges/${encodeURIComponent(id)}`)
      : await createCharge(door, reference);
    const path = encodeURIComponent(due.id);
    const read = (): Promise<ChargeBody> => ask(charge, door, "GET", `/v1/charges/${path}`);
    const { paymentUrl: _, ...before } = await read();
    // Events that never happen to the charge.
    const data = new Map<Step, ChargeBody>([
      ["dropped", { ...before, status: "dropped", droppedReason: "expired" }],
      ["paid", { ...before, status: "paid", due: 0, paid: before["amount"] }],
    ]);
    if (steps.length > 0) {
      await ask(identified, door, "POST", `/_sandbox/charges/${path}/pay`);
      data.set("paid", await read());
    }
    if (steps.includes("refunded")) {
      await ask(identified, door, "POST", `/v1/charges/${path}/refund`);
      data.set("refunded", await read());
    }
    return {
      names: [due.id, due.externalId],
      bodyOf: (delivery) => JSON.stringify({ topic: topicFor(delivery, options.topic), data: data.get(delivery.step) }),
    };
  });
}

async function openTransfer(
  options: OrderOptions,
  door: SandboxDoor,
  resource: Resource,
  steps: readonly Step[],
): Promise<Order> {
  const { reference } = resource;
  return withoutDeliveries(door, { reference }, async () => {
    const request = { type: "transfer", amount: AMOUNT, msisdn: PENDING_NUMBER, reference };
    const sent = await ask(identified, door, "POST", "/v1/transactions", request);
    if (steps.includes("completed")) await ask(identified, door, "POST", `/_sandbox/transactions/${sent.id}/complete`);
    // "a plain UUID in a webhook payload"
    const id = sent.id.replace(/^txn_/, "");
    return renderedOrder(options, { resource: { ...resource, id, names: [id, reference] } });
  });
}

/** The decision of a rule holds for all attempts of a delivery: the rule can be deleted as soon as the events have happened. */
async function withoutDeliveries<T>(door: SandboxDoor, data: object, task: () => Promise<T>): Promise<T> {
  const rule = { name: "held back by the audit", on: "delivery", match: { data }, then: { drop: true } };
  const { id } = await ask(identified, door, "POST", "/_sandbox/rules", rule);
  try {
    return await task();
  } finally {
    await door("DELETE", `/_sandbox/rules/${encodeURIComponent(id)}`);
  }
}

function createCharge(door: SandboxDoor, externalId: string): Promise<ChargeBody> {
  return ask(charge, door, "POST", "/v1/charges", {
    amount: AMOUNT,
    externalId,
    description: "An order of the audit",
    onCanceledRedirectionUrl: "https://audit.test/canceled",
    onCompletedRedirectionUrl: "https://audit.test/completed",
  });
}

const identified = z.looseObject({ id: z.string() });
const charge = z.looseObject({ id: z.string(), externalId: z.string() });
type ChargeBody = z.infer<typeof charge>;

async function ask<T>(schema: z.ZodType<T>, door: SandboxDoor, ...call: Parameters<SandboxDoor>): Promise<T> {
  const answer = await door(...call);
  const parsed = schema.safeParse(answer.body);
  if (answer.status < 300 && parsed.success) return parsed.data;
  const [method, path] = call;
  if (answer.status === 401 && path.startsWith("/_sandbox")) throw new UsageError("cannot-run", NO_ADMIN_TOKEN);
  const shown = JSON.stringify(answer.body ?? null).slice(0, 300);
  throw new OrderRefused(
    `Failed to audit the state: ${method} ${path} of the sandbox answered ${answer.status} ${shown}.`,
  );
}

const NO_ADMIN_TOKEN =
  "Failed to audit the state beside the sandbox: it is guarded. Give its admin token (SANDBOX_ADMIN_TOKEN), or audit without the sandbox (SANDBOX_URL).";

/** Where a sandbox is, and the credentials for it. */
export interface SandboxAddress {
  readonly url: string;
  readonly accessToken: string;
  /** Undefined: the company of the token, and for the control API the first one. */
  readonly companyId: string | undefined;
  readonly adminToken: string | undefined;
  /** Real time for one call. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
}

/** Calls a sandbox over HTTP. Throws UsageError("cannot-run") when it does not answer; redirects are not followed. */
export function createSandboxDoor(address: SandboxAddress): SandboxDoor {
  const { accessToken, companyId, adminToken, timeoutMs, system } = address;
  return async (method, path, body) => {
    const isControl = path.startsWith("/_sandbox");
    const url = new URL(address.url.replace(/\/+$/, "") + path);
    if (isControl && companyId !== undefined) url.searchParams.set("company", companyId);
    const token = isControl ? adminToken : accessToken;
    const abort = new AbortController();
    const cancel = system.after(timeoutMs, () => abort.abort());
    try {
      const answer = await fetch(url, {
        method,
        redirect: "manual",
        signal: abort.signal,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(isControl || companyId === undefined ? {} : { "x-company-id": companyId }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: parseJson(await answer.text()) };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const why = abort.signal.aborted ? `no answer within ${timeoutMs} ms` : cause;
      throw new UsageError("cannot-run", `Failed to reach the sandbox at ${address.url}: ${why}.`);
    } finally {
      cancel();
    }
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
