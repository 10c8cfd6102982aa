import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followSandbox, runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { problemsOfHar } from "../support/har.js";

/** A command that sends requests with long bodies, prints that it did, and then runs `end`. */
const sending = (requests: number, end = ""): string[] => [
  "--",
  process.execPath,
  "--input-type=module",
  "--eval",
  `const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID } = process.env;
   const headers = { authorization: "Bearer " + SANDBOX_ACCESS_TOKEN, "x-company-id": SANDBOX_COMPANY_ID, "content-type": "application/json" };
   const body = JSON.stringify({ note: "x".repeat(200_000) });
   for (let n = 0; n < ${requests}; n++) await fetch(SANDBOX_URL + "/v1/charges", { method: "POST", headers, body });
   console.log("sent");
   ${end}`,
];

async function entriesOf(file: string): Promise<number> {
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
  return archive.log.entries.length;
}

it("keeps what it wrote when it is killed", async () => {
  const file = join(await folderWith({}), "reports/traffic.har");
  const run = followSandbox([
    "exec",
    "--har",
    file,
    ...sending(3, "setInterval(() => fetch(SANDBOX_URL).catch(() => process.exit()), 50);"),
  ]);
  await run.waitForText("sent");
  run.signal("SIGKILL");
  await run.ended;
  expect(await entriesOf(file)).toBeGreaterThanOrEqual(2);
});

it("says what it could not write when the disk is full, and keeps the rest and the command's result", async () => {
  const file = join(await folderWith({}), "traffic.har");
  const full = { fileBlocks: 1_000 };
  const { code, stdout, stderr } = await runSandbox(["exec", "--har", file, ...sending(5)], full);
  expect([code, stdout]).toEqual([3, "sent\n"]);
  expect(stderr).toMatch(
    /Failed to write 3 requests and webhooks to \S+traffic\.har: the file has reached its limit\./,
  );
  expect(await entriesOf(file)).toBe(2);
  const failed = await runSandbox(["exec", "--har", file, ...sending(5, "process.exitCode = 9;")], full);
  expect([failed.code, failed.stderr]).toEqual([9, expect.stringContaining("the file has reached its limit")]);
});

it("replaces a file that is there; of two runs with one file, the later one has it", async () => {
  const folder = await folderWith({ "traffic.har": "an older recording" });
  const file = join(folder, "traffic.har");
  const first = followSandbox(["exec", "--har", file, ...sending(1, "process.stdin.resume();")]);
  await first.waitForText("sent");
  expect(await runSandbox(["exec", "--har", file, ...sending(2)])).toMatchObject({ code: 0 });
  first.signal("SIGTERM");
  expect(await first.ended).not.toBe(0);
  expect(first.output).toContain("another process has replaced it");
  expect(await entriesOf(file)).toBe(2);
});

it("cannot write to a folder, or where a file is in the way", async () => {
  const folder = await folderWith({ file: "" });
  for (const other of ["--record", "--report"]) {
    const place = join(folder, "same");
    const { code, stderr } = await runSandbox(["exec", "--har", place, other, place, ...sending(1)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`--har and ${other} name the same place`)]);
  }
  for (const file of [folder, join(folder, "file/traffic.har")]) {
    const { code, stdout, stderr } = await runSandbox(["exec", "--har", file, ...sending(1)]);
    expect([code, stdout, stderr]).toEqual([3, "", expect.stringContaining(`Failed to write the archive to ${file}`)]);
  }
});
