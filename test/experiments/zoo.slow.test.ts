import { spawn, spawnSync } from "node:child_process";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { ExploreReport, ExploreRun } from "../../src/experiments/explore/report.js";
import { bugVerdicts } from "../../src/experiments/run/oracle.js";
import { startSandbox } from "../support/cli.js";
import { exploreJson } from "../support/experiments.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";
import { root } from "../support/markdown.js";
import type { LooseJson } from "../support/world.js";
import { type Specimen, zoo } from "./zoo.js";

/** What a run may take. A program without a time limit of its own outlives it. */
const TIMEOUT_S = 8;
const FLAGS = ["--clock", "frozen", "--seed", "7", "--timeout", `${TIMEOUT_S}s`];

function exploreSpecimen({ program, options }: Specimen, workers: number, depth = 1) {
  const runtime = program.endsWith(".py") ? "python3" : process.execPath;
  const command = [runtime, `${import.meta.dirname}/programs/${program}`];
  return exploreJson([...FLAGS, "--workers", String(workers), "--depth", String(depth), ...options], command);
}

describe.each(Object.entries(zoo))("%s programs", (_, specimens) => {
  it.each(specimens)("$program", { timeout: 600_000 }, async (specimen) => {
    const { report, folder } = await exploreSpecimen(specimen, 1);
    expect(seenTable(report)).toEqual(expectedTable(specimen));
    const { report: second } = await exploreSpecimen(specimen, 4);
    expect(second.runs.map(withoutChance)).toEqual(report.runs.map(withoutChance));
    await expectRepeats(bugsOf(report), folder, specimen);
  });
});

describe("with a second fault in what follows the first", () => {
  it.each(zoo.correct)("$program is clean", { timeout: 600_000 }, async (specimen) => {
    const { report } = await exploreSpecimen(specimen, 4, 2);
    expect(report.runs.some(({ after }) => after !== null)).toBe(true);
    expect(bugsOf(report)).toEqual([]);
    expect(report.counts.flaky).toBe(0);
  });
});

function bugsOf({ runs }: ExploreReport): ExploreRun[] {
  return runs.filter(({ verdict }) => bugVerdicts.some((bug) => bug === verdict));
}

type Table = Record<string, Record<string, string>>;

/** By point and verdict the faults, in the order of the alphabet. */
function tableOf(rows: readonly (readonly [point: string, verdict: string, fault: string])[]): Table {
  const table: Table = {};
  for (const [point, verdict, fault] of rows.toSorted(([, , a], [, , b]) => (a < b ? -1 : 1))) {
    const verdicts = (table[point] ??= {});
    verdicts[verdict] = verdicts[verdict] === undefined ? fault : `${verdicts[verdict]} ${fault}`;
  }
  return table;
}

function seenTable({ runs }: ExploreReport): Table {
  return tableOf(runs.map(({ point, verdict, fault }) => [point.name, verdict, fault]));
}

function expectedTable({ table }: Specimen): Table {
  const rows = Object.entries(table).flatMap(([point, verdicts]) =>
    Object.entries(verdicts).flatMap(([verdict, faults]) =>
      faults.split(" ").map((fault) => [point, verdict, fault] as const),
    ),
  );
  return tableOf(rows);
}

/** Whether a retry came at once depends on how busy the machine is. */
function withoutChance({ ms: _, output: __, repeat: ___, findings, ...run }: ExploreRun) {
  return { ...run, findings: findings.filter((kind) => kind !== "retry-at-once") };
}

/** The line of each bug brings it about again, by the books and the exit code. */
async function expectRepeats(bugs: readonly ExploreRun[], cwd: string, specimen: Specimen): Promise<void> {
  const [line] = bugs.map(({ repeat }) => repeat?.replace(/--rules \S+ /, ""));
  const normal = line === undefined ? [] : (await repeatLine(line, cwd, specimen)).facts;
  for (const { repeat, exitCode, effect, verdict, findings } of bugs) {
    const again = await repeatLine(repeat ?? "", cwd, specimen);
    expect(again.exitCode).toBe(exitCode);
    expect(differenceOf(normal, again.facts)).toEqual(effect);
    if (verdict !== "unsafe" || effect.added.length > 0) continue;
    expect(!again.holds || again.critical.some((kind) => findings.includes(kind))).toBe(true);
  }
}

interface Fact {
  readonly kind: string;
  readonly of: string;
  readonly amount: number;
}

interface Repeated {
  /** Null: it was still running at the time limit. */
  readonly exitCode: number | null;
  readonly facts: readonly Fact[];
  readonly holds: boolean;
  /** Critical findings. */
  readonly critical: readonly string[];
}

/** Runs a line of the report in a shell, and reads the books that it leaves. */
async function repeatLine(line: string, cwd: string, { options }: Specimen): Promise<Repeated> {
  const folder = await folderWith({});
  const store = `file:${join(folder, "state.json")}`;
  const command = line.replace(/^.*? exec /, `exec ${process.execPath} ${root}bin/sandbox.js exec `);
  const env = { PATH: process.env["PATH"] ?? "", TMPDIR: folder, SANDBOX_STORE: store };
  const child = spawn("sh", ["-c", command], { cwd, env, signal: AbortSignal.timeout(1_000 * TIMEOUT_S) });
  child.on("error", () => undefined);
  const [stderr, exitCode] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", (code) => resolve(child.killed ? null : code))),
  ]);
  const sandbox = await startSandbox(["--store", store]);
  const ask = async (path: string, body?: unknown): Promise<LooseJson> =>
    (await call(`${sandbox.url}/_sandbox/${path}`, body === undefined ? "GET" : "POST", body)).body;
  await ask("clock/advance", { by: "1d" });
  const list = async (what: string): Promise<LooseJson[]> => (await ask(`${what}?limit=1000`)).data;
  const facts = [
    ...(await list("transactions")).flatMap(factsOfPayout),
    ...(await list("charges")).flatMap(factsOfCharge),
  ];
  const check = options[options.indexOf("--check") + 1] ?? "true";
  for (const file of await readdir(folder))
    if (file.startsWith("books-"))
      await rename(join(folder, file), join(folder, `books-${new URL(sandbox.url).port}.json`));
  const checked = options.includes("--check")
    ? spawnSync("sh", ["-c", check], { env: { ...env, SANDBOX_URL: sandbox.url } }).status
    : 0;
  await sandbox.stop();
  const critical = [...stderr.matchAll(/critical: (\S+)/g)].map(([, kind = ""]) => kind);
  return { exitCode, facts, holds: checked === 0, critical };
}

function factsOfPayout({ status, msisdn: of, amount }: LooseJson): Fact[] {
  return status === "failed" ? [] : [{ kind: status === "completed" ? "transfer" : "pending", of, amount }];
}

function factsOfCharge({ externalId: of, paid, refunded }: LooseJson): Fact[] {
  const facts = [
    { kind: "payment", of, amount: paid },
    { kind: "refund", of, amount: refunded },
  ];
  return facts.filter(({ amount }) => amount > 0);
}

/** What is on its way counts as moved, and as not arrived. */
function differenceOf(normal: readonly Fact[], facts: readonly Fact[]) {
  const moved = facts.map((fact) => (fact.kind === "pending" ? { ...fact, kind: "transfer" } : fact));
  const arrived = facts.filter(({ kind }) => kind !== "pending");
  return { added: surplus(moved, normal), missing: surplus(normal, arrived) };
}

/** What these have more often than those. */
function surplus(these: readonly Fact[], those: readonly Fact[]): Fact[] {
  const left = those.map((fact) => JSON.stringify(fact));
  return these.filter((fact) => {
    const at = left.indexOf(JSON.stringify(fact));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
