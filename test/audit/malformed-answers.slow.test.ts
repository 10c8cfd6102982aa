import { describe, expect, it } from "vitest";
import { readState } from "../../src/audit/application/state-reader.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createRemoteTarget } from "../../src/scenarios/run/remote-target.js";
import { askTwice, expensiveAnswers, malformedAnswers } from "../support/malformed-answers.js";
import { parseText } from "../support/scenarios.js";

const timeoutMs = 150;
/** `fetch` parses a packet of 16 000 empty headers before it refuses it: 100 ms, or 400 on a slow machine. This delays only the command itself. */
const STOP_MAX_MS = 3_000;

const check = (url: string) =>
  readState(url, { name: "--check", method: "POST", timeoutMs, system: systemClock }).then(
    (state) => `the state ${String(state)}`,
    ({ message }) => message,
  );

async function replay(url: string) {
  const credentials = { token: "at_x", companyId: "", secretKey: "" };
  const target = createRemoteTarget({ ...credentials, url, system: systemClock, timeoutMs });
  const world = await target.open(await parseText("steps: [{ request: GET /v1/balance }]", {}), "first");
  const request = { method: "POST", path: "/v1/charges", headers: {}, body: "{}" };
  return world.send(request).then(
    ({ status }) => `status ${status}`,
    (error: Error) => error.message,
  );
}

describe.each([
  ["reading a state for an audit", check],
  ["a replay", replay],
])("%s", (_, client) => {
  it.each([...malformedAnswers, ...expensiveAnswers])("ends after %s", async (__, answer) => {
    const { outcome, stopMs } = await askTwice(client, answer);
    expect(outcome).not.toBe("");
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });
});
