import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { sign } from "../support/signature.js";

const body = '{"topic":"charges/events","data":{"description":"Café"}}\n';
const binary = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe("sandbox sign", () => {
  it("prints the base64 HMAC SHA-256 of the body under the secret key", async () => {
    // Computed with another tool: printf '%s' '{}' | openssl dgst -sha256 -hmac secret_sandbox -binary | base64
    const { stdout } = await runSandbox(["sign"], { stdin: "{}" });
    expect(stdout).toBe("4m069+gkgBQ+UsRNjtjEKsP776yZlMJQQeu2h2DjnKw=\n");
  });

  it.each([
    ["text", body],
    ["every byte value", binary],
    ["an empty body", ""],
  ])("takes %s from stdin, exactly", async (_, stdin) => {
    const expected = { code: 0, stdout: `${sign(stdin)}\n`, stderr: "" };
    expect(await runSandbox(["sign"], { stdin })).toEqual(expected);
    expect(await runSandbox(["sign", "-"], { stdin })).toEqual(expected);
  });

  it("signs the exact bytes of a file", async () => {
    const cwd = await folderWith({ "event.json": body });
    await writeFile(join(cwd, "binary"), binary);
    expect((await runSandbox(["sign", "event.json"], { cwd })).stdout).toBe(`${sign(body)}\n`);
    expect((await runSandbox(["sign", "binary"], { cwd })).stdout).toBe(`${sign(binary)}\n`);
  });

  it("reads the secret key from --secret, then from SANDBOX_SECRET_KEY", async () => {
    const env = { SANDBOX_SECRET_KEY: "secret_b" };
    expect((await runSandbox(["sign", "--secret", "secret_a"], { stdin: body, env })).stdout).toBe(
      `${sign(body, "secret_a")}\n`,
    );
    expect((await runSandbox(["sign"], { stdin: body, env })).stdout).toBe(`${sign(body, "secret_b")}\n`);
  });
});
