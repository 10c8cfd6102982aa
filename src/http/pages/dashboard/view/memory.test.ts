import { expect, it } from "vitest";
import { resolveOptions } from "../../../../sandbox/config/options.js";
import { Sandbox } from "../../../../sandbox/sandbox.js";
import { Memory } from "./memory.js";

it("keeps the newest removed snapshots, within a bound of bytes", () => {
  const sandbox = new Sandbox(resolveOptions());
  const of = sandbox.openedAs(sandbox.defaultCompany);
  const memory = new Memory();
  const remove = (mebibytes: number): string => {
    const removed = { id: "s", seq: 1, savedAt: 0, now: 0, json: "{}", bytes: mebibytes * 1024 * 1024 };
    return memory.addOutcome(of, { ok: true, title: "", problems: [], curl: "", undo: { removed } });
  };
  const other = memory.addOutcome(of, { ok: true, title: "", problems: [], curl: "" });
  const ids = [remove(100), remove(200), remove(50), remove(255)];
  expect(ids.map((id) => memory.findOutcome(of, id) !== undefined)).toEqual([false, false, false, true]);
  expect(memory.findOutcome(of, other)).toBeDefined();
});
