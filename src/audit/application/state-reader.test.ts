import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith } from "../../../test/support/folder.js";
import { isRunning } from "../../../test/support/is-running.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { readState } from "./state-reader.js";

/** Its time is over when the test says so. */
function optionsWith(onWait: (endTime: () => void) => void) {
  return { name: "--check", timeoutMs: 10_000, system: { ...systemClock, after: waitFor(onWait) } };
}

const waitFor = (onWait: (endTime: () => void) => void) => (_: number, endTime: () => void) => {
  onWait(endTime);
  return () => {};
};

const never = optionsWith(() => {});

describe("readState", () => {
  it("reads output that is not JSON as rows", async () => {
    expect(await readState("echo all is well", never)).toEqual(["all is well"]);
    expect(await readState("echo 5", never)).toBe(5);
    expect(await readState(() => new Date(0), never)).toBe("1970-01-01T00:00:00.000Z");
  });

  it.each([
    ["shipped: 3", ["shipped", "3"]],
    ["shipped orders = 3", ["shipped orders", "3"]],
    ["revenue=-10000.50 XOF", ["revenue", "-10000.50"]],
    ['orders_total{status="paid"} 3', ['orders_total{status="paid"}', "3"]],
    ["paid | 3", ["paid", "3"]],
    ["order-17  paid       10000  t", ["order-17", "paid", "10000", "t"]],
    ["  status = paid", "status = paid"],
    ["order-17 3", "order-17 3"],
    ["at 12:30:05", "at 12:30:05"],
    ["version 1.2.3", "version 1.2.3"],
    ["order-17,paid,3", ["order-17", "paid", "3"]],
    ["10,000 and more", "10,000 and more"],
    ["revenue|-10,000", ["revenue", "-10,000"]],
    ["order-17,123,paid", ["order-17", "123", "paid"]],
    ["7,123e4567-e89b,paid", ["7", "123e4567-e89b", "paid"]],
  ])("reads the cells of a row: %s", async (line, row) => {
    expect(await readState(`printf %s '${line}'`, never)).toEqual([row]);
  });

  it("leaves out what databases print around the rows", async () => {
    const printed = String.raw` status | count\n--------+-------\n paid   |     3\n(1 row)\n\n`;
    expect(await readState(`printf '${printed}'`, never)).toEqual([
      ["status", "count"],
      ["paid", "3"],
    ]);
  });

  it.each([
    String.raw`+------+---+\n| paid | 3 |\n+------+---+`,
    String.raw`|------|---|\n| paid | 3 |`,
    String.raw`┌──────┬───┐\n│ paid │ 3 │\n└──────┴───┘`,
  ])("reads the cells of a table in a box: %s", async (printed) => {
    expect(await readState(`printf '${printed}'`, never)).toEqual([["paid", "3"]]);
  });

  it("leaves out the lines below a header of columns", async () => {
    const printed = String.raw`status  count\n------  -----\npaid    3`;
    expect(await readState(`printf '${printed}'`, never)).toEqual([
      ["status", "count"],
      ["paid", "3"],
    ]);
  });

  it("keeps the value that a function returned", async () => {
    const orders = { paid: 1 };
    const state = await readState(() => orders, never);
    orders.paid = 2;
    expect(state).toEqual({ paid: 1 });
  });

  it("refuses a value that JSON cannot represent", async () => {
    await expect(readState(() => undefined, never)).rejects.toThrow("it must return a number or something else");
  });

  it("rejects with the error of a function", async () => {
    const broken = new Error("no database");
    await expect(readState(() => Promise.reject(broken), never)).rejects.toBe(broken);
  });

  it("rejects for a function that takes too long", async () => {
    const releaseImmediately = optionsWith((endTime) => endTime());
    await expect(readState(() => new Promise(() => {}), releaseImmediately)).rejects.toThrow(
      "it did not end within 10000 ms",
    );
  });

  it.each([
    ["a line for a shell", (script: string) => `sh ${script} && true`],
    ["a program", (script: string) => `sh ${script}`],
  ])("kills %s that takes too long, with all processes that it started", { timeout: 30_000 }, async (_, commandOf) => {
    const folder = await folderWith({
      "wait.sh": 'cd "$(dirname "$0")"\nsleep 60 & echo $! > new && mv new pid\nwait\n',
    });
    const file = join(folder, "pid");
    let endTime = (): void => {};
    const reading = readState(
      commandOf(join(folder, "wait.sh")),
      optionsWith((end) => (endTime = end)),
    );
    const failure = reading.catch((error: unknown) => error);
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    endTime();
    expect(String(await failure)).toContain("it did not end within 10000 ms");
    const pid = Number(readFileSync(file, "utf8"));
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  it("refuses a value that is nested too deeply", async () => {
    const folder = await folderWith({ "state.json": "[".repeat(10_000) + "]".repeat(10_000) });
    const reading = readState(`cat ${join(folder, "state.json")}`, never);
    await expect(reading).rejects.toThrow("what it printed is nested deeper than 200 levels");
  });

  it("kills a command with endless output", async () => {
    await expect(readState("yes", never)).rejects.toThrow("it printed more than 4194304 bytes");
  });
});
