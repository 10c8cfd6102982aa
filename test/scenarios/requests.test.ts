import { describe, expect, it } from "vitest";
import { parseText, replayText } from "../support/scenarios.js";

/** Answers every request to /echo with a description of it. */
async function echo(request: Request): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith("/echo") && !pathname.startsWith("/_sandbox/echo")) return undefined;
  const { method } = request;
  const body = await request.text();
  return Response.json({ method, path: pathname + search, headers: Object.fromEntries(request.headers), body });
}

/** Replays one scenario whose requests to /echo return what was sent; it must pass. */
async function expectToPass(yaml: string): Promise<void> {
  const { failures, outcome } = await replayText(yaml, { intercept: echo });
  expect(failures).toBe("");
  expect(outcome).toBe("passed");
}

describe("what is sent", () => {
  it("is what a client of the contract sends, in the scenario's own company", () =>
    expectToPass(`
      steps:
        - request: POST /echo
          body: { a: 1 }
          expect:
            body:
              method: POST
              path: /echo
              body: '{"a":1}'
              headers: { $exact: { authorization: "Bearer \${token}", x-company-id: "\${companyId}", content-type: application/json } }
        - request: GET /echo
          expect: { body: { body: "", headers: { content-type: { $absent: true } } } }`));

  it("may have another token or none, and more or fewer headers", () =>
    expectToPass(`
      steps:
        - { request: GET /echo, token: other, expect: { body: { headers: { authorization: Bearer other } } } }
        - { request: GET /echo, token: null, expect: { body: { headers: { authorization: { $absent: true } } } } }
        - { request: GET /echo, headers: { AUTHORIZATION: Basic x }, expect: { body: { headers: { authorization: Basic x } } } }
        - { request: GET /echo, headers: { X-Company-Id: null }, expect: { body: { headers: { x-company-id: { $absent: true } } } } }
        - { request: GET /echo, headers: { x-count: 7, x-who: "\${companyId}" }, expect: { body: { headers: { x-count: "7", x-who: "\${companyId}" } } } }
        - { request: POST /echo, body: {}, headers: { content-type: null }, expect: { body: { headers: { content-type: { $absent: true } } } } }`));

  it("a raw body is sent unchanged, with variables filled in", () =>
    expectToPass(`
      steps:
        - { request: POST /echo, rawBody: '{"a":', expect: { body: { body: '{"a":', headers: { content-type: application/json } } } }
        - { request: POST /echo, rawBody: "", expect: { body: { body: "" } } }
        - { request: POST /echo, rawBody: "at \${now}, not $\${now}", expect: { body: { body: "at 2026-01-15T09:00:00.000Z, not $\${now}" } } }`));

  it("a query is encoded, and added to the one that is there", () =>
    expectToPass(`
      steps:
        - { request: GET /echo, query: { msisdn: "+225 07", "a b": true, n: 2, who: "\${companyId}&" },
            expect: { body: { path: "/echo?msisdn=%2B225%2007&a%20b=true&n=2&who=\${companyId}%26" } } }
        - { request: "GET /echo?a=1", query: { b: 2 }, expect: { body: { path: "/echo?a=1&b=2" } } }`));

  it("the control API is called without a token, for the scenario's company or the one that it names", () =>
    expectToPass(`
      steps:
        - { request: GET /_sandbox/echo, expect: { body: { path: "/_sandbox/echo?company=\${companyId}", headers: { $exact: {} } } } }
        - { request: GET /_sandbox/echo?company=x, expect: { body: { path: "/_sandbox/echo?company=x" } } }
        - { request: GET /_sandbox/echo, as: other, expect: { body: { path: "/_sandbox/echo?company=\${companyId}-other" } } }
        - { request: GET /_sandbox/echo, as: other, query: { limit: 1 }, expect: { body: { path: "/_sandbox/echo?company=\${companyId}-other&limit=1" } } }`));

  it("a control API with an admin token is called with it", async () => {
    const { failures } = await replayText(
      `steps: [{ request: GET /_sandbox/clock, expect: { status: 200 } }, { advance: 1s }]`,
      {
        world: { adminToken: "admin" },
      },
    );
    expect(failures).toBe("");
  });

  it("may be from another company, with any name", () =>
    expectToPass(`
      given: { balance: 1234 }
      steps:
        - { request: GET /v1/balance, as: "Café \${companyId}", expect: { body: { balance: 1234 } } }
        - { request: GET /_sandbox/balance, as: "Café \${companyId}", expect: { status: 200 } }
        - { request: GET /echo, as: b, expect: { body: { headers: { authorization: { $regex: "-b$" }, x-company-id: { $regex: "-b$" } } } } }`));

  it("a link of an answer is followed, and nothing that leads away from the sandbox", async () => {
    await expectToPass(`
      steps:
        - { request: GET /echo, save: { path: body.path } }
        - { request: "GET \${url}/echo/link", expect: { body: { path: /echo/link } } }
        - { request: "GET \${path}", expect: { status: 200 } }`);
    const { failure } = await replayText(`
      steps:
        - { request: "GET \${companyId}/x" }`);
    expect(failure).toMatchObject({
      kind: "error",
      message: /^The path must begin with \/ or with http:\/\/.*, got "company_/,
    });
  });
});

describe("values", () => {
  it("a text that is one variable has its type; within a text the variable is written out", () =>
    expectToPass(`
      steps:
        - request: POST /echo
          body: { n: 1.5, t: text, l: [1, { a: null }], b: true, z: null }
          save: { all: body.body }
        - request: GET /v1/balance
          save: { balance: body.balance, body: body, status: status, type: headers.content-type }
        - request: POST /echo
          body: { n: "\${balance}", o: "\${body}", s: "\${status}", text: "\${balance} XOF, \${body}" }
          expect:
            body:
              body: '{"n":10000000,"o":{"balance":10000000,"currency":"XOF"},"s":200,"text":"10000000 XOF, {\\"balance\\":10000000,\\"currency\\":\\"XOF\\"}"}'
        - request: GET /v1/balance
          expect: { status: "\${status}", body: { balance: { $gte: "\${balance}", $in: ["\${balance}"] } } }`));

  it("some variables always exist", () =>
    expectToPass(`
      given: { clock: 2027-02-03T04:05:06.007Z, webhooks: [{ topic: charges/events }] }
      steps:
        - request: POST /echo
          body: ["\${now}", "\${testNumbers.success}"]
          expect: { body: { body: '["2027-02-03T04:05:06.007Z","+2250700000001"]' } }
        - request: POST /echo
          body: ["\${uuid}", "\${uuid}"]
          expect: { body: { body: { $regex: '^\\["[0-9a-f-]{36}","[0-9a-f-]{36}"\\]$' } } }
        - request: GET /v1/webhooks
          expect: { body: { data: [{ url: "\${receiver}" }] } }`));

  it("only variables of the environment that start with SANDBOX_ are readable", async () => {
    const yaml = `steps: [{ request: GET /v1/balance, expect: { body: { currency: "\${env.SANDBOX_CURRENCY}" } } }]`;
    expect((await replayText(yaml, { env: { SANDBOX_CURRENCY: "XOF" } })).failures).toBe("");
    expect((await replayText(yaml)).failure).toMatchObject({
      kind: "error",
      message: "${env.SANDBOX_CURRENCY} has no value: that variable is not set.",
    });
  });

  it("made-up data is drawn anew each time, and the same for the same seed", async () => {
    const yaml = `
      steps:
        - request: POST /echo
          body: ["\${faker.person.firstName}", "\${faker.person.firstName}", "\${faker.date.recent}", "\${faker.number.bigInt}", "\${faker.number.int}"]
          expect: { body: { body: never } }`;
    const draw = async (seed: number): Promise<unknown[]> => {
      const { failure } = await replayText(yaml, { seed, intercept: echo });
      return JSON.parse(String(failure?.mismatches?.[0]?.actual));
    };
    const [first, second] = await Promise.all([draw(1), draw(1)]);
    expect(first).toEqual(second);
    expect(await draw(2)).not.toEqual(first);
    expect(first).toEqual([
      expect.any(String),
      expect.any(String),
      expect.stringMatching(/^2026-01-1[45]T/),
      expect.stringMatching(/^\d+$/),
      expect.any(Number),
    ]);
    expect(first[0]).not.toBe(first[1]);
  });

  it("a variable whose path leads nowhere stops the step", async () => {
    const { failure, stepsPassed } = await replayText(`
      steps:
        - { request: GET /v1/balance, save: { balance: body } }
        - { name: "ask for \${balance.amount}", request: "GET /v1/charges/\${balance.amount}" }`);
    expect(failure).toMatchObject({
      kind: "error",
      step: "ask for ${balance.amount}",
      message: "${balance.amount} has no value: nothing stands at that path.",
      position: { file: "scenario.yaml", line: 4, column: 11 },
    });
    expect(stepsPassed).toBe(1);
  });
});

describe("a difference", () => {
  it("is reported with the step, its place, the request, the answer and each difference", async () => {
    const { failures, outcome } = await replayText(`name: A scenario
steps:
  - request: POST /v1/charges
    body: { amount: 500 }
    expect:
      status: 201
      headers: { X-Sandbox: { $any: true }, X-Other: there }
      body: { message: [{ $contains: externalId }], statusCode: { $in: [201, 202] }, error: { $length: 3 } }
`);
    expect(outcome).toBe("failed");
    expect(failures.replace(/"correlationId":"\w+"/, '"correlationId":"…"')).toBe(`A scenario
scenario.yaml:3:5: POST /v1/charges
The answer is not what was expected
  status
    - expected 201
    + received 400
  headers.x-other
    - expected "there"
    + received nothing
  body.message
    - expected a list of 1
    + received ["externalId must be the caller's reference, a string that is not blank, but it is missing","description must be the purpose of the payment, a string that is not blank, but it is missing","onCanceledRedirectionUrl must be an absolute http or https URL, but it is missing","onCompletedRedirectionUrl must be an absolute http or https URL, but it is missing"]
  body.statusCode
    - expected one of 201, 202
    + received 400
  body.error
    - expected of length 3
    + received "Bad Request Exception"
  request  POST /v1/charges {"amount":500}
  answer   400 {"statusCode":400,"message":["externalId must be the caller's reference, a string that is not blank, but it is missing","description must be the purpose of the payment, a string that is not blank, but it is missing","onCanceledRedirectionUrl must be an absolute http or https URL, but it is missing","onCompletedRedirectionUrl must be an absolute http or https URL, but it is missing"],"error":"Bad Request Exception","correlationId":"…","path":"/v1/charges","timestamp":"2026-01-15T09:00:00.000Z"}`);
  });

  it("holds no access token", async () => {
    const { failure } = await replayText(`steps: [{ request: GET /v1/balance, expect: { status: 1 } }]`);
    expect(failure?.request?.headers).toMatchObject({ authorization: "[redacted]" });
    expect(JSON.stringify(failure)).not.toContain("at_");
  });

  it.each([
    ["status", "status: 204", "204"],
    ["body", "body: { $absent: true }", "nothing"],
    ["body.balance", "body: { balance: { $lt: 5, $type: string } }", "below 5 and of type string"],
    ["body.nothing.there", "body: { nothing: { there: 1 } }", undefined],
  ])("names %s", async (path, expected, words) => {
    const { failure } = await replayText(`steps: [{ request: GET /v1/balance, expect: { ${expected} } }]`);
    const place = path.startsWith("body.nothing") ? "body.nothing" : path;
    expect(failure?.mismatches).toMatchObject([{ path: place, expected: words ?? '{"there":1}' }]);
  });

  it("is none when nothing is expected", async () => {
    const steps = "steps: [{ request: GET /v1/nowhere }, { request: GET /v1/balance }]";
    expect((await replayText(steps)).outcome).toBe("passed");
  });

  it("is also a value to save that is missing", async () => {
    const { failure } = await replayText(`
      steps:
        - { request: GET /v1/balance, expect: { status: 200 }, save: { currency: body.currency, id: "body.data[0].id" } }`);
    expect(failure).toMatchObject({
      kind: "failure",
      message: "Failed to save id: there is nothing at body.data[0].id",
    });
    expect(failure?.answer?.status).toBe(200);
  });
});

describe("an answer that is lost", () => {
  const rule = (then: string): string =>
    `- { rule: { on: request, match: { path: /v1/transactions }, then: ${then}, times: 1 } }`;
  const payout =
    'request: POST /v1/transactions, body: { amount: 5000, msisdn: "${testNumbers.success}", reference: r-1, type: transfer }';

  it.each(["{ fault: reset, commit: true }", "{ fault: hang, delay: 1ms, commit: true }"])(
    "is expected, and the scenario continues (%s)",
    (then) =>
      expectToPass(`
      steps:
        ${rule(then)}
        - { ${payout}, expect: { lost: true } }
        - { ${payout}, expect: { status: 409 } }`),
  );

  it("fails the step that does not expect it", async () => {
    const { failure } = await replayText(`
      steps:
        ${rule("{ fault: reset }")}
        - { ${payout} }`);
    expect(failure).toMatchObject({ kind: "error", message: "read ECONNRESET" });
  });

  it("fails when the answer comes after all, or when a value of it must be saved", async () => {
    const { failure } = await replayText(`steps: [{ request: GET /v1/balance, expect: { lost: true } }]`);
    expect(failure).toMatchObject({ kind: "failure", message: "An answer came, where it was expected to be lost" });
    expect(failure?.answer?.status).toBe(200);
    const saving = await replayText(`
      steps:
        ${rule("{ fault: reset }")}
        - { ${payout}, expect: { lost: true }, save: { id: body.id } }`);
    expect(saving.failure?.message).toBe("Failed to save id: there is nothing at body.id");
  });

  it.each([
    ["{ lost: true, status: 201 }", "expect.lost leaves nothing to expect: remove status, or lost"],
    ["{ lost: false }", "expect.lost must be true"],
  ])("is refused as %s", async (expected, message) => {
    await expect(parseText(`steps: [{ request: GET /v1/balance, expect: ${expected} }]`)).rejects.toThrow(message);
  });
});

it.each(["request: GET /v1/balance", "advance: 1h"])("an empty expectation is refused: %s", async (step) => {
  await expect(parseText(`steps: [{ ${step}, expect: {} }]`)).rejects.toThrow(
    "expect is empty: name what is expected, or leave it out",
  );
});

it("expected headers without a header are refused", async () => {
  await expect(parseText("steps: [{ request: GET /v1/balance, expect: { headers: {} } }]")).rejects.toThrow(
    "expect.headers is empty: name what is expected, or leave it out",
  );
});

it("a matcher with a variable as its operand is checked again with the value", async () => {
  const scenario = await parseText(`
    steps:
      - { request: GET /v1/balance, save: { body: body } }
      - { request: GET /v1/balance, expect: { body: { currency: { $regex: "\${body.currency}" }, balance: { $gt: "\${body}" } } } }`);
  expect(scenario.steps).toHaveLength(2);
  const { failure } = await replayText(`
    steps:
      - { request: GET /v1/balance, save: { body: body } }
      - { request: GET /v1/balance, expect: { body: { currency: { $regex: "^\${body.currency}$" }, balance: { $gt: "\${body}" } } } }`);
  expect(failure?.mismatches).toMatchObject([{ path: "body.balance" }]);
});
