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

it("keeps of a refused form what a form of the dashboard may have", () => {
  const sandbox = new Sandbox(resolveOptions());
  const of = sandbox.openedAs(sandbox.defaultCompany);
  const memory = new Memory();
  const kept = (fields: Record<string, string>, curl = "") => {
    const id = memory.addOutcome(of, { ok: false, title: "", problems: [], curl, refused: { name: "open", fields } });
    return memory.findOutcome(of, id);
  };
  const long = "x".repeat(60_000);
  expect(kept({ name: "shop", a: long, b: long, rule: "{}" })?.refused?.fields).toEqual({
    name: "shop",
    a: long,
    b: "",
    rule: "{}",
  });
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field${at}`, "1"]));
  expect(Object.keys(kept(many)?.refused?.fields ?? {})).toHaveLength(20);
  expect(kept({}, `curl ${"x".repeat(1_000_000)}`)?.curl).toBe("");
});
