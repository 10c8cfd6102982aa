import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseWebhook } from "business-payments-sandbox/webhooks";

/**
 * Sells tickets: asks for payment, and issues a ticket for each charge that a webhook says is paid. A webhook may come late, and more than once.
 *
 * @param {{ url: string, accessToken: string, companyId: string, secretKey: string }} account
 */
export async function openBoxOffice({ url, accessToken, companyId, secretKey }) {
  /** @type {Map<string, string>} charge → ticket */
  const tickets = new Map();
  let isDown = false;

  async function receive(request) {
    const { data } = parseWebhook(await buffer(request), request.headers["x-service-hmac-sha256"], secretKey);
    if (isDown) return 503;
    if (data.status === "paid" && !tickets.has(data.id)) tickets.set(data.id, `ticket-${tickets.size + 1}`);
    return 204;
  }

  const server = createServer((request, response) => {
    // Whatever is not a 2xx is sent again later.
    receive(request).then(
      (status) => response.writeHead(status).end(),
      (error) => response.writeHead(error.status ?? 500).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    ticketFor: (chargeId) => tickets.get(chargeId),
    get issued() {
      return tickets.size;
    },
    /** As in a deployment that goes wrong. */
    goDown: () => (isDown = true),
    comeBack: () => (isDown = false),

    /** @returns {Promise<string>} the charge's id */
    async sell(seat, price) {
      const response = await fetch(`${url}/v1/charges`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${accessToken}`,
          "x-company-id": companyId,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          amount: price,
          externalId: `seat-${seat}`,
          description: `Seat ${seat}`,
          onCompletedRedirectionUrl: `https://tickets.test/${seat}`,
          onCanceledRedirectionUrl: `https://tickets.test/${seat}/pay`,
        }),
      });
      if (!response.ok) throw new Error((await response.json()).message.join("; "));
      return (await response.json()).id;
    },

    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
