import { PARSED_STEPS_MAX } from "../../src/scenarios/file/parse-step.js";
import { OTHERS_MAX } from "../../src/scenarios/run/company-world.js";
import { HEAD_CHARACTERS_MAX } from "../../src/scenarios/run/run-request.js";
import { VARIABLE_BYTES_MAX } from "../../src/scenarios/run/variables.js";
import { HELD_MAX, WEBHOOKS_OF_WORK_MAX } from "../../src/domain/deliveries/enqueue-deliveries.js";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { ATTEMPTS_KEPT, WEBHOOK_BYTES_OF_WORK_MAX } from "../../src/domain/model/delivery.js";
import { TEXT_MAX } from "../../src/kernel/fields.js";
import { RULES_MAX } from "../../src/domain/rules/change-rules.js";
import { ARCHIVES_MAX } from "../../src/http/control/observation-routes.js";
import { CONNECTION_LIMITS } from "../../src/http/server/malformed.js";
import { UNREAD_BYTES_MAX } from "../../src/http/server/unread-answers.js";
import { CONTROL_BODY_LIMIT } from "../../src/http/control/control-route.js";
import { JSON_BOUNDS } from "../../src/http/shared/read-body.js";
import { TOKENS_MAX } from "../../src/http/control/companies-routes.js";
import { FINDINGS_MAX } from "../../src/sandbox/findings/finding.js";
import { PAGE_BYTES_MAX } from "../../src/contract/queries.js";
import { URL_LENGTH_MAX } from "../../src/contract/subscriptions.js";
import { HOST_LENGTH_MAX } from "../../src/kernel/messages/text.js";
import { formatDuration } from "../../src/kernel/time/duration.js";
import { GUESS_MS, GUESSES_MAX } from "../../src/http/shared/address-limit.js";
import { PROBLEMS_MAX } from "../../src/kernel/fields.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX } from "../../src/sandbox/state/state.js";
import { REPLAY_MS_MAX, REPLAYS_MAX } from "../../src/scenarios/replayer.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { SNAPSHOT_LIMITS } from "../../src/sandbox/state/snapshots.js";
import { runSandbox, runUntilListening } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { startLive } from "../support/live.js";
import { type Page, root } from "../support/markdown.js";
import { openPage, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";
import type { LooseJson } from "../support/world.js";
import {
  CONCURRENT_ATTEMPTS,
  CONCURRENT_ATTEMPTS_PER_RECEIVER,
  IN_FLIGHT_BYTES_MAX,
} from "../../src/sandbox/company/dispatcher.js";

const fixtures = openPage("docs/fixtures.md");
const configuration = openPage("docs/configuration.md");

/** The keys that a file may have at a place: the validator lists them when a key is unknown. */
async function knownKeys(file: string, content: unknown): Promise<string[]> {
  const folder = await folderWith({ [file]: JSON.stringify(content) });
  const { stderr } = await runSandbox(["validate", file], { cwd: folder });
  return /zzz is not known here\. Known are ([\w, ]+)/.exec(stderr)?.[1]?.split(", ") ?? [stderr];
}

/** The names in a column of the tables under a heading. */
function listed(page: Page, heading: string, column = 0): string[] {
  const rows = page.tables.filter((table) => table.heading === heading).flatMap((table) => table.rows);
  return rows.map((cells) => cells[column]?.split(/[ ,]/)[0]?.replaceAll("`", "") ?? "").filter((name) => name !== "");
}

async function validate(file: string, content: string): Promise<string> {
  const folder = await folderWith({ [file]: content });
  const { code, stdout, stderr } = await runSandbox(["validate", file], { cwd: folder });
  return `${code} ${stdout}${stderr}`;
}

describe("docs/fixtures.md", () => {
  const examples = fixtures.take("yaml");
  const commands = textOf(fixtures.take("bash"));
  const starts = fixtures.take("sh");

  it.each([
    ["At the top of a file", { zzz: 1 }],
    ["companies", { companies: [{ companyId: "company_x", zzz: 1 }] }],
    ["charges", { charges: [{ externalId: "x", zzz: 1 }] }],
    ["transactions", { transactions: [{ reference: "x", zzz: 1 }] }],
    ["subscriptions", { subscriptions: [{ url: "http://x.test", zzz: 1 }] }],
  ])("%s: has every key there is", async (heading, content) => {
    expect(listed(fixtures, heading).sort()).toEqual((await knownKeys("fixtures.json", content)).sort());
  });

  it("customers: has every key of both forms", async () => {
    const person = await knownKeys("fixtures.json", {
      customers: [{ msisdn: "+2250700000010", firstName: "A", lastName: "B", zzz: 1 }],
    });
    const generated = await knownKeys("fixtures.json", { customers: [{ generate: 1, zzz: 1 }] });
    expect(listed(fixtures, "customers").sort()).toEqual([...person, ...generated].sort());
  });

  it("shows a valid file, and commands that work", async () => {
    for (const { text } of examples)
      expect(await validate("fixtures.yaml", text)).toBe("0 fixtures.yaml: ok (fixtures)\n");
    const printed = await runShell(commands, { url: "http://127.0.0.1:4010" });
    expect(printed).toContain("fixtures/two-companies.yaml: ok (fixtures)");
  });

  it("shows commands that start", async () => {
    for (const { text } of starts) {
      const [, , verb, ...flags] = text.split(" ");
      expect(verb).toBe("start");
      expect(await runUntilListening([...flags, "--port", "0"], { cwd: root })).toMatchObject({ code: 0 });
    }
  });
});

describe("docs/configuration.md", () => {
  const examples = configuration.take("yaml");

  it("has every flag of start, with its variable", async () => {
    const { stdout } = await runSandbox(["start", "--help"]);
    const flags = stdout.match(/^ {2}--[a-z-]+/gm)?.map((flag) => flag.trim()) ?? [];
    expect(listed(configuration, "Configuration")).toEqual(flags);
    const variables = flags.map((flag) => `SANDBOX_${flag.slice(2).toUpperCase().replaceAll("-", "_")}`);
    expect(listed(configuration, "Configuration", 1)).toEqual(variables);
  });

  it("has every key of the file", async () => {
    const keys = await knownKeys("sandbox.config.json", { zzz: 1 });
    expect(listed(configuration, "Configuration", 2).sort()).toEqual(keys.sort());
  });

  it("has every limit, with its default", async () => {
    const [limits, fixed] = configuration.tables.filter(({ heading }) => heading === "Limits");
    const rows = limits?.rows.map(([key, byDefault]) => [key, byDefault].map((cell) => cell?.replaceAll("`", "")));
    expect(rows).toEqual(
      Object.entries(DEFAULT_LIMITS).map(([key, limit]) => [
        key,
        key === "idle" ? formatDuration(limit) : String(limit),
      ]),
    );
    expect((await knownKeys("sandbox.config.json", { limits: { zzz: 1 } })).sort()).toEqual(
      Object.keys(DEFAULT_LIMITS).sort(),
    );
    const { count: snapshots } = SNAPSHOT_LIMITS;
    const bounds = [WEBHOOKS_OF_WORK_MAX, HELD_MAX, ATTEMPTS_KEPT, FINDINGS_MAX, snapshots, RULES_MAX, TOKENS_MAX];
    expect(fixed?.rows.map(([, bound]) => Number.parseInt(bound ?? "", 10))).toEqual(bounds);
    expect(fixed?.rows[0]?.[1]).toContain(` ${WEBHOOK_BYTES_OF_WORK_MAX / 1024 ** 2} MiB `);
  });

  it("shows valid files", async () => {
    for (const { text } of examples) {
      expect(await validate("sandbox.config.yaml", text)).toBe("0 sandbox.config.yaml: ok (config)\n");
    }
  });

  it("has the exit codes that the help names", async () => {
    const { stdout } = await runSandbox(["--help"]);
    const codes = stdout
      .split("Exit codes:\n")[1]
      ?.match(/^ {2}\d+/gm)
      ?.map((code) => code.trim());
    expect(listed(configuration, "Exit codes")).toEqual(codes);
  });
});

describe("docs/security.md", () => {
  const page = openPage("docs/security.md");
  const example = textOf(page.take("yaml"));

  it("shows a valid file", async () => {
    expect(await validate("sandbox.config.yaml", example)).toBe("0 sandbox.config.yaml: ok (config)\n");
  });

  it("has every bound", () => {
    const [bounds] = page.tables.filter(({ heading }) => heading === "Limits for one client");
    const { headerBytes, headers, headersMs, requestMs, keepAliveMs } = CONNECTION_LIMITS;
    const { depth, members, valueBytes = 0 } = JSON_BOUNDS;
    const first = CONTROL_BODY_LIMIT / 1024 ** 2;
    expect(bounds?.rows.map(([, bound]) => bound?.match(/\d+/g)?.map(Number))).toEqual([
      [first, first, 256],
      [STATE_BYTES_MAX / 1024 ** 2],
      [UNREAD_BYTES_MAX / 1024 ** 2],
      [ARCHIVES_MAX],
      [URL_LENGTH_MAX],
      [HOST_LENGTH_MAX],
      [depth, members, valueBytes / 1024 ** 2, STATE_VALUE_BYTES_MAX / 1024 ** 2],
      [TEXT_MAX],
      [PROBLEMS_MAX],
      [headerBytes],
      [headers],
      [headersMs / 1000],
      [requestMs / 1000],
      [keepAliveMs / 1000],
      [PAGE_BYTES_MAX / 1024 ** 2],
      [STATE_BYTES_MAX / 1024 ** 2],
      [VARIABLE_BYTES_MAX / 1024 ** 2],
      [PARSED_STEPS_MAX],
      [OTHERS_MAX],
      [HEAD_CHARACTERS_MAX],
      [REPLAYS_MAX, REPLAY_MS_MAX / 60_000],
      [GUESSES_MAX, GUESS_MS / 1000],
      [CONCURRENT_ATTEMPTS_PER_RECEIVER],
      [CONCURRENT_ATTEMPTS],
      [IN_FLIGHT_BYTES_MAX / 1024 ** 2],
    ]);
  });
});

describe("docs/profile.md", () => {
  const page = openPage("docs/profile.md");
  const example = textOf(page.take("yaml"));
  const commands = textOf(page.take("sh"));

  it("shows a valid file", async () => {
    expect(await validate("profile.yaml", example)).toBe("0 profile.yaml: ok (profile)\n");
  });

  it("has commands that work", async () => {
    const { url } = await startLive({ clock: "running" });
    expect(await runShell(commands, { url })).toContain('"settlement":"manual"');
  });
});

describe("docs/reliability.md", () => {
  const example = textOf(openPage("docs/reliability.md").take("yaml"));

  it("shows a valid file", async () => {
    expect(await validate("sandbox.config.yaml", example)).toBe("0 sandbox.config.yaml: ok (config)\n");
  });
});

/** These files cannot be run here, so the parts are checked that decide whether they work. */
describe("files for other programs", () => {
  const read = (path: string): LooseJson => parse(readFileSync(`${root}${path}`, "utf8"));

  it("examples/docker-compose/compose.yaml starts the app once the sandbox is healthy, and each finds the other", () => {
    const { sandbox, app } = read("examples/docker-compose/compose.yaml").services;
    const nodeImage = "${NODE_IMAGE:-node:24-bookworm-slim}";
    expect(sandbox.build).toEqual({ context: "../..", args: { NODE_IMAGE: nodeImage } });
    expect(sandbox.command.slice(0, 3)).toEqual(["start", "--host", "0.0.0.0"]);
    // The test of the health check is in the image.
    expect(sandbox.healthcheck).toEqual({ interval: "2s", timeout: "3s", retries: 15 });
    expect(sandbox.ports).toEqual(["127.0.0.1:4010:4010"]);
    expect(app.image).toBe(nodeImage);
    expect(app.depends_on).toEqual({ sandbox: { condition: "service_healthy" } });
    expect(app.environment).toMatchObject({
      PAYMENTS_URL: "http://sandbox:4010",
      APP_URL: "http://app:3000",
      PORT: "3000",
    });
    expect(app.volumes).toEqual(["./app.mjs:/app/app.mjs:ro"]);
  });

  it("examples/scale-out has the replicas of nginx.conf in compose and in Kubernetes, each with a store and links of its own", () => {
    const config = readFileSync(`${root}examples/scale-out/nginx.conf`, "utf8");
    const replicas = [...config.matchAll(/server (replica-\d):4010 max_fails=0;/g)].map(([, name = ""]) => name);
    expect(replicas).toEqual(["replica-0", "replica-1", "replica-2"]);
    for (const name of replicas) expect(config).toContain(`location /${name}/ { proxy_pass http://${name}:4010/; }`);
    const compose = readFileSync(`${root}examples/scale-out/compose.yaml`, "utf8");
    const { services, networks } = parse(compose, { merge: true });
    const { proxy, ...others } = services;
    expect(networks.default.ipam.config).toEqual([{ subnet: "10.213.57.0/24" }]);
    expect(Object.keys(proxy.depends_on)).toEqual(replicas);
    expect(Object.keys(others)).toEqual(replicas);
    for (const [at, name] of replicas.entries()) {
      expect(others[name].environment.SANDBOX_PUBLIC_URL).toBe(`http://localhost:8080/${name}`);
      expect(others[name].volumes).toEqual([`data-${at}:/data`]);
      expect(others[name].networks).toEqual({ default: { ipv4_address: `10.213.57.1${at}` } });
    }
    const manifest = readFileSync(`${root}examples/scale-out/kubernetes.yaml`, "utf8");
    const resources = parseAllDocuments(manifest).map((document): LooseJson => document.toJS());
    const set = resources.find(({ kind }) => kind === "StatefulSet");
    expect([set.metadata.name, set.spec.replicas]).toEqual(["replica", replicas.length]);
    const ofPods = resources.filter(({ spec }) => spec?.selector?.["statefulset.kubernetes.io/pod-name"] !== undefined);
    expect(ofPods.map(({ metadata }) => metadata.name)).toEqual(replicas);
    const { args } = set.spec.template.spec.containers[0];
    expect(args.filter((arg: string) => arg !== "--tenancy")).toEqual(others["replica-0"].command);
  });

  it("Dockerfile describes the image, and checks its health wherever it listens", () => {
    const dockerfile = readFileSync(`${root}Dockerfile`, "utf8");
    const labels = [...dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)="[^"]+"/g)].map(([, name]) => name);
    expect(labels).toEqual(["title", "description", "url", "documentation", "vendor", "licenses"]);
    expect(dockerfile).toMatch(/^COPY docker\/health\.mjs \.\/$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "\/app\/health\.mjs"\]$/m);
  });

  it("examples/github-actions/test.yml runs the tests beside a sandbox, in both ways", () => {
    const { on, permissions, jobs } = read("examples/github-actions/test.yml");
    expect(on).toEqual(["push", "pull_request"]);
    expect(permissions).toEqual({ contents: "read" });
    const runs: string[] = jobs.npm.steps.flatMap(({ run }: LooseJson) => run ?? []);
    expect(runs[0]).toBe("npm ci");
    expect(runs[1]).toMatch(/^npx business-payments-sandbox exec .*--fail-on findings .* -- npm test$/);
    expect(jobs.image.env.SANDBOX_URL).toBe("http://127.0.0.1:4010");
    expect(jobs.image.services.sandbox).toMatchObject({
      image: "${{ vars.SANDBOX_IMAGE }}",
      ports: ["127.0.0.1:4010:4010"],
    });
  });

  it.each(["ci", "release"])(
    ".github/workflows/%s.yml runs existing scripts, with the least permissions that they need",
    (name) => {
      const { permissions, jobs } = read(`.github/workflows/${name}.yml`);
      const scripts = Object.keys(read("package.json").scripts);
      expect(permissions.contents).toBe(name === "ci" ? "read" : "write");
      for (const job of Object.values<LooseJson>(jobs)) {
        expect(job["timeout-minutes"]).toBeGreaterThan(0);
        const runs: string[] = job.steps.flatMap(({ run }: LooseJson) => run ?? []);
        const named = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script));
        expect(scripts).toEqual(expect.arrayContaining(named));
        const files = runs.flatMap((run) => [...run.matchAll(/(?:scripts|examples)\/[\w./-]+/g)].map(([file]) => file));
        expect(files.filter((file) => !existsSync(`${root}${file}`))).toEqual([]);
      }
    },
  );

  it(".github/workflows/ci.yml tests on every supported version of Node", () => {
    expect(read(".github/workflows/ci.yml").jobs.test.strategy.matrix.node).toEqual([20, 22, 24]);
    expect(read("package.json").engines.node).toBe(">=20.19");
  });
});
