import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readSource } from "../../src/adapters/files/source.js";
import { isObject } from "../../src/kernel/messages/json.js";
import { operators } from "../../src/kernel/matchers.js";
import { settings } from "../../src/domain/profile/settings.js";
import { stepKeywords } from "../../src/scenarios/file/step-schemas.js";
import { schemas, validators } from "../support/json-schemas.js";

const yamlFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => `${folder}/${file}`);

describe.each(Object.entries(schemas))("schema/%s.schema.json", (name, schema) => {
  it("is rendered from the schemas that validate; UPDATE_DOCS=1 writes it", async () => {
    const file = `schema/${name}.schema.json`;
    // On one line: half the size of what every installation fetches.
    const rendered = `${JSON.stringify(schema)}\n`;
    if (process.env["UPDATE_DOCS"] === "1") await writeFile(file, rendered);
    expect(await readFile(file, "utf8")).toBe(rendered);
  });

  it("describes every key", () => {
    expect(undescribed(schema, name)).toEqual([]);
  });
});

it.each(["config", "fixtures", "profile", "scenario"] as const)(
  "schema/%s.schema.json has examples of every duration",
  (name) => {
    const durations = nodesOf(schemas[name]).filter(({ type }) => isDeepStrictEqual(type, ["string", "number"]));
    expect(durations.length).toBeGreaterThan(0);
    expect(durations.filter(({ examples }) => !Array.isArray(examples))).toEqual([]);
  },
);

function nodesOf(schema: unknown): Readonly<Record<string, unknown>>[] {
  return isObject(schema) || Array.isArray(schema)
    ? [...(isObject(schema) ? [schema] : []), ...Object.values(schema).flatMap(nodesOf)]
    : [];
}

/** The keys without a description. Groups of settings need none, nor do the members of a setting. */
function undescribed(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part, index) => undescribed(part, `${path}[${index}]`));
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]: [string, unknown]) => {
    if (key !== "properties") return undescribed(part, `${path}.${key}`);
    return Object.entries(part as Record<string, object>).flatMap(([property, described]) => [
      ...("description" in described || "properties" in described ? [] : [`${path}.${property}`]),
      ...(path.includes("profile") && "description" in described ? [] : undescribed(described, `${path}.${property}`)),
    ]);
  });
}

describe("shipped files conform", () => {
  it.each(yamlFiles("scenarios"))("%s", async (file) => {
    const { value } = await readSource(file);
    validators.scenario(value);
    expect(validators.scenario.errors).toBeNull();
  });

  it.each(yamlFiles("fixtures"))("%s", async (file) => {
    const { value } = await readSource(file);
    validators.fixtures(value);
    expect(validators.fixtures.errors).toBeNull();
  });

  it("and so does every default of the profile", () => {
    const written: Record<string, Record<string, unknown>> = {};
    for (const { path, default: value } of settings) {
      const [group = "", name] = path.split(".");
      if (name !== undefined) (written[group] ??= {})[name] = value;
    }
    validators.profile({ ...written, rateLimit: "off" });
    expect(validators.profile.errors).toBeNull();
  });
});

describe("wrong files do not conform", () => {
  it.each<[keyof typeof validators, string]>([
    ["scenario", "steps: []"],
    ["scenario", "steps: [{ advnace: 1h }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, settle: true }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, expects: {} }]"],
    ["scenario", "steps: [{ request: balance }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, expect: { body: { a: { $regx: x } } } }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, expect: { body: { a: { $absent: false } } } }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, expect: { body: { a: { $length: -1 } } } }]"],
    ["scenario", "steps: [{ request: GET /v1/balance, expect: { body: { a: { $any: true, b: 1 } } } }]"],
    ["scenario", "steps: [{ repeat: { times: 2, steps: [{ waits: 1s }] } }]"],
    ["scenario", "steps: [{ parallel: [] }]"],
    ["scenario", "steps: [{ eventually: { request: GET /v1/balance } }]"],
    ["scenario", "given: { clok: 2026-01-15 }\nsteps: [{ settle: }]"],
    ["scenario", "given: { webhooks: [{ topic: charges }] }\nsteps: [{ settle: }]"],
    ["scenario", "given: { profile: { transfers: { setlement: manual } } }\nsteps: [{ settle: }]"],
    ["scenario", "given: { profile: { charges: { payNotDue: 400 } } }\nsteps: [{ settle: }]"],
    ["fixtures", "charges: [{ externalId: a, amount: 1.5, description: b, status: due }]"],
    ["fixtures", "charges: [{ externalId: a, amount: 1, description: b, status: lost }]"],
    ["fixtures", "customers: [{ msisdn: 700000010, firstName: A, lastName: B }]"],
    ["fixtures", "companies: [{ balance: 1 }]"],
    ["config", "prot: 4010"],
    ["config", "port: 70000"],
    ["config", "log: loud"],
    ["config", "profile: { paging: { limit: 1000 } }"],
    ["profile", "rateLimit: { requests: 1 }"],
    ["profile", "webhooks: { retry: sometimes }"],
  ])("%s: %s", (name, yaml) => {
    expect(validators[name](parse(yaml))).toBe(false);
  });
});

it("every step and every matcher is in the schema", () => {
  expect(schemas.scenario).toMatchObject({
    $defs: {
      step: { anyOf: stepKeywords.map((title) => ({ title })) },
      matcher: { properties: Object.fromEntries(Object.keys(operators).map((name) => [name, {}])) },
    },
  });
});
