import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { assertReachable, createRemoteTarget } from "../../src/scenarios/run/remote-target.js";
import { renderFailure } from "../../src/scenarios/run/failure.js";
import { replay } from "../../src/scenarios/run/replay.js";
import { serveHttp } from "../support/listen.js";
import { startLive } from "../support/live.js";
import { parseText } from "../support/scenarios.js";

const credentials = { token: "at_sandbox", companyId: "company_sandbox", secretKey: "secret_sandbox" };

async function replayAt(url: string, yaml: string, files: Record<string, string> = {}, given = credentials) {
  const target = createRemoteTarget({ ...given, url, system: systemClock });
  const options = { system: systemClock, seed: undefined, env: {}, workers: 1, bail: false };
  const { results } = await replay(target, [await parseText(yaml, files)], options);
  await target.close();
  const [result] = results;
  if (result === undefined) throw new Error("Nothing was replayed.");
  return { ...result, text: result.failure === undefined ? "" : renderFailure(result.failure) };
}

/** Another deployment of the contract. Its control API is not ours to use. */
async function startDeployment(): Promise<string> {
  const { url } = await startLive({ clock: "running", adminToken: "not-ours" });
  return url;
}

describe("another deployment", () => {
  it("gets the same requests", async () => {
    const url = await startDeployment();
    const { outcome, text } = await replayAt(
      url,
      `
      steps:
        - parallel:
            - request: POST /v1/charges
              body: { amount: 1000, externalId: "\${uuid}", description: A, onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }
              expect: { status: 201 }
              save: { charge: body.id, link: body.paymentUrl }
        - { use: pay.yaml }
        - { request: GET /v1/balance, token: null, expect: { status: 401 } }
        - { request: "GET \${url}/v1/balance", expect: { body: { currency: XOF } } }
        - { request: POST /v1/charges, headers: { X-Company-Id: null }, body: {}, expect: { status: 400 } }
        - { wait: 1ms }
        - eventually: { within: 5s, every: 1ms, request: "GET /v1/charges/\${charge}", expect: { body: { status: paid, createdAt: { $lt: "\${now}" } } } }`,
      {
        "pay.yaml": `steps: [{ request: "POST /v1/charges/\${charge}/pay", body: { msisdn: "\${testNumbers.success}" } }]`,
      },
    );
    expect(text).toBe("");
    expect(outcome).toBe("passed");
  });

  it("gets no company header when no company is known", async () => {
    const url = await startDeployment();
    const { failure } = await replayAt(
      url,
      `steps: [{ request: POST /v1/charges, body: {}, expect: { status: 201 } }]`,
      {},
      {
        ...credentials,
        companyId: "",
      },
    );
    expect(failure?.request?.headers).toEqual({ "content-type": "application/json", authorization: "[redacted]" });
    expect(failure?.answer?.body).toMatchObject({ message: [expect.stringMatching(/^X-Company-Id is missing/)] });
  });

  it.each([
    ["given: { balance: 1 }\nsteps: [{ request: GET /v1/balance }]", "given.balance needs the sandbox"],
    ["steps: [{ request: GET /v1/balance }, { advance: 1h }]", '"advance" needs the sandbox\'s clock (line 1)'],
    ["steps:\n  - clock: freeze", '"clock" needs the sandbox\'s clock (line 2)'],
    ["steps: [{ webhook: {} }]", "webhooks need the sandbox's receiver (line 1)"],
    ["steps: [{ noWebhook: {} }]", "webhooks need the sandbox's receiver (line 1)"],
    [
      'steps: [{ request: POST /v1/webhooks, body: { topic: charges/events, url: "${receiver}" } }]',
      "webhooks need the sandbox's receiver (line 1)",
    ],
    ["steps: [{ rule: { on: request, then: { status: 500 } } }]", "rules need the sandbox (line 1)"],
    ["steps: [{ settle: }]", '"settle" needs the sandbox (line 1)'],
    ["steps: [{ request: GET /_sandbox/clock }]", "the control API needs the sandbox (line 1)"],
    ["steps: [{ request: GET /v1/balance, as: other }]", "another company needs the sandbox (line 1)"],
    [
      "steps: [{ eventually: { within: 1s, request: GET /_sandbox/clock } }]",
      "the control API needs the sandbox (line 1)",
    ],
    [
      "steps:\n  - parallel:\n      - repeat: { times: 1, steps: [{ advance: 1h }] }",
      '"advance" needs the sandbox\'s clock (line 3)',
    ],
    [
      'steps: [{ request: GET /v1/nothing, expect: { body: { timestamp: "${now}" } } }]',
      "an answer with the exact time needs the sandbox's clock (line 1)",
    ],
    ["steps: [{ use: other.yaml }]", '"advance" needs the sandbox\'s clock (other.yaml, line 2)'],
  ])("skips %j", async (yaml, reason) => {
    const result = await replayAt("http://127.0.0.1:9", yaml, { "other.yaml": "steps:\n  - advance: 1h" });
    expect(result).toMatchObject({ outcome: "skipped", reason, failure: undefined });
  });
});

describe("a target that does not answer", () => {
  it.each(["http://127.0.0.1:9", "http://localhost:9"])("%s is reported before any scenario runs", async (url) => {
    await expect(assertReachable({ url })).rejects.toMatchObject({
      kind: "cannot-run",
      message: expect.stringMatching(
        /^Failed to reach the target http:\/\/\S+: .*(?:ECONNREFUSED|bad port).*\. Check --target/,
      ),
    });
  });

  it("is not one that refuses everything", async () => {
    await expect(assertReachable({ url: await startDeployment() })).resolves.toBeUndefined();
  });

  it("causes an error of the step in the middle of a scenario, with the reason", async () => {
    const url = await serveHttp((request) => request.socket.destroy());
    const { failure, outcome } = await replayAt(url, `steps: [{ request: GET /v1/balance }]`);
    expect(outcome).toBe("error");
    expect(failure).toMatchObject({ step: "GET /v1/balance", message: /^fetch failed: .+/ });
  });
});
