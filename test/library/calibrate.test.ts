import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harParts } from "../../src/adapters/har/write-har.js";
import { UsageError, calibrate } from "../../src/index.js";
import { recordSigned, recordWith } from "../support/calibrate.js";
import { folderWith } from "../support/folder.js";

it("calibrates with files", async () => {
  const exchanges = await recordWith({ webhooks: { topicSpelling: "singular" } }, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
  });
  const file = join(await folderWith({}), "traffic.har");
  await writeFile(file, [...harParts(exchanges)].join(""));
  const { settings, drift, source } = await calibrate([file], { only: ["webhooks.topicSpelling", "http"] });
  expect(source).toMatchObject({ files: [file], exchanges: 1, webhooks: 0 });
  expect(drift).toEqual([]);
  expect(settings.find(({ path }) => path === "http.createdStatus")).toMatchObject({ state: "confirmed", value: 201 });
});

it.each([
  ["secret_sandbox", []],
  ["another", [{ topic: "charges/events", pointer: "/headers/x-service-hmac-sha256", kind: "signature" }]],
])("verifies the signatures of webhooks with the secret key %s", async (secretKey, drift) => {
  const { exchanges } = await recordSigned();
  const file = join(await folderWith({}), "traffic.har");
  await writeFile(file, [...harParts(exchanges)].join(""));
  const report = await calibrate([file], { secretKey, only: ["http"] });
  expect(report.source.webhooks).toBe(1);
  expect(report.drift).toMatchObject(drift);
});

it("calls no receiver that the traffic names", async () => {
  const { exchanges, receiver } = await recordSigned();
  const file = join(await folderWith({}), "traffic.har");
  await writeFile(file, [...harParts(exchanges)].join(""));
  const before = receiver.connectionsMade;
  const report = await calibrate([file], { only: ["webhooks"] });
  expect(report.source.webhooks).toBe(1);
  expect([before, receiver.connectionsMade, receiver.received.length]).toEqual([1, 1, 1]);
});

it("names an exchange by its place in its archive, with the tunnels that a proxy records", async () => {
  const [asked] = await recordWith({}, async (sandbox) => void (await sandbox.fetch("/v1/balance")));
  const odd = { ...asked!, answer: { ...asked!.answer!, body: Buffer.from('{"balance":1,"currency":"XOF","odd":1}') } };
  const tunnel = { ...asked!, method: "CONNECT" };
  const folder = await folderWith({
    "first.har": [...harParts([tunnel, tunnel, asked!, odd])].join(""),
    "second.har": [...harParts([tunnel, odd])].join(""),
  });
  const [first, second] = [join(folder, "first.har"), join(folder, "second.har")];
  const exampleIn = async (...files: readonly string[]) =>
    (await calibrate(files, { only: ["http"] })).drift[0]?.example;
  const shown = { method: "GET", path: "/v1/balance" };
  expect(await exampleIn(first)).toMatchObject({ exchange: { ...shown, file: null, index: 3 } });
  expect(await exampleIn(second, first)).toMatchObject({ exchange: { ...shown, file: second, index: 1 } });
});

it("rejects traffic of which nothing can be compared", async () => {
  const file = join(await folderWith({}), "traffic.har");
  const [asked] = await recordWith({}, async (sandbox) => void (await sandbox.fetch("/v1/balance")));
  for (const url of ["http://127.0.0.1/v2/balance", asked!.url]) {
    await writeFile(file, [...harParts([{ ...asked!, url, answer: undefined }])].join(""));
    await expect(calibrate([file])).rejects.toThrow("Failed to calibrate: Nothing was compared");
  }
});

it("rejects wrong settings", async () => {
  await expect(calibrate(["a.har"], { only: ["transfer"] })).rejects.toThrow(/Unknown setting "transfer"/);
  await expect(calibrate(["a.har"], { profile: Object.assign({ https: {} }) })).rejects.toThrow(/Failed to calibrate/);
});

it.each([
  ["no file", [], {}, "give a list of at least one HTTP archive (HAR), got []."],
  ["one name in place of a list", "a.har", {}, 'give a list of at least one HTTP archive (HAR), got "a.har".'],
  ["an unknown option", ["a.har"], { onyl: [] }, 'onyl is not an option. Did you mean "only"?'],
  ["no options", ["a.har"], null, "the options must be an object, got null."],
])("rejects %s", async (_, files: unknown, options: unknown, message) => {
  const calling = Reflect.apply(calibrate, undefined, [files, options]) as Promise<unknown>;
  const error = await calling.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toBe(`UsageError: Failed to calibrate: ${message}`);
});
