import { createApp } from "../../src/http/server/app.js";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { resolveOptions } from "../../src/sandbox/config/options.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import { renderJson } from "../../src/scenarios/reporters.js";
import { createSandboxTarget } from "../../src/scenarios/run/sandbox-target.js";
import { replay } from "../../src/scenarios/run/replay.js";
import { replayAll, parseText, replayText } from "../support/scenarios.js";
import { own, parseTexts } from "./isolated.js";

const passing = `
name: It passes
steps: [{ request: GET /v1/balance, expect: { status: 200 } }]`;
const failing = `
name: It fails
steps: [{ request: GET /v1/balance, expect: { status: 201 } }]`;
const broken = `
name: It cannot be done
steps: [{ clock: 2020-01-01T00:00:00Z }]`;

describe("many scenarios at the same time", () => {
  it("leave nothing behind, however they end", async () => {
    const sandbox = new Sandbox(resolveOptions());
    const app = createApp(sandbox);
    const target = createSandboxTarget(sandbox, (request) => app.fetch(request));
    const all = await parseTexts(
      passing,
      failing,
      broken,
      own(3),
      passing.replace(
        "steps",
        "given: { charges: [{ externalId: a, amount: 1, description: a, status: due }, { externalId: a, amount: 1, description: a, status: due }] }\nsteps",
      ),
    );
    const options = { system: systemClock, seed: undefined, env: {}, workers: 2, bail: false };
    const { counts } = await replay(target, all, options);
    expect(counts).toEqual({ passed: 2, failed: 1, error: 2, skipped: 0 });
    expect(sandbox.companies.map(({ id }) => id)).toEqual(["company_sandbox"]);
    await target.close();
    await sandbox.close();
  });

  it("may be the same one, twice at a time in one sandbox", async () => {
    const sandbox = new Sandbox(resolveOptions());
    const app = createApp(sandbox);
    const target = createSandboxTarget(sandbox, (request) => app.fetch(request));
    const all = await parseTexts(own(1), own(1));
    const options = { system: systemClock, seed: undefined, env: {}, workers: 2, bail: false };
    const both = await Promise.all([replay(target, all, options), replay(target, all, options)]);
    expect(both.map(({ counts }) => counts.passed)).toEqual([2, 2]);
    await target.close();
    await sandbox.close();
  });
});

describe("the result", () => {
  it("has the findings of before a reset", async () => {
    const { seen, failures } = await replayText(`
      given: { charges: [{ id: late, externalId: late, amount: 100, description: A, status: due }] }
      steps:
        - advance: 2h
        - { request: POST /v1/charges/late/pay, expect: { status: 422 } }
        - { request: POST /v1/charges/late/pay, as: other, expect: { status: 404 } }
        - request: POST /_sandbox/reset
        - { request: GET /v1/balance, expect: { status: 200 } }`);
    expect(failures).toBe("");
    expect(seen.findings.map(({ kind }) => kind)).toEqual(["pay-after-drop"]);
  });

  it.each(["{ advance: 1h }", "{ repeat: { times: 2, steps: [{ settle: true }] } }"])(
    "is not passed for a scenario that proves nothing: %s",
    async (step) => {
      const { results } = await replayAll([await parseText(`name: Nothing\nsteps: [${step}]`)], { workers: 1 });
      expect(results).toMatchObject([{ outcome: "skipped", reason: expect.stringContaining("it proves nothing") }]);
    },
  );

  it.each([
    "{ request: GET /v1/balance, token: wrong }",
    "{ request: POST /v1/charges, body: {} }",
    "{ rule: { on: request, then: { status: 301 } } }, { request: GET /v1/balance }",
  ])("is not passed for a scenario that expects nothing and whose requests are refused: %s", async (step) => {
    const refused = await parseText(`name: Refused\nsteps: [${step}]`);
    const { results } = await replayAll([refused], { workers: 1 });
    expect(results).toMatchObject([{ outcome: "skipped", reason: expect.stringContaining("was refused") }]);
  });

  it("is passed for a scenario that waits for a refusal", async () => {
    const step = "{ eventually: { within: 1s, every: 1s, request: GET /v1/nowhere, expect: { status: 404 } } }";
    const refused = await parseText(`name: Refused\nsteps: [${step}]`);
    const { results } = await replayAll([refused], { workers: 1 });
    expect(results).toMatchObject([{ outcome: "passed" }]);
  });

  it("is reported in the order of the files, whichever ended first", async () => {
    const reported: string[] = [];
    const slow = `name: slow\nsteps: [{ wait: 30ms }, { request: GET /v1/balance }]`;
    const all = await parseTexts(slow, passing, failing, broken);
    const { results, counts, notRun } = await replayAll(all, {
      workers: 4,
      onResult: ({ scenario, outcome }) => reported.push(`${scenario.name}: ${outcome}`),
    });
    expect(reported).toEqual(["slow: passed", "It passes: passed", "It fails: failed", "It cannot be done: error"]);
    expect(results.map(({ scenario }) => scenario)).toEqual(all);
    expect(counts).toEqual({ passed: 2, failed: 1, error: 1, skipped: 0 });
    expect(notRun).toBe(0);
  });

  it("ends at the first failure with bail", async () => {
    const all = await parseTexts(passing, failing, passing, passing);
    const { results, notRun } = await replayAll(all, { workers: 1, bail: true });
    expect(results.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
    expect(notRun).toBe(2);
  });

  it("is an error of the given records when they are impossible", async () => {
    const { failure, outcome } = await replayText(`
      name: Two charges of one name
      given:
        charges:
          - { externalId: a, amount: 1, description: a, status: due }
          - { externalId: a, amount: 1, description: a, status: due }
      steps: [{ settle: }]`);
    expect(outcome).toBe("error");
    expect(failure).toMatchObject({
      step: "given",
      position: { line: 3, column: 7 },
      message: expect.stringMatching(/^Failed to seed the charge "a": .*already exists/),
    });
  });

  it("is an error when the scenario removed its own company", async () => {
    const { failure } = await replayText(`
      steps:
        - { request: "DELETE /_sandbox/companies/\${companyId}", expect: { status: 204 } }
        - request: POST /v1/charges
          body: { at: "\${now}" }`);
    expect(failure).toMatchObject({
      kind: "error",
      message: expect.stringMatching(/^The company company_scenario-yaml-scenario of this scenario was removed\.$/),
      position: { line: 4 },
    });
  });

  it("is the same, byte for byte, for the same seed", async () => {
    const drawing = `
name: It draws
given: { webhooks: [{ topic: charges/events }], customers: [{ generate: 2 }] }
steps:
  - request: POST /v1/charges
    body: { amount: 1, externalId: "\${uuid} \${faker.person.fullName}", description: A,
            onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }
    save: { id: body.id }
  - request: POST /v1/charges/\${id}/pay
  - request: GET /_sandbox/charges
    expect: { body: { data: [{ externalId: another }] } }`;
    const waiting = drawing.replace(/ {2}- request: GET[^]*$/, "  - webhook: { data: { id: another } }");
    const texts = [drawing, waiting, own(1), failing];
    const report = async (seed: number, workers: number): Promise<string> =>
      renderJson(await replayAll(await parseTexts(...texts), { seed, workers })).replaceAll(/"durationMs": \d+/g, "");
    const first = await report(7, 1);
    expect(await report(7, 1)).toBe(first);
    expect(await report(7, 4)).toBe(first);
    expect(await report(8, 1)).not.toBe(first.replace('"seed": 7', '"seed": 8'));
    expect(first).toContain("webhook with this data");
  });
});
