import { describe, expect, it } from "vitest";
import { RunWatch } from "../../src/sandbox/run-report.js";
import { startLive } from "../support/live.js";
import { type Client, createApi } from "./client.js";
import { correct } from "./correct.js";
import { correctJobs } from "./correct-jobs.js";
import { dangerous } from "./dangerous.js";
import { dangerousJobs } from "./dangerous-jobs.js";
import { correctTrades, dangerousTrades } from "./trades.js";

/** Runs a program as `sandbox exec` does, to its end. */
async function findingsOf({ run, options }: Client): Promise<readonly string[]> {
  const live = await startLive(options);
  const watch = new RunWatch(live.sandbox, []);
  await run(createApi(live));
  await live.settle(200);
  return watch.report(true).findings.map(({ kind }) => kind);
}

describe("a dangerous client", () => {
  it.each([...dangerous, ...dangerousJobs, ...dangerousTrades])("$name: $finds", async (client) => {
    expect((await findingsOf(client)).toSorted()).toEqual(client.finds);
  });
});

describe("a correct client", () => {
  it.each([...correct, ...correctJobs, ...correctTrades])("$name: nothing is found", async (client) => {
    expect(await findingsOf(client)).toEqual([]);
  });
});
