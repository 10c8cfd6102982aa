import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith } from "../../../test/support/folder.js";
import { problemsOfHar } from "../../../test/support/har.js";
import { createHarFile } from "./har-file.js";
import type { HttpExchange } from "./http-exchange.js";

const exchangeOf = (path: string): HttpExchange => ({
  startedAt: 0,
  ms: 1,
  method: "GET",
  url: `https://api.test${path}`,
  headers: [],
  body: undefined,
  answer: undefined,
});

async function pathsIn(file: string): Promise<readonly string[]> {
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
  return archive.log.entries.map(({ request }: { request: { url: string } }) => new URL(request.url).pathname);
}

it("of two that write to one file, the later one has it, and the other one says so", async () => {
  const path = join(await folderWith({}), "traffic.har");
  await writeFile(path, "an older recording");
  const failures: string[] = [];
  const first = await createHarFile(path, (reason) => failures.push(`first: ${reason}`));
  first.add(exchangeOf("/first"));
  const second = await createHarFile(path, (reason) => failures.push(`second: ${reason}`));
  first.add(exchangeOf("/first"));
  second.add(exchangeOf("/second"));
  await first.close();
  await second.close();
  expect(await pathsIn(path)).toEqual(["/second"]);
  expect(failures).toEqual(["first: another process has replaced it"]);
  expect([first.written, first.lost, second.written, second.lost]).toEqual([0, 2, 1, 0]);
});

it("says what keeps it from a file, and leaves what is no file", async () => {
  const folder = await folderWith({});
  const failed = (path: string) => createHarFile(path, () => undefined).then((file) => file.close());
  await expect(failed(folder)).rejects.toThrow(`Failed to write the recording to ${folder}: it is a folder.`);
  const missing = join(folder, "none/traffic.har");
  await expect(failed(missing)).rejects.toThrow(`to ${missing}: there is no such folder.`);
  await failed("/dev/null");
  await expect(failed("/dev/null")).resolves.toBeUndefined();
});

it.runIf(existsSync("/dev/full"))("a disk that is full is said in a sentence", async () => {
  await expect(createHarFile("/dev/full", () => undefined)).rejects.toThrow(
    "Failed to write the recording to /dev/full: the disk is full.",
  );
});
