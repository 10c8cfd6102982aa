import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readText } from "./read-text.js";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-text-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function given(content: string | Uint8Array): Promise<string> {
  const file = join(folder, "given.yaml");
  await writeFile(file, content);
  return file;
}

describe("readText", () => {
  it("returns the unchanged text", async () => {
    await expect(readText(await given("é: ☕\r\n"))).resolves.toBe("é: ☕\r\n");
    await expect(readText(await given(""))).resolves.toBe("");
  });

  it("reads two mebibytes, and no more", async () => {
    await expect(readText(await given("x".repeat(2 ** 21)))).resolves.toHaveLength(2 ** 21);
    await expect(readText(await given("x".repeat(2 ** 21 + 1)))).rejects.toThrow(
      /given\.yaml: it is larger than 2 MiB/,
    );
  });

  it("reports why a file cannot be read", async () => {
    const failure = (name: string): Promise<unknown> => readText(join(folder, name)).catch((error: unknown) => error);
    await symlink("loop", join(folder, "loop"));
    await expect(failure("missing.yaml")).resolves.toMatchObject({
      name: "UsageError",
      kind: "file",
      messages: [`Failed to read ${join(folder, "missing.yaml")}: there is no such file. Check its path.`],
    });
    await expect(failure("given.yaml/below")).resolves.toMatchObject({
      kind: "file",
      message: /there is no such file/,
    });
    await expect(failure(".")).resolves.toMatchObject({ kind: "file", message: /it is a folder/ });
    await expect(failure("loop")).resolves.toMatchObject({ kind: "file", message: /its links lead in a circle/ });
    await expect(failure("x".repeat(5000))).resolves.toMatchObject({ kind: "file", message: /its path is too long/ });
  });

  it.each(["/dev/zero", "/dev/null", "pipe"])("refuses %s, which is no file, immediately", async (name) => {
    const path = name === "pipe" ? join(folder, name) : name;
    if (name === "pipe") execFileSync("mkfifo", [path]);
    await expect(readText(path)).rejects.toThrow(`Failed to read ${path}: it is a pipe or a device. Name a file.`);
  });

  it("names an empty path", async () => {
    await expect(readText("")).rejects.toThrow('Failed to read "": there is no such file. Check its path.');
  });

  it.each([
    ["bytes that are no text", Uint8Array.of(0xff, 0xfe, 0x41, 0x00)],
    ["half a character", Uint8Array.of(0x61, 0xc3)],
    ["zero bytes", Uint8Array.of(0x61, 0x00)],
  ])("refuses %s", async (_, bytes) => {
    await expect(readText(await given(bytes))).rejects.toThrow(/it is not UTF-8 text\. Save it as UTF-8\.$/);
  });
});
