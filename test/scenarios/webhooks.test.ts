import { describe, expect, it } from "vitest";
import { replayText } from "../support/scenarios.js";

/** Two charges that wait for payment, and the runner's receiver subscribed to them. */
const shop = `
      given:
        webhooks: [{ topic: charges/events }]
        charges:
          - { id: one, externalId: order-1, amount: 100, description: A, status: due }
          - { id: two, externalId: order-2, amount: 200, description: B, status: due }
      steps:`;
const paidBoth = `${shop}
        - request: POST /v1/charges/one/pay
        - request: POST /v1/charges/two/pay`;

/** Replays a scenario, and returns its failure as the reports show it. */
const failureOf = async (yaml: string): Promise<string> => (await replayText(yaml)).failures;

describe("a webhook step passes", () => {
  it.each([
    "webhook: {}",
    "webhook: { topic: charges/events }",
    "webhook: { topic: charge/events, data: { id: one } }",
    "webhook: { data: { status: { $in: [paid, dropped] } }, count: 2 }",
    "webhook: { topic: charges/events, data: { id: two, transactions: [{ type: payment }] }, count: 1 }",
    "webhook: { data: { status: dropped }, count: 0 }",
    "noWebhook: { data: { status: dropped } }",
    "noWebhook: { topic: transactions/started }",
  ])("%s", async (step) => expect(await failureOf(`${paidBoth}\n        - ${step}`)).toBe(""));

  it("with any webhook so far, whatever earlier steps matched", async () => {
    const { outcome } = await replayText(`${shop}
        - noWebhook: {}
        - request: POST /v1/charges/one/pay
        - webhook: { count: 1 }
        - webhook: { count: 1 }
        - request: POST /v1/charges/two/pay
        - webhook: { count: 2 }`);
    expect(outcome).toBe("passed");
  });

  it("with a webhook of another company, which it also waits for", async () => {
    const of = (request: string): string => `{ request: ${request}, as: neighbour`;
    const { failures } = await replayText(`
      steps:
        - ${of("POST /v1/webhooks")}, body: { topic: charges/events, url: "\${receiver}" } }
        - request: POST /v1/charges
          as: neighbour
          body: { amount: 100, externalId: o, description: A, onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }
          save: { charge: body.id }
        - ${of('"POST /v1/charges/${charge}/pay"')} }
        - webhook: { topic: charges/events, data: { status: paid }, count: 1 }
        - ${of('"POST /v1/charges/${charge}/refund"')} }
        - settle: true
        - webhook: { count: 2 }`);
    expect(failures).toBe("");
  });

  it("and saves values of the first that matches", async () => {
    const { failures } = await replayText(`${paidBoth}
        - webhook: { data: { id: two } }
          save: { externalId: data.externalId, topic: topic, signature: headers.x-service-hmac-sha256 }
        - webhook: { topic: "\${topic}", data: { externalId: "\${externalId}" }, count: 1 }
        - name: "\${signature}"
          request: GET /v1/charges/two
          expect: { body: { externalId: "\${externalId}" } }`);
    expect(failures).toBe("");
  });
});

describe("a webhook step fails", () => {
  it("with the nearest webhook, and a list of all that came", async () => {
    const text = await failureOf(`${paidBoth}
        - name: both are refunded
          webhook: { topic: charge/events, data: { id: two, status: refunded, amount: { $gt: 500 } } }`);
    const [head, ...rest] = text.split("\n").slice(1);
    expect(head).toBe("scenario.yaml:10:11: both are refunded");
    expect(rest.slice(0, 7)).toEqual([
      "Expected at least one webhook of charge/events with this data, but none of the 2 that came matches",
      "  data.status",
      '    - expected "refunded"',
      '    + received "paid"',
      "  data.amount",
      "    - expected above 500",
      "    + received 200",
    ]);
    expect(rest.slice(7)).toEqual([
      "  webhooks that came:",
      expect.stringMatching(/^ {4}charges\/events \{"id":"one",.*"status":"paid"/),
      expect.stringMatching(/^ {4}charges\/events \{"id":"two",/),
    ]);
  });

  it.each([
    ["webhook: { count: 3 }", "Expected exactly 3 webhook, but 2 came"],
    ["webhook: { topic: charges/events, count: 1 }", "Expected exactly 1 webhook of charges/events, but 2 came"],
    ["noWebhook: { data: { id: one } }", "Expected no webhook with this data, but 1 came"],
    ["webhook: { topic: transaction/failed }", "Expected at least one webhook of transaction/failed, but none came"],
    [
      "{ webhook: { data: { id: one } }, save: { reason: data.reason } }",
      "Failed to save reason: there is nothing at data.reason",
    ],
  ])("%s", async (step, message) => {
    const { failure } = await replayText(`${paidBoth}\n        - ${step}`);
    expect(failure).toMatchObject({ kind: "failure", message });
  });

  it.each([
    'noWebhook: { data: { metadata: { note: { $regex: "x{400}" } } } }',
    'webhook: { data: { metadata: { note: { $regex: "x{400}" } } }, count: 0 }',
    'webhook: { data: { $in: [{ externalId: order-0 }, { metadata: { note: { $regex: "x{400}" } } }] }, count: 1 }',
  ])("with an error when webhooks take too long to compare: %s", async (step) => {
    const { failure } = await replayText(`
      given:
        webhooks: [{ topic: charges/events }]
      steps:
        - repeat:
            times: 2
            steps:
              - request: POST /v1/charges
                body: { amount: 100, externalId: "order-\${index}", description: A, metadata: { note: ${"x".repeat(2000)} },
                        onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }
                save: { charge: body.id }
              - request: POST /v1/charges/\${charge}/pay
        - ${step}`);
    expect(failure).toMatchObject({ message: expect.stringContaining("would take too long") });
  });

  it("and shows the receiver's subscriptions when nothing came", async () => {
    const text = await failureOf(`
      steps:
        - webhook: { topic: charges/events }`);
    expect(text).toContain(
      "but none came\n  no webhook came at all: the runner's receiver is subscribed by given.webhooks",
    );
  });
});

describe("the runner's receiver", () => {
  /** Sends the body to the receiver without the secret key. */
  async function forge(request: Request): Promise<Response | undefined> {
    if (!request.url.endsWith("/forge")) return undefined;
    const { url, body, signature } = (await request.json()) as { url: string; body: string; signature: string };
    const answer = await fetch(url, { method: "POST", body, headers: { "x-service-hmac-sha256": signature } });
    return Response.json({}, { status: answer.status });
  }
  const forgery = (body: string): string =>
    `{ request: POST /forge, body: { url: "\${receiver}", signature: AAAA, body: '${body}' }, expect: { status: 401 } }`;

  it("refuses a forged webhook, and fails a scenario that otherwise passed", async () => {
    const yaml = `${shop}
        - ${forgery('{"topic":"charges/events","data":{"id":"one"}}')}
        - noWebhook: { data: { id: one } }`;
    const { failure, failures } = await replayText(yaml, { intercept: forge });
    expect(failure).toMatchObject({
      kind: "failure",
      step: "signatures",
      message: "1 webhook(s) came with a signature that is not the body's",
      position: { line: 2, column: 7 },
    });
    expect(failures).toContain('    WRONG SIGNATURE charges/events {"id":"one"}');
  });

  it("shows no secret of a forged webhook", async () => {
    const { failures } = await replayText(`${shop}\n        - ${forgery('{"data":{"id":"${secretKey}"}}')}`, {
      intercept: forge,
    });
    expect(failures).toContain('WRONG SIGNATURE  {"id":"[redacted]"}');
  });

  it("shows what it cannot read", async () => {
    const { failures } = await replayText(`${shop}\n        - ${forgery('{"topic":')}\n        - webhook: {}`, {
      intercept: forge,
    });
    expect(failures).toContain('    WRONG SIGNATURE  "{\\"topic\\":"');
  });

  it("expects wrong signatures in a scenario with rules", async () => {
    const { outcome } = await replayText(
      `${shop}
        - rule: { on: delivery, then: { corruptSignature: true } }
        - ${forgery("{}")}`,
      {
        intercept: async (request) =>
          request.url.includes("/_sandbox/rules") ? new Response("{}", { status: 201 }) : forge(request),
      },
    );
    expect(outcome).toBe("passed");
  });

  it("reads no more than the size of a webhook", async () => {
    const { failures } = await replayText(
      `${shop}
        - { request: POST /forge, body: { url: "\${receiver}" }, expect: { status: 413 } }
        - { request: POST /forge, body: { url: "\${receiver}-of-nobody" }, expect: { status: 410 } }`,
      {
        async intercept(request) {
          if (!request.url.endsWith("/forge")) return undefined;
          const { url } = (await request.json()) as { url: string };
          const body = url.endsWith("nobody") ? "{}" : new Uint8Array(9 * 1024 * 1024);
          return new Response(undefined, { status: (await fetch(url, { method: "POST", body })).status });
        },
      },
    );
    expect(failures).toBe("");
  });

  it("uses the profile's header, and a replaced key", async () => {
    const { failures } = await replayText(`
      given:
        profile: { webhooks: { signatureHeader: X-Mine } }
        webhooks: [{ topic: charges/events }]
        charges: [{ id: one, externalId: order-1, amount: 100, description: A, status: due }]
      steps:
        - request: POST /_sandbox/companies/\${companyId}/rotate
        - request: POST /v1/charges/one/pay
        - webhook: { data: { id: one }, count: 1 }
        - request: POST /_sandbox/reset
        - request: POST /v1/charges/one/refund
          expect: { status: 422 }`);
    expect(failures).toBe("");
  });
});
