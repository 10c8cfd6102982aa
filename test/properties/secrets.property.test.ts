import { expect, it, vi } from "vitest";
import { createLog } from "../../src/cli/run/log.js";
import { parseSource } from "../../src/adapters/files/source.js";
import { plainStyle } from "../../src/kernel/messages/report.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { Recorder } from "../../src/scenarios/record/recorder.js";
import { renderGithub, renderJson, renderJunit, renderResult, renderTap } from "../../src/scenarios/reporters.js";
import { replay } from "../../src/scenarios/run/replay.js";
import { createSandboxTarget } from "../../src/scenarios/run/sandbox-target.js";
import { DASHBOARD, visit } from "../support/dashboard.js";
import fc, { runs } from "../support/fast-check.js";
import { chargeRequest } from "../support/requests.js";
import { createWorld, type TestWorld } from "../support/world.js";

const everyByte = (secret: string): string =>
  Buffer.from(secret)
    .toString("hex")
    .replaceAll(/../g, (byte) => `%${byte}`);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unicode = (text: string): string => text.split("").map(escapeUnit).join("");
const escapeUnit = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** How clients write a secret, by mistake or to hide it. */
const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  url: encodeURIComponent,
  "url, every byte": everyByte,
  "url, lower case": (secret) => encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  "url, some bytes": (secret) => secret.replaceAll(/[/%?&=#+ ]|^./gu, everyByte),
  "url, twice": (secret) => encodeURIComponent(everyByte(secret)),
  json,
  "json in json": (secret) => json(json(secret)),
  unicode,
  "unicode in url": (secret) => encodeURIComponent(unicode(secret)),
  html: (secret) =>
    Array.from(secret)
      .map((character) => `&#${character.codePointAt(0)};`)
      .join(""),
  base64: (secret) => base64(`user:${secret}`),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  "base64 in url": (secret) => encodeURIComponent(base64(secret)),
  "base64, twice": (secret) => base64(base64(secret)),
  "decomposed in url": (secret) => encodeURIComponent(secret.normalize("NFD")),
  "url in base64": (secret) => base64(everyByte(secret)),
  hex: (secret) => Buffer.from(secret).toString("hex"),
};

const hostile = fc.constantFrom(...Array.from("/%?&=#+\\\"'`<>;:,.~{}[]$|^!@-_aZ09éß漢😀"));
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code));

/** Secrets, except the ones that docs/security.md excludes: short ones, words and numbers. */
function secrets(unit: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .string({ unit, minLength: 8, maxLength: 24 })
    .filter((secret) => /[^A-Za-z]/.test(secret) && /\D/.test(secret));
}

const identities = fc.record({
  kind: fc.constantFrom("secretKey", "accessToken", "adminToken"),
  secretKey: secrets(fc.oneof(hostile, visible)),
  accessToken: secrets(visible),
  adminToken: secrets(visible),
});

/** Sends the secrets everywhere, and returns all that the sandbox shows. */
async function outputsOf(world: TestWorld, given: readonly string[], adminToken: string) {
  const { api, app, sandbox } = world;
  const recorder = new Recorder(sandbox, []);
  const written = given.flatMap((secret) => Object.values(spellings).map((spell) => spell(secret)));
  // A request would change other characters by itself.
  const inUrl = written.map((text) => text.replaceAll(/[^!-~]|[\\"<>`{}|^#]/gu, encodeURIComponent));
  const query = inUrl.map((text, at) => `k${at}=${text}&${text}=1`).join("&");
  const note = written.join(" ").replaceAll(/[^ -~]/gu, "");
  await api("GET", `/v1/charges/${inUrl.join("/")}?${query}`, undefined, { "x-note": note });
  const metadata = Object.fromEntries(written.map((text) => [text, [text]]));
  await api("POST", "/v1/charges", chargeRequest({ description: written.join(" "), metadata }));
  const wrong = await Promise.all(
    written
      .slice(0, 3)
      .map((text) => api("POST", "/v1/charges", chargeRequest({ amount: text, externalId: `a ${text}` }))),
  );
  const authorization = `Bearer ${adminToken}`;
  const control = async (path: string, body?: unknown): Promise<string> => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json", authorization };
    return (await app.request(`/_sandbox${path}`, { headers, ...(body === undefined ? {} : init) })).text();
  };
  const page = async (path: string): Promise<string> =>
    (await visit(app).get(path, { authorization, accept: "*/*" })).html;
  return {
    journal: await control("/requests?limit=1000"),
    verify: await control("/requests/verify", { match: { method: "DELETE" }, count: 1 }),
    findings: await control("/findings?limit=1000"),
    recording: recorder.render(),
    "first page": await page("/_sandbox"),
    charges: await page(`${DASHBOARD}/charges`),
    "findings page": await page(`${DASHBOARD}/findings`),
    "request page": await page(`${DASHBOARD}/requests/req_1`),
    messages: wrong.map(({ body }) => String(body.message)).join("\n"),
    log: logged(world, [...inUrl, ...written]),
    reports: await reportsOf(world, written),
  };
}

/** The log as lines of JSON and as lines for people. */
function logged({ sandbox }: TestWorld, texts: readonly string[]): string {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const source = { now: () => 0, home: undefined, redact: sandbox.redactor.text };
  for (const style of ["json", "pretty"] as const) {
    const log = createLog({ style, level: "debug" }, () => source);
    log.open();
    for (const text of texts) log.write("info", "request", { path: `/v1/${text}?a=${text}`, message: `it is ${text}` });
  }
  write.mockRestore();
  return lines.join("");
}

/** The reports of a scenario that fails, in each form. */
async function reportsOf({ sandbox, app }: TestWorld, written: readonly string[]): Promise<string> {
  // `$$` stands for a dollar sign in scenarios; in a replacement it would do so too.
  const escaped = written.map((text) => text.replaceAll("$", () => "$$"));
  const metadata = Object.fromEntries(escaped.map((text) => [text, text]));
  const request = { request: "POST /v1/charges", body: { metadata }, expect: { body: { $exact: metadata } } };
  const text = JSON.stringify({ steps: [request] });
  const target = createSandboxTarget(sandbox, (asked) => app.fetch(asked));
  const options = { system: systemClock, seed: undefined, env: {}, workers: 1, bail: false };
  try {
    const summary = await replay(target, [await parseScenario(parseSource(text, "s.json"))], options);
    const reports = [renderJunit, renderJson, renderTap, renderGithub].map((render) => render(summary));
    return [...reports, ...summary.results.map((result) => renderResult(result, plainStyle))].join("\n");
  } finally {
    await target.close();
  }
}

function leaksIn(outputs: Readonly<Record<string, string>>, given: readonly string[]): string[] {
  return Object.entries(outputs).flatMap(([name, output]) =>
    Object.entries(spellings)
      .filter(([, spell]) => given.some((secret) => output.includes(spell(secret))))
      .map(([spelling]) => `${name}: ${spelling}`),
  );
}

it("no secret of any alphabet is shown, however it is written", async () => {
  await fc.assert(
    fc.asyncProperty(identities, async ({ kind, ...identity }) => {
      const { secretKey, accessToken, adminToken } = identity;
      const world = createWorld({ adminToken });
      try {
        const rotate = (body: unknown) =>
          world.control("POST", "/companies/company_sandbox/rotate", body, { authorization: `Bearer ${adminToken}` });
        await rotate({ secretKey });
        await rotate({ accessToken, overlap: "1d" });
        const given = [identity[kind]];
        const outputs = await outputsOf(world, given, adminToken);
        expect(leaksIn(outputs, given)).toEqual([]);
        // Each output had a secret to show.
        const { verify: _, findings, "findings page": findingsPage, ...others } = outputs;
        const all = kind === "adminToken" ? others : { ...others, findings, findingsPage };
        for (const [name, output] of Object.entries(all)) expect(output, name).toContain("[redacted]");
      } finally {
        await world.close();
      }
    }),
    { numRuns: runs(50) },
  );
});
