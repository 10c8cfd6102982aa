import { describe, expect, it, vi } from "vitest";
import { createLog, type LogPlace, type LogStyle } from "./log.js";

/** What is written of an info, a warning and a bug. */
function written(style: LogStyle, place?: LogPlace): { stdout: string; stderr: string } {
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      out[name] += String(text);
      return true;
    });
  }
  const log = createLog(style, () => Date.UTC(2026, 0, 15, 9), place);
  log.write("info", "stopped");
  log.write("warn", "deliveries-given-up", { count: 1 });
  log.write("error", "bug", { error: "Error: x" });
  vi.restoreAllMocks();
  return out;
}

describe("the log", () => {
  it("says what happens on stdout, and what goes wrong on stderr", () => {
    const { stdout, stderr } = written("json");
    expect(JSON.parse(stdout)).toEqual({ event: "stopped", level: "info", time: "2026-01-15T09:00:00.000Z" });
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(["deliveries-given-up", "bug"]);
    expect(written("pretty").stderr).toMatch(/^2026-01-15T09:00:00\.000Z {2}warn {3}deliveries given up {2}count=1\n/);
  });

  it("says nothing when it is to be silent", () => {
    expect(written("silent")).toEqual({ stdout: "", stderr: "" });
  });

  it("beside another command leaves stdout alone, and never hides what went wrong", () => {
    expect(written("json", { beside: true })).toMatchObject({ stdout: "", stderr: expect.stringContaining("stopped") });
    const { stdout, stderr } = written("silent", { beside: true });
    expect(stdout).toBe("");
    expect(stderr).toMatch(/deliveries given up[^]*bug/);
    expect(stderr).not.toContain("stopped");
  });
});
