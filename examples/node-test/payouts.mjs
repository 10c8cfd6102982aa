import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseWebhook } from "business-payments-sandbox/webhooks";

/**
 * Pays the sellers of a marketplace in one batch, and learns the outcome from webhooks.
 *
 * @param {{ url: string, accessToken: string, companyId: string, secretKey: string }} account
 */
export async function openPayouts({ url, accessToken, companyId, secretKey }) {
  /** @type {Map<string, { status: "pending" | "completed" | "failed", reason: string | null }>} by reference */
  const payouts = new Map();

  async function post(path, body) {
    const headers = {
      authorization: `Bearer ${accessToken}`,
      "x-company-id": companyId,
      "content-type": "application/json",
    };
    return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async function receive(request) {
    const { data } = parseWebhook(await buffer(request), request.headers["x-service-hmac-sha256"], secretKey);
    const isOver = ["completed", "failed"].includes(payouts.get(data.reference)?.status);
    // A webhook may come twice, or after a later one: what is over stays over.
    if (!isOver) payouts.set(data.reference, { status: data.status, reason: data.failureReason });
    return 204;
  }

  const server = createServer((request, response) => {
    // The service retries a webhook after any status but 2xx.
    receive(request).then(
      (status) => response.writeHead(status).end(),
      (error) => response.writeHead(error.status ?? 500).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    find: (reference) => payouts.get(reference),

    /** @param {{ reference: string, msisdn: string, amount: number }[]} sellers amounts in XOF */
    async payOut(sellers) {
      const response = await post("/v1/transactions/batch", { transactions: sellers });
      if (!response.ok) throw new Error((await response.json()).message.join("; "));
      // A webhook may come before the answer.
      for (const { reference } of sellers)
        if (!payouts.has(reference)) payouts.set(reference, { status: "pending", reason: null });
    },

    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
