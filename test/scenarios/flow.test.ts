import { describe, expect, it } from "vitest";
import { parseText, replayText } from "../support/scenarios.js";

/** Replays one scenario, which must pass. */
async function expectToPass(yaml: string, files?: Record<string, string>) {
  const replayed = await replayText(yaml, files === undefined ? {} : { files });
  expect(replayed.failures).toBe("");
  expect(replayed.outcome).toBe("passed");
  return replayed;
}

const charge = (externalId: string): string =>
  `{ amount: 100, externalId: "${externalId}", description: A, onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }`;

describe("advance and clock", () => {
  it.each([
    ["advance: 1h", "2026-01-15T10:00:00.000Z"],
    ["advance: 1500", "2026-01-15T09:00:01.500Z"],
    ["advance: { by: PT90M }", "2026-01-15T10:30:00.000Z"],
    ["advance: { to: 2026-02-01T00:00:00Z }", "2026-02-01T00:00:00.000Z"],
    ["advance: { toNext: true }", "2026-01-15T10:00:00.000Z"],
    ["advance: { by: 1h, settle: false, lookAhead: true, maxWaitMs: 0 }", "2026-01-15T10:00:00.000Z"],
    ["clock: 2026-01-16T00:00:00Z", "2026-01-16T00:00:00.000Z"],
    ["clock: freeze", "2026-01-15T09:00:00.000Z"],
    ["clock: frozen", "2026-01-15T09:00:00.000Z"],
    ["clock: { mode: frozen, now: 2026-01-16T00:00:00Z }", "2026-01-16T00:00:00.000Z"],
    ["settle: {}", "2026-01-15T09:00:00.000Z"],
  ])("%s", async (step, now) => {
    await expectToPass(`
      given: { charges: [{ id: c, externalId: c, amount: 1, description: c, status: due }] }
      steps:
        - ${step}
        - { request: GET /_sandbox/clock, expect: { body: { mode: frozen, now: ${now} } } }`);
  });

  it("by the value of a variable", () =>
    expectToPass(`
      steps:
        - { request: POST /v1/charges, body: ${charge("a")}, save: { cents: body.amount } }
        - { advance: "\${cents}", expect: { now: 2026-01-15T09:00:00.100Z, firedCount: 0 } }
        - { advance: { to: "\${now}" } }
        - { clock: "\${now}" }`));

  it("resume lets it run", () =>
    expectToPass(`
      steps:
        - clock: resume
        - { request: GET /_sandbox/clock, expect: { body: { mode: running } } }`));

  it("the result of an advance is compared with the expectation", async () => {
    const { failure } = await replayText(`steps: [{ advance: 1h, expect: { firedCount: 1 } }]`);
    expect(failure).toMatchObject({
      kind: "failure",
      step: "advance 1h",
      message: "The expected answer did not come in time",
      mismatches: [{ path: "firedCount", expected: "1", actual: 0 }],
    });
  });

  it("a refusal of the control API is an error with its message", async () => {
    const { failure, outcome } = await replayText(`
      steps:
        - clock: 2020-01-01T00:00:00Z`);
    expect(outcome).toBe("error");
    expect(failure).toMatchObject({ kind: "error", step: "clock", position: { line: 3, column: 11 } });
    expect(failure?.message).toMatch(/past/);
  });
});

it("settle waits for due items and for attempts in flight", () =>
  expectToPass(`
    given: { webhooks: [{ topic: charges/events }] }
    steps:
      - { request: POST /v1/charges, body: ${charge("a")}, save: { id: body.id } }
      - request: POST /v1/charges/\${id}/pay
      - settle:
      - { request: GET /_sandbox/deliveries, expect: { body: { data: [{ status: succeeded }] } } }`));

it("wait waits in real time, and does not move the company's clock", () =>
  expectToPass(`
    steps:
      - wait: 1ms
      - { request: GET /_sandbox/clock, expect: { body: { now: 2026-01-15T09:00:00.000Z } } }`));

it("rules apply from the start, or from their step on with the variables known by then", () =>
  expectToPass(`
    given: { rules: [{ name: early, on: request, then: { status: 500 }, times: 1 }] }
    steps:
      - { request: GET /v1/balance, expect: { status: 500 } }
      - { request: GET /v1/balance, save: { balance: body.balance } }
      - rule: { on: transfer, match: { amount: { $lt: "\${balance}" } }, then: { outcome: failed, reason: odd }, times: 1 }
      - { request: GET /_sandbox/rules, expect: { body: { data: [{ on: transfer, match: { amount: { $exact: { $lt: 10000000 } } } }] } } }
      - request: POST /v1/transactions
        body: { amount: 5000, msisdn: "+2250700000001", reference: a, type: transfer }
        save: { id: body.id }
      - advance: 2s
      - { request: "GET /v1/transactions/\${id}", expect: { body: { failureReason: odd } } }`));

it("a reset in a scenario restores the rules that it was given", () =>
  expectToPass(`
    given: { rules: [{ on: request, match: { path: /v1/balance }, then: { status: 503 }, times: 1 }] }
    steps:
      - { request: GET /v1/balance, expect: { status: 503 } }
      - { request: POST /_sandbox/reset }
      - { request: GET /v1/balance, expect: { status: 503 } }
      - { request: GET /v1/balance, expect: { status: 200 } }`));

describe("parallel", () => {
  it("runs all branches at once, and knows afterwards what each saved", () =>
    expectToPass(`
      steps:
        - parallel:
            - { request: POST /v1/charges, body: ${charge("a")}, save: { a: body.id } }
            - repeat:
                times: 3
                steps: [{ request: POST /v1/charges, body: ${charge("b-${index}")}, save: { b: body.externalId } }]
            - { request: POST /v1/charges, body: ${charge("c")}, save: { c: body.externalId } }
        - { request: "GET /v1/charges/\${a}", expect: { body: { externalId: a } } }
        - { request: POST /v1/charges, body: ${charge("${b} ${c}")}, expect: { body: { externalId: b-2 c } } }`));

  it("keeps the value of the last branch in the file when several save the same name", () =>
    expectToPass(`
      steps:
        - parallel:
            - repeat: { times: 5, steps: [{ request: POST /v1/charges, body: ${charge("slow-${index}")}, save: { id: body.externalId } }] }
            - { request: POST /v1/charges, body: ${charge("quick")}, save: { id: body.externalId } }
        - { request: POST /v1/charges, body: ${charge("${id}")}, expect: { status: 409, body: { message: [{ $contains: quick }] } } }`));

  it("fails with the first branch that fails, when all are over", async () => {
    const { failure, stepsPassed } = await replayText(`
      steps:
        - parallel:
            - { request: POST /v1/charges, body: ${charge("a")} }
            - { name: second, eventually: { request: GET /v1/balance, expect: { status: 1 }, within: 3s } }
            - { name: third, request: GET /v1/balance, expect: { status: 2 } }`);
    expect(failure).toMatchObject({ step: "second", position: { line: 5 } });
    expect(stepsPassed).toBe(1);
  });

  const transfer = (n: number): string =>
    `{ type: transfer, amount: 5000, msisdn: "+2250700000001", reference: payout-${n} }`;
  const branches = (of: (n: number) => string): string =>
    Array.from({ length: 120 }, (_, n) => `            - repeat: { times: 1, steps: [${of(n)}] }`).join("\n");

  it("waits for webhooks in any number of branches", () =>
    expectToPass(`
      given: { webhooks: [{ topic: charges/events }] }
      steps:
        - parallel:
${branches((n) => `{ request: POST /v1/charges, body: ${charge(`order-${n}`)}, save: { id${n}: body.id } }, { request: "POST /v1/charges/\${id${n}}/pay" }, { webhook: { data: { id: "\${id${n}}" }, count: 1 } }`)}`));

  it("moves the clock in any number of branches", () =>
    expectToPass(`
      given: { webhooks: [{ topic: transactions/completed }] }
      steps:
        - parallel:
${branches((n) => `{ request: POST /v1/transactions, body: ${transfer(n)}, save: { id${n}: body.id } }, { advance: 2s }, { request: "GET /v1/transactions/\${id${n}}", expect: { body: { status: completed } } }`)}`));
});

describe("repeat", () => {
  it("counts its rounds, even when nested", async () => {
    const { stepsPassed } = await expectToPass(`
      steps:
        - repeat:
            times: 3
            steps:
              - { request: POST /v1/charges, body: ${charge("n${index}")}, save: { outer: body.externalId } }
              - repeat:
                  times: 2
                  steps: [{ request: POST /v1/charges, body: ${charge("${outer}.${index}")}, expect: { status: 201 }, save: { last: body.externalId } }]
              - { request: POST /v1/charges, body: ${charge("n${index}")}, expect: { status: 409 } }
        - { request: GET /_sandbox/charges, expect: { body: { count: 9, data: { $contains: { externalId: n1.1 } } } } }
        - { request: POST /v1/charges, body: ${charge("${last}")}, expect: { status: 409, body: { message: [{ $contains: n2.1 }] } } }`);
    expect(stepsPassed).toBe(3 * (2 + 2 + 1) + 1 + 2);
  });

  it("stops at a step that fails, and says in which round", async () => {
    const { failure } = await replayText(`
      steps:
        - repeat:
            times: 3
            steps:
              - name: round \${index}
                request: POST /v1/charges
                body: ${charge("the same")}
                expect: { status: 201 }`);
    expect(failure).toMatchObject({ step: "round 1", position: { line: 6, column: 17 } });
  });
});

describe("use", () => {
  const pay = `
name: Pays a charge
given: { balance: 1 }
steps:
  - { request: "POST /v1/charges/\${charge}/pay", save: { status: body.status, charge: body.id } }`;
  const create = `
steps:
  - { request: POST /v1/charges, body: ${charge("${externalId}")}, save: { charge: body.id } }
  - use: parts/pay.yaml`;
  const files = { "pay.yaml": pay, "create.yaml": create };

  it("runs the steps of another file here: nested, with variables, and keeping what they saved", () =>
    expectToPass(
      `
      given: { balance: 500 }
      steps:
        - { request: GET /v1/balance, save: { balance: body.balance } }
        - { use: create.yaml, with: { externalId: "order-\${balance}" } }
        - { request: "GET /v1/charges/\${charge}", expect: { body: { status: "\${status}", externalId: order-500 } } }
        - { request: GET /v1/balance, expect: { body: { balance: 600 } } }`,
      files,
    ));

  it("does not share its variables, even when it runs twice at a time", () =>
    expectToPass(
      `
      steps:
        - parallel:
            - { use: create.yaml, with: { externalId: one } }
            - { use: create.yaml, with: { externalId: two } }
        - { request: GET /_sandbox/charges, query: { status: paid }, expect: { body: { data: [{ externalId: two }, { externalId: one }] } } }`,
      files,
    ));

  it("may save under the name of a variable that was given to it", () =>
    expectToPass(
      `
      steps:
        - { use: saves.yaml, with: { id: given } }
        - { request: "GET /v1/charges/\${id}", expect: { status: 200 } }`,
      {
        "saves.yaml": `
          steps:
            - { request: POST /v1/charges, body: ${charge("${id}")}, save: { id: body.id } }
            - { request: "GET /v1/charges/\${id}", expect: { status: 200, body: { externalId: given } } }`,
      },
    ));

  it("forgets the variables that were only given to it", async () => {
    await expect(
      parseText(
        `
        steps:
          - { use: create.yaml, with: { externalId: one } }
          - request: GET /v1/charges/\${externalId}`,
        files,
      ),
    ).rejects.toThrow(/^scenario\.yaml:4:22: \$\{externalId\} is not known here\. \(known here: charge, status;/);
  });

  it("requires the variables that the file needs", async () => {
    await expect(parseText(`steps: [{ use: create.yaml }]`, files)).rejects.toThrow(
      /^create\.yaml:3:\d+: \$\{externalId\} is not known here/,
    );
  });

  it("says in which file a step failed", async () => {
    const { failure } = await replayText(
      `
      steps:
        - { use: create.yaml, with: { externalId: one } }
        - { use: pay.yaml }`,
      { files: { ...files, "pay.yaml": pay.replace("save:", "expect: { status: 200 }, save:") } },
    );
    expect(failure).toMatchObject({
      kind: "failure",
      step: "POST /v1/charges/${charge}/pay",
      position: { file: "pay.yaml", line: 5 },
    });
  });
});

describe("eventually", () => {
  const transfer = `
      steps:
        - request: POST /v1/transactions
          body: { amount: 5000, msisdn: "\${testNumbers.late}", reference: a, type: transfer }
          save: { id: body.id }`;

  it("advances a frozen clock until the answer is as expected, and saves values of it", () =>
    expectToPass(`${transfer}
        - eventually:
            within: 1h
            every: 1m
            request: GET /v1/transactions/\${id}
            expect: { body: { status: completed } }
            save: { at: body.updatedAt }
        - { request: GET /_sandbox/clock, expect: { body: { now: 2026-01-15T09:11:00.000Z } } }
        - { request: "GET /v1/transactions/\${id}", expect: { body: { updatedAt: "\${at}" } } }`));

  it("advances the clock of the company that it calls", () =>
    expectToPass(`
      steps:
        - request: POST /v1/transactions
          as: neighbour
          body: { amount: 5000, msisdn: "\${testNumbers.success}", reference: a, type: transfer }
          save: { id: body.id }
        - eventually: { as: neighbour, within: 1m, request: "GET /v1/transactions/\${id}", expect: { body: { status: completed } } }
        - { request: GET /_sandbox/clock, expect: { body: { now: 2026-01-15T09:00:00.000Z } } }`));

  it("does not advance when the first answer is right", () =>
    expectToPass(`
      steps:
        - eventually: { within: 1h, request: GET /v1/balance, expect: { status: 200 } }
        - { request: GET /_sandbox/clock, expect: { body: { now: 2026-01-15T09:00:00.000Z } } }`));

  it("gives up after its time, with the last answer", async () => {
    const { failure } = await replayText(`${transfer}
        - eventually: { within: 5m30s, every: 1m, request: "GET /v1/transactions/\${id}", expect: { body: { status: completed } } }`);
    expect(failure).toMatchObject({
      kind: "failure",
      step: "eventually GET /v1/transactions/${id}",
      message: "The answer is not what was expected, even after 5m",
      mismatches: [{ path: "body.status", expected: '"completed"', actual: "pending" }],
      position: { line: 6, column: 11 },
    });
  });

  it("waits while the clock runs", () =>
    expectToPass(`
      given: { profile: { transfers: { settlement: { after: 20ms } } } }
      steps:
        - clock: resume
        - request: POST /v1/transactions
          body: { amount: 5000, msisdn: "\${testNumbers.success}", reference: a, type: transfer }
          save: { id: body.id }
        - eventually: { within: 9s, every: 5ms, request: "GET /v1/transactions/\${id}", expect: { body: { status: completed } } }`));

  it("does not continue after an error", async () => {
    const { failure } = await replayText(`
      steps:
        - { request: GET /v1/balance, save: { body: body } }
        - eventually: { within: 1h, request: "GET /v1/charges/\${body.nothing}" }`);
    expect(failure).toMatchObject({ kind: "error", message: /has no value/ });
  });
});
