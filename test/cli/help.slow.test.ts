import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { runSandbox } from "../support/cli.js";

const verbs = [
  "start",
  "exec",
  "explore",
  "vary",
  "replay",
  "audit",
  "proxy",
  "calibrate",
  "init",
  "clock",
  "companies",
  "sign",
  "validate",
  "openapi",
  "profile",
];

describe("help", () => {
  it("is printed by `sandbox` without arguments", async () => {
    const alone = await runSandbox([]);
    expect(alone).toEqual({
      code: 0,
      stdout: expect.stringContaining("Usage: npx sandbox <verb> [options]"),
      stderr: "",
    });
    expect(await runSandbox(["--help"])).toEqual(alone);
    expect(await runSandbox(["help"])).toEqual(alone);
  });

  it("lists all verbs, the exit codes and examples", async () => {
    const { stdout } = await runSandbox([]);
    const listed = stdout.match(/^Verbs:\n((?: {2}\S.*\n)+)/m)?.[1]?.match(/^ {2}\w+/gm);
    expect(listed?.map((name) => name.trim())).toEqual([...verbs, "help"]);
    expect(stdout).toMatch(/^Exit codes:\n {2}0 /m);
    expect(stdout).toMatch(/^Examples:\n {2}npx sandbox /m);
  });

  it.each(verbs)("of %s has examples, fits 80 columns, and is the same with --help", async (verb) => {
    const help = await runSandbox([verb, "--help"]);
    expect(help).toEqual({ code: 0, stdout: expect.stringMatching(/^Examples:\n {2}.*sandbox /m), stderr: "" });
    expect(await runSandbox(["help", verb])).toEqual(help);
    expect(help.stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("of start lists every option", async () => {
    const { stdout } = await runSandbox(["start", "--help"]);
    const options = stdout.match(/^ {2}--[a-z-]+/gm)?.map((option) => option.trim());
    expect(options).toEqual([
      ..."--port --host --public-url --config --profile --fixtures --scenario --rules --store --clock --tenancy --auto-provision".split(
        " ",
      ),
      ..."--seed --admin-token --tls-cert --tls-key --drain --production-headers-only --log --log-level --record --open".split(
        " ",
      ),
    ]);
  });

  it("prints the version", async () => {
    expect(await runSandbox(["--version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it("is coloured only where colours are wanted", async () => {
    expect((await runSandbox([], { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001B[1mVerbs:");
    const plain = await Promise.all(
      [{}, { CI: "true" }, { NO_COLOR: "1" }, { FORCE_COLOR: "0" }].map((env) => runSandbox([], { env })),
    );
    for (const { stdout } of plain) expect(stdout).not.toContain("\u001B[");
  });
});
