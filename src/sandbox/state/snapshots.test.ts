import { expect, it, onTestFinished } from "vitest";
import { resolveOptions } from "../config/options.js";
import { Sandbox } from "../sandbox.js";
import { readSnapshot, saveSnapshot } from "./snapshots.js";

it("the snapshots of a company have a common limit, and replacing one makes room", () => {
  const sandbox = new Sandbox(resolveOptions());
  onTestFinished(() => sandbox.close());
  const company = sandbox.defaultCompany;
  const { bytes } = saveSnapshot(company, "a");
  const limits = { count: 10, bytes: 2 * bytes, bytesOfOne: bytes };
  saveSnapshot(company, "b", limits);
  expect(() => saveSnapshot(company, "c", limits)).toThrow(
    `Failed to save the snapshot "c": it has ${bytes} bytes; ${2 * bytes} bytes of snapshots are kept, there are ${2 * bytes} of others. Remove one with DELETE`,
  );
  expect(saveSnapshot(company, "a", limits).bytes).toBe(bytes);
  expect(() => saveSnapshot(company, "a", { ...limits, bytesOfOne: bytes - 1 })).toThrow(
    `Failed to save the snapshot "a": it has ${bytes} bytes; one may have ${bytes - 1}. Reset the company`,
  );
  expect(company.record.snapshots.size).toBe(2);
});

it("a snapshot that is damaged in the store is reported", () => {
  const sandbox = new Sandbox(resolveOptions());
  onTestFinished(() => sandbox.close());
  const company = sandbox.defaultCompany;
  company.record.snapshots.set({ ...saveSnapshot(company, "a"), json: "{" });
  expect(() => readSnapshot(company, "a")).toThrow(
    'Failed to read the snapshot "a": it is damaged in the store. Remove it with DELETE /_sandbox/snapshots/a.',
  );
});
