import type { Charge, ErrorBody } from "business-payments-sandbox";

/** What the shop uses of the payments API. */
export interface Payments {
  /** Amounts in XOF. Throws `PaymentsError` when the API refuses. */
  createCharge(order: { readonly id: string; readonly amount: number; readonly description: string }): Promise<Charge>;
  refund(chargeId: string, amount?: number): Promise<Charge>;
}

export interface PaymentsAccount {
  readonly url: string;
  readonly accessToken: string;
  readonly companyId: string;
}

export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  readonly status: number;

  constructor({ statusCode, message }: ErrorBody) {
    super(message.join("; "));
    this.status = statusCode;
  }
}

export function createPayments({ url, accessToken, companyId }: PaymentsAccount): Payments {
  const post = async (path: string, body: object): Promise<Charge> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${accessToken}`,
        "x-company-id": companyId,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new PaymentsError((await response.json()) as ErrorBody);
    return (await response.json()) as Charge;
  };
  return {
    createCharge: ({ id, amount, description }) =>
      post("/v1/charges", {
        amount,
        description,
        externalId: id,
        onCompletedRedirectionUrl: `https://shop.test/orders/${id}`,
        onCanceledRedirectionUrl: `https://shop.test/orders/${id}/pay`,
      }),
    refund: (chargeId, amount) => post(`/v1/charges/${chargeId}/refund`, amount === undefined ? {} : { amount }),
  };
}
