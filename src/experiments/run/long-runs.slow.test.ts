import { expect, it } from "vitest";
import { longestStop } from "../../../test/support/loop-stops.js";
import { transferRequest } from "../../../test/support/requests.js";
import { createWorld } from "../../../test/support/world.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { describeEffect } from "./describe-effect.js";
import type { Fact } from "./effect.js";
import { watch } from "./observe.js";
import { runProcess } from "./run-process.js";

it("describes thousands of payouts that were made twice without a long stop", async () => {
  const payouts = Array.from({ length: 10_000 }, (_, at): Fact => ({ kind: "transfer", of: `${at}`, amount: 5_000 }));
  const seen = {
    requests: [],
    deliveries: [],
    outcomes: [],
    failures: [],
    findings: [],
    settings: [],
    appliedRules: [],
  };
  const ended = { exitCode: 0, crash: null, timedOut: false, ms: 1, holds: null, printed: "" };
  const run = { ...ended, seen: { ...seen, facts: [...payouts, ...payouts] } };
  let text = "";
  const stopMs = await longestStop(async () => {
    text = describeEffect({ added: payouts, missing: [] }, { key: ({ of }) => of }, run);
  });
  expect(text).toContain("9999 received 5 000 XOF twice.");
  expect(stopMs).toBeLessThan(1_000);
});

it("takes the output of a command in single bytes without a long stop", async () => {
  const program = `
    const { writeSync } = require("node:fs");
    for (let count = 0; count < 270_000; count++) {
      writeSync(1, ".");
      // Otherwise the pipe collects them.
      for (const begun = performance.now(); performance.now() < begun + 0.015; );
    }
    for (let count = 0; count < 20; count++) writeSync(1, "x".repeat(65_536));`;
  const limits = { system: systemClock, timeoutMs: 60_000, env: process.env, signal: new AbortController().signal };
  const stopMs = await longestStop(async () => {
    const { output } = await runProcess([process.execPath, "-e", program], limits);
    expect(output).toMatch(/x$/);
  });
  expect(stopMs).toBeLessThan(1_000);
});

it("reads which requests made thousands of payouts without a long stop", async () => {
  const { sandbox, api } = createWorld({ balance: 1_000_000_000 });
  const finish = watch(sandbox);
  for (let sent = 0; sent < 40; sent++)
    await api("POST", "/v1/transactions/batch", { transactions: Array.from({ length: 500 }, () => transferRequest()) });
  const stopMs = await longestStop(async () => {
    const { outcomes } = await finish();
    expect(outcomes).toHaveLength(20_000);
    expect(outcomes.at(-1)).toMatchObject({ request: "createBatch#40", ordinal: 20_000 });
  });
  expect(stopMs).toBeLessThan(1_500);
});
