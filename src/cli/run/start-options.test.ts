import { describe, expect, it } from "vitest";
import { type StartFlags, type StartOptions, resolveStartOptions } from "./start-options.js";
import type { FileConfig } from "../../sandbox/config/config-schema.js";

interface Row {
  readonly option: keyof StartOptions;
  readonly flag: StartFlags;
  readonly variable: Readonly<Record<string, string>>;
  readonly config: FileConfig;
  /** The values from the flag, the variable, the configuration and the default. */
  readonly makes: readonly [unknown, unknown, unknown, unknown];
}

const noon = Date.UTC(2026, 0, 15, 12);

const rows: readonly Row[] = [
  {
    option: "port",
    flag: { port: "1" },
    variable: { SANDBOX_PORT: "2" },
    config: { port: 3 },
    makes: [1, 2, 3, 4010],
  },
  {
    option: "host",
    flag: { host: "0.0.0.0" },
    variable: { SANDBOX_HOST: "localhost" },
    config: { host: "::1" },
    makes: ["0.0.0.0", "localhost", "::1", "127.0.0.1"],
  },
  {
    option: "publicUrl",
    flag: { publicUrl: "https://a.test/" },
    variable: { SANDBOX_PUBLIC_URL: "https://b.test/pay/" },
    config: { publicUrl: "http://c.test:8080" },
    makes: ["https://a.test", "https://b.test/pay", "http://c.test:8080", undefined],
  },
  {
    option: "profile",
    flag: { profile: "a.yaml" },
    variable: { SANDBOX_PROFILE: "b.yaml" },
    config: { profile: { charges: { ttl: "2h" } } },
    makes: ["a.yaml", "b.yaml", { charges: { ttl: "2h" } }, undefined],
  },
  {
    option: "rules",
    flag: { rules: ["a.yaml", "b.yaml"] },
    variable: { SANDBOX_RULES: "c.yaml, d.yaml" },
    // The rules of the configuration apply in addition to these.
    config: { rules: [] },
    makes: [["a.yaml", "b.yaml"], ["c.yaml", "d.yaml"], [], []],
  },
  {
    option: "fixtures",
    flag: { fixtures: ["a.yaml", "b.yaml"] },
    variable: { SANDBOX_FIXTURES: "c.yaml, d.yaml" },
    config: { fixtures: ["e.yaml"] },
    makes: [["a.yaml", "b.yaml"], ["c.yaml", "d.yaml"], ["e.yaml"], []],
  },
  {
    option: "scenario",
    flag: { scenario: ["a.yaml", "b.yaml"] },
    variable: { SANDBOX_SCENARIO: "c.yaml" },
    config: { scenario: ["e.yaml"] },
    makes: [["a.yaml", "b.yaml"], ["c.yaml"], ["e.yaml"], []],
  },
  {
    option: "record",
    flag: { record: "a.yaml" },
    variable: { SANDBOX_RECORD: "b.yaml" },
    config: { record: "c.yaml" },
    makes: ["a.yaml", "b.yaml", "c.yaml", undefined],
  },
  {
    option: "clock",
    flag: { clock: "2026-01-15T12:00:00Z" },
    variable: { SANDBOX_CLOCK: "frozen" },
    config: { clock: "2026-01-15" },
    makes: [
      { mode: "frozen", at: noon },
      { mode: "frozen", at: undefined },
      { mode: "frozen", at: Date.UTC(2026, 0, 15) },
      { mode: "running" },
    ],
  },
  {
    option: "tenancy",
    flag: { tenancy: true, adminToken: "s3cret" },
    variable: { SANDBOX_TENANCY: "no" },
    config: { tenancy: true, adminToken: "s3cret" },
    makes: [true, false, true, false],
  },
  {
    option: "autoProvision",
    flag: { autoProvision: true },
    variable: { SANDBOX_AUTO_PROVISION: "no" },
    config: { autoProvision: true },
    makes: [true, false, true, false],
  },
  {
    option: "seed",
    flag: { seed: "-1" },
    variable: { SANDBOX_SEED: "2" },
    config: { seed: 3 },
    makes: [-1, 2, 3, undefined],
  },
  {
    option: "adminToken",
    flag: { adminToken: "a" },
    variable: { SANDBOX_ADMIN_TOKEN: "b" },
    config: { adminToken: "c" },
    makes: ["a", "b", "c", undefined],
  },
  {
    option: "tlsCert",
    flag: { tlsCert: "a.pem", tlsKey: "k" },
    variable: { SANDBOX_TLS_CERT: "b.pem", SANDBOX_TLS_KEY: "k" },
    config: { tlsCert: "c.pem", tlsKey: "k" },
    makes: ["a.pem", "b.pem", "c.pem", undefined],
  },
  {
    option: "tlsKey",
    flag: { tlsCert: "c", tlsKey: "a.pem" },
    variable: { SANDBOX_TLS_CERT: "c", SANDBOX_TLS_KEY: "b.pem" },
    config: { tlsCert: "c", tlsKey: "c.pem" },
    makes: ["a.pem", "b.pem", "c.pem", undefined],
  },
  {
    option: "drain",
    flag: { drain: "10s" },
    variable: { SANDBOX_DRAIN: "PT1M" },
    config: { drain: 500 },
    makes: [10_000, 60_000, 500, 0],
  },
  {
    option: "productionHeadersOnly",
    flag: { productionHeadersOnly: true },
    variable: { SANDBOX_PRODUCTION_HEADERS_ONLY: "0" },
    config: { productionHeadersOnly: true },
    makes: [true, false, true, false],
  },
  {
    option: "open",
    flag: { open: true },
    variable: { SANDBOX_OPEN: "no" },
    config: { open: true },
    makes: [true, false, true, false],
  },
  {
    option: "store",
    flag: { store: "file:a.json" },
    variable: { SANDBOX_STORE: "file:b.json" },
    config: { store: "file:/c.json" },
    makes: ["a.json", "b.json", "/c.json", undefined],
  },
  {
    option: "config",
    flag: { config: "a.yaml" },
    variable: { SANDBOX_CONFIG: "b.yaml" },
    config: {},
    makes: ["a.yaml", "b.yaml", undefined, undefined],
  },
  {
    option: "log",
    flag: { log: "silent" },
    variable: { SANDBOX_LOG: "json" },
    config: { log: "silent" },
    makes: ["silent", "json", "silent", "pretty"],
  },
  {
    option: "logLevel",
    flag: { logLevel: "debug" },
    variable: { SANDBOX_LOG_LEVEL: "warn" },
    config: { logLevel: "error" },
    makes: ["debug", "warn", "error", "info"],
  },
];

function resolve(flags: StartFlags, variables: Readonly<Record<string, string>>, values?: FileConfig): StartOptions {
  return resolveStartOptions(flags, variables, values && { file: "sandbox.config.yaml", values });
}

describe("precedence", () => {
  it.each(rows)("of $option: flag, variable, configuration, default", ({ option, flag, variable, config, makes }) => {
    expect([
      resolve(flag, variable, config)[option],
      resolve({}, variable, config)[option],
      resolve({}, {}, config)[option],
      resolve({}, {})[option],
    ]).toEqual(makes);
  });

  it("is tested for every option", () => {
    expect(rows.map(({ option }) => option).sort()).toEqual(Object.keys(resolve({}, {})).sort());
  });

  it("takes PORT after SANDBOX_PORT and before the configuration", () => {
    const config = { port: 3 };
    expect(resolve({ port: "1" }, { PORT: "9" }, config).port).toBe(1);
    expect(resolve({}, { SANDBOX_PORT: "2", PORT: "9" }, config).port).toBe(2);
    expect(resolve({}, { PORT: "9" }, config).port).toBe(9);
  });

  it("treats an empty variable as not set", () => {
    const empty = Object.fromEntries(rows.flatMap(({ variable }) => Object.keys(variable).map((name) => [name, ""])));
    expect(resolve({}, { ...empty, PORT: "" })).toEqual(resolve({}, {}));
  });
});

describe("a wrong value", () => {
  it.each<[StartFlags, string]>([
    [{ port: "65536" }, "--port must be a whole number from 0 to 65535"],
    [{ port: "-1" }, "--port must be"],
    [{ port: "" }, "--port must be"],
    [{ port: "1e3" }, "--port must be"],
    [{ host: "http://localhost" }, "--host must be an address or a name"],
    [{ publicUrl: "localhost:4010" }, "--public-url must be an absolute http or https URL"],
    [{ publicUrl: "https://a.test/?x=1" }, "--public-url must be"],
    [{ publicUrl: "https://user:secret@a.test" }, "--public-url must be"],
    [{ clock: "2026-02-30T00:00:00Z" }, "--clock must be running, frozen, or an ISO instant"],
    [{ clock: "frosen" }, "Did you mean frozen?"],
    [{ seed: "1.5" }, "--seed must be a whole number"],
    [{ seed: "9007199254740993" }, "--seed must be a whole number"],
    [{ adminToken: "" }, "--admin-token must be"],
    [{ log: "JSON" }, '--log must be pretty, json or silent, not "JSON". Did you mean json?'],
    [{ logLevel: "trace" }, '--log-level must be debug, info, warn or error, not "trace".'],
    [{ profile: "" }, "--profile must be a file"],
    [{ tlsCert: "cert.pem" }, "--tls-cert needs --tls-key too"],
    [{ tlsKey: "key.pem" }, "--tls-key needs --tls-cert too"],
    [{ store: "file:" }, "--store must be memory or file:PATH"],
    [{ store: "redis" }, "--store must be memory or file:PATH"],
  ])("%o is refused: %s", (flags, message) => {
    expect(() => resolve(flags, {})).toThrow(
      expect.objectContaining({ kind: "command-line", message: expect.stringContaining(message) }),
    );
  });

  it("of a variable names the variable", () => {
    expect(() => resolve({}, { PORT: "http" })).toThrow(
      'PORT must be a whole number from 0 to 65535 (0 takes a free port), not "http".',
    );
    expect(() => resolve({}, { SANDBOX_AUTO_PROVISION: "constructor" })).toThrow(
      "SANDBOX_AUTO_PROVISION must be true or false",
    );
  });

  it("of the configuration names file and key, and is a file error", () => {
    expect(() => resolve({}, {}, { publicUrl: "https://a.test?x" })).toThrow(
      expect.objectContaining({
        kind: "file",
        message: expect.stringContaining("sandbox.config.yaml: publicUrl must be"),
      }),
    );
  });

  it("never repeats a token", () => {
    expect(() => resolve({ adminToken: "my secret" }, {})).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("secret") }),
    );
  });

  it("is reported together with all others", () => {
    const wrong = (): unknown => resolve({ port: "x", seed: "y" }, { SANDBOX_CLOCK: "z" });
    expect(wrong).toThrow(/--port[^]*SANDBOX_CLOCK[^]*--seed/);
  });
});
