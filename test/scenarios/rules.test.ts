import { expect, it } from "vitest";
import { replayText } from "../support/scenarios.js";

it("rules of a scenario choose by nth, hold webhooks, forge the first copy and lose acknowledgements", async () => {
  const { failures, outcome } = await replayText(`
    given:
      webhooks: [{ topic: charges/events }]
      charges:
        - { id: one, externalId: order-1, amount: 100, description: A, status: due }
        - { id: two, externalId: order-2, amount: 200, description: B, status: due }
      rules:
        - { on: request, match: { path: /v1/balance, nth: 2 }, then: { status: 503 }, times: 1 }
        - { on: delivery, match: { topic: charges/events, nth: 1 }, then: { hold: next }, times: 1 }
        - { on: delivery, match: { data: { id: two }, nth: 1 }, then: { loseAnswers: 1 }, times: 1 }
    steps:
      - request: GET /v1/balance
        expect: { status: 200 }
      - request: GET /v1/balance
        expect: { status: 503 }
      - request: POST /v1/charges/one/pay
      - noWebhook: {}
      - request: POST /v1/charges/one/refund
      - webhook: { data: { id: one, status: paid }, count: 1 }
      - request: POST /v1/charges/two/pay
      - webhook: { data: { id: two }, count: 1 }
      - advance: 10s
      - webhook: { data: { id: two }, count: 2 }`);
  expect([failures, outcome]).toEqual(["", "passed"]);
});
