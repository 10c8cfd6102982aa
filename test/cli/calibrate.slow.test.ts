import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { harParts } from "../../src/adapters/har/write-har.js";
import type { CalibrationReport } from "../../src/calibration/report/report.js";
import { recordWith } from "../support/calibrate.js";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { validators } from "../support/json-schemas.js";

it("names the setting of a recorded sandbox, writes a profile that is accepted, and fails on drift only", async () => {
  const exchanges = await recordWith({ http: { createdStatus: 200 } }, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    await sandbox.fetch("/v1/webhooks");
  });
  const folder = await folderWith({});
  await writeFile(join(folder, "traffic.har"), [...harParts(exchanges)].join(""));
  const found = await runSandbox(
    ["calibrate", "traffic.har", "--out", "profile.yaml", "--reporter", "json", "--fail-on", "drift,contradicted"],
    { cwd: folder },
  );
  expect(found.code).toBe(0);
  const report = JSON.parse(found.stdout) as CalibrationReport;
  expect(validators["calibrate-report"](report)).toBe(true);
  expect(report.settings.filter(({ state }) => state === "set")).toMatchObject([
    {
      path: "http.createdStatus",
      value: 200,
      default: 201,
      evidence: [
        { exchange: { index: 0, method: "POST", path: "/v1/webhooks" }, pointer: "/status", expected: 201, got: 200 },
      ],
    },
  ]);
  expect(await readFile(join(folder, "profile.yaml"), "utf8")).toContain(
    "http:\n  # set\n  # #0 POST /v1/webhooks: /status is 200, not 201\n  createdStatus: 200\n",
  );
  expect((await runSandbox(["validate", "profile.yaml"], { cwd: folder })).stdout).toBe("profile.yaml: ok (profile)\n");

  const drifted = exchanges.map((exchange) => ({ ...exchange, answer: { ...exchange.answer!, status: 202 } }));
  await writeFile(join(folder, "drift.har"), [...harParts(drifted)].join(""));
  const failed = await runSandbox(["calibrate", "drift.har", "--fail-on", "drift"], { cwd: folder });
  expect(failed.code).toBe(5);
  expect(failed.stdout).toContain("the status is 202, not 201. In 1 of 1, first in #0 POST /v1/webhooks.");
});

it("refuses a file without traffic, and an unknown setting", async () => {
  const folder = await folderWith({});
  const elsewhere: HttpExchange = {
    startedAt: 0,
    ms: 1,
    method: "GET",
    url: "https://shop.test/",
    headers: [],
    body: undefined,
    answer: undefined,
  };
  await writeFile(join(folder, "empty.har"), [...harParts([elsewhere])].join(""));
  const empty = await runSandbox(["calibrate", "empty.har"], { cwd: folder });
  expect([empty.code, empty.stderr]).toEqual([
    2,
    "There is no request to the API (/v1/…) and no webhook in empty.har.\n",
  ]);
  const unknown = await runSandbox(["calibrate", "empty.har", "--only", "transfer"], { cwd: folder });
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Unknown setting "transfer".')]);
});
