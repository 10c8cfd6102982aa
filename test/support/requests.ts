/** Valid request bodies. */

let made = 0;

/** A body of POST /v1/charges, with a new `externalId` each time. */
export function chargeRequest(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    amount: 10_000,
    externalId: `order-${++made}`,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
    ...change,
  };
}

/** A body of POST /v1/transactions, with a new `reference` each time. */
export function transferRequest(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { amount: 5_000, msisdn: "+2250700000001", reference: `payout-${++made}`, type: "transfer", ...change };
}
