import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseProfile } from "../../src/domain/profile/parse-profile.js";
import { settings } from "../../src/domain/profile/settings.js";
import { runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";

async function print(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runSandbox(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

describe("sandbox openapi", () => {
  it("prints the same document as YAML (the default) and as JSON", async () => {
    const json = JSON.parse(await print("openapi", "--format", "json"));
    expect(json.openapi).toBe("3.1.0");
    const yaml = await print("openapi");
    expect(parse(yaml)).toEqual(json);
    expect(await print("openapi", "--format", "yaml")).toBe(yaml);
  });

  it("describes the API that a sandbox serves", async () => {
    const sandbox = await startSandbox();
    const served = await call(`${sandbox.url}/openapi.json`, "GET");
    await sandbox.stop();
    const printed = JSON.parse(await print("openapi", "--format", "json"));
    expect(Object.keys(printed.paths)).toEqual(Object.keys(served.body.paths));
    expect(Object.keys(printed.webhooks)).toEqual(Object.keys(served.body.webhooks));
  });
});

describe.each(["openapi", "profile"])("sandbox %s --json", (verb) => {
  it("is short for --format json, and conflicts with --format", async () => {
    expect(await print(verb, "--json")).toBe(await print(verb, "--format", "json"));
    const { code, stderr } = await runSandbox([verb, "--json", "--format", "yaml"]);
    expect(code).toBe(1);
    expect(stderr).toContain("--json");
  });
});

describe("sandbox profile", () => {
  it("prints a page with every setting", async () => {
    const page = await print("profile");
    expect(page).toMatch(/^# The profile\n\n[^<]/);
    expect(await print("profile", "--format", "md")).toBe(page);
    for (const { path } of settings) expect(page).toContain(`# ${path}\n`);
  });

  it("prints an array with every setting as JSON", async () => {
    const listed = JSON.parse(await print("profile", "--format", "json")) as Record<string, unknown>[];
    expect(listed.map(({ setting }) => setting)).toEqual(settings.map(({ path }) => path));
    expect(listed.find(({ setting }) => setting === "transfers.settlement")).toEqual({
      setting: "transfers.settlement",
      summary: expect.any(String),
      value: { after: "2s" },
      default: { after: "2s" },
      alternatives: expect.arrayContaining([{ value: "manual", effect: expect.any(String) }]),
      question: "How long does a transfer stay `pending`, and can it stay so for ever?",
      contract: expect.stringContaining("not shown"),
    });
  });

  it("prints a YAML profile file with the defaults", async () => {
    const yaml = await print("profile", "--format", "yaml");
    const [written, defaults] = [parseProfile(parse(yaml)), parseProfile()];
    expect(written.ok && written.values).toEqual(defaults.ok && defaults.values);
    expect(yaml.split("\n").filter((line) => line.length > 110)).toEqual([]);
    const cwd = await folderWith({ "profile.yaml": yaml });
    expect((await runSandbox(["validate", "profile.yaml"], { cwd })).stdout).toBe("profile.yaml: ok (profile)\n");
    const sandbox = await startSandbox(["--profile", "profile.yaml"], { cwd });
    await sandbox.stop();
  });
});

describe("a reader that closes the pipe", () => {
  it("causes no error", async () => {
    expect(await runSandbox(["profile"], { closeStdout: true })).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
