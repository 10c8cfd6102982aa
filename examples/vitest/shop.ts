import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { WebhookEvent } from "business-payments-sandbox";
import { parseWebhook, WebhookError } from "business-payments-sandbox/webhooks";
import type { Payments } from "./payments.js";

export interface Order {
  readonly id: string;
  readonly chargeId: string;
  /** Where the customer pays. */
  readonly paymentUrl: string;
  readonly status: "unpaid" | "shipped" | "cancelled" | "returned";
}

export interface Shop {
  readonly url: string;
  order(id: string): Order;
  checkout(id: string, amount: number): Promise<Order>;
  takeBack(id: string): Promise<void>;
  close(): Promise<void>;
}

/** A shop that listens for webhooks: it ships what is paid, and nothing else. */
export async function openShop(payments: Payments, secretKey: string): Promise<Shop> {
  const orders = new Map<string, Order>();
  const find = (id: string): Order => {
    const order = orders.get(id);
    if (order === undefined) throw new Error(`There is no order ${id}.`);
    return order;
  };

  const follow = ({ topic, data }: WebhookEvent): void => {
    if (topic !== "charges/events") return;
    const order = orders.get(data.externalId);
    if (order === undefined) return;
    // An event may come again, and late: what is shipped already stays shipped.
    if (data.status === "paid" && order.status === "unpaid") orders.set(order.id, { ...order, status: "shipped" });
    if (data.status === "dropped" && order.status === "unpaid") orders.set(order.id, { ...order, status: "cancelled" });
    if (data.status === "refunded") orders.set(order.id, { ...order, status: "returned" });
  };

  const receive = async (request: IncomingMessage): Promise<number> => {
    follow(parseWebhook(await buffer(request), request.headers["x-service-hmac-sha256"], secretKey));
    return 204;
  };
  const server = createServer((request, response) => {
    // Whatever is not a 2xx is sent again later.
    receive(request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => response.writeHead(error instanceof WebhookError ? error.status : 500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    order: find,
    async checkout(id, amount) {
      const charge = await payments.createCharge({ id, amount, description: `Order ${id}` });
      const order: Order = { id, chargeId: charge.id, paymentUrl: charge.paymentUrl ?? "", status: "unpaid" };
      orders.set(id, order);
      return order;
    },
    takeBack: async (id) => void (await payments.refund(find(id).chargeId)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
