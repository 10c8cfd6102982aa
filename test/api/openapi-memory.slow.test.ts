import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { openWorld } from "../support/world.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const MIB = 1024 * 1024;

it("the descriptions of many companies are not all kept", async () => {
  const { api, control } = openWorld();
  const ids = Array.from({ length: 200 }, (_, at) => `company_${at}`);
  for (const companyId of ids) expect((await control("POST", "/companies", { companyId })).status).toBe(201);
  const read = async (companyId: string) =>
    expect((await api("GET", `/openapi.json?company=${companyId}`)).status).toBe(200);
  for (const id of ids.slice(0, 50)) await read(id);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const id of ids.slice(50)) await read(id);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MIB);
});
