import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { ExploreReport, ExploreRun } from "../../src/experiments/explore/report.js";
import { bugVerdicts } from "../../src/experiments/run/oracle.js";
import { exploreJson } from "../support/experiments.js";
import { folderWith } from "../support/folder.js";
import { root } from "../support/markdown.js";
import type { LooseJson } from "../support/world.js";
import { type Specimen, zoo } from "./zoo.js";

/** What a run may take; only a program without a time limit of its own outlives it. */
const TIMEOUT = ["--timeout", "30s"];
const WORKERS = ["--workers", "4"];

function exploreSpecimen({ program, options }: Specimen, flags: readonly string[]) {
  const runtime = program.endsWith(".py") ? "python3" : process.execPath;
  const command = [runtime, `${import.meta.dirname}/programs/${program}`];
  return exploreJson(["--clock", "frozen", "--seed", "7", ...TIMEOUT, ...options, ...flags], command);
}

describe("weak programs", () => {
  it.each(zoo.weak)("$program", { timeout: 600_000 }, async (specimen) => {
    const { report, folder } = await exploreSpecimen(specimen, WORKERS);
    expect(seenTable(report)).toEqual(expectedTable(specimen));
    expect(report.notes.filter((note) => note.includes("did not reach"))).toEqual([]);
    await expectRepeats(bugsOf(report), folder, specimen);
  });
});

describe("correct programs", () => {
  it.each(zoo.correct)("$program, also with a second fault", { timeout: 600_000 }, async (specimen) => {
    const { report } = await exploreSpecimen(specimen, [...WORKERS, "--depth", "2"]);
    const isFirst = ({ after }: ExploreRun): boolean => after === null;
    const first = report.runs.filter(isFirst);
    expect(seenTable({ runs: first })).toEqual(expectedTable(specimen));
    expect(first.length).toBeLessThan(report.runs.length);
    expect(bugsOf(report)).toEqual([]);
    expect(report.notes.filter((note) => note.includes("did not reach"))).toEqual([]);
    expect(report.counts.flaky).toBe(0);
  });
});

it.each(zoo.weak.slice(0, 1))(
  "the report of $program does not depend on the number of workers",
  { timeout: 600_000 },
  async (specimen) => {
    const { report: four } = await exploreSpecimen(specimen, WORKERS);
    const { report: one } = await exploreSpecimen(specimen, []);
    expect(four.runs.map(withoutChance)).toEqual(one.runs.map(withoutChance));
  },
);

function bugsOf({ runs }: Pick<ExploreReport, "runs">): ExploreRun[] {
  return runs.filter(({ verdict }) => bugVerdicts.some((bug) => bug === verdict));
}

type Table = Record<string, Record<string, string>>;

/** The faults by point and verdict, in alphabetical order. */
function tableOf(rows: readonly (readonly [point: string, verdict: string, fault: string])[]): Table {
  const table: Table = {};
  for (const [point, verdict, fault] of rows.toSorted(([, , a], [, , b]) => (a < b ? -1 : 1))) {
    const verdicts = (table[point] ??= {});
    verdicts[verdict] = verdicts[verdict] === undefined ? fault : `${verdicts[verdict]} ${fault}`;
  }
  return table;
}

function seenTable({ runs }: Pick<ExploreReport, "runs">): Table {
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

/** A run without its place in the plan, and without retry-at-once, which depends on how busy the machine is. */
function withoutChance({ id: _, ms: __, output: ___, repeat: ____, findings, ...run }: ExploreRun) {
  return { ...run, findings: findings.filter((kind) => kind !== "retry-at-once") };
}

/** Checks that the line of each bug repeats it, by the records that it leaves and its exit code. */
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

interface Books {
  /** Null: the command was still running at the time limit. */
  readonly exitCode: number | null;
  /** Whether the specimen's invariant holds. */
  readonly holds: boolean;
  readonly payouts: readonly LooseJson[];
  readonly charges: readonly LooseJson[];
}

/** Runs a line of the report in a shell, and reads the payouts and charges that it leaves. */
async function repeatLine(line: string, cwd: string, { options }: Specimen) {
  const folder = await folderWith({});
  const file = join(folder, "books.json");
  const timeout = options.includes("--timeout") ? 3_000 : 30_000;
  const check = options.includes("--check") ? options.at(-1) : "true";
  const reader = `${process.execPath} ${import.meta.dirname}/read-books.mjs ${file} ${timeout} '${check}'`;
  const command = line.replace(/^.*? exec /, `${process.execPath} ${root}bin/sandbox.js exec `);
  const env = { PATH: process.env["PATH"] ?? "", TMPDIR: folder };
  const child = spawn("sh", ["-c", command.replace(" -- ", ` -- ${reader} `)], { cwd, env });
  const stderr = await text(child.stderr);
  const { payouts, charges, ...ended }: Books = JSON.parse(await readFile(file, "utf8"));
  const facts: readonly Fact[] = [...payouts.flatMap(factsOfPayout), ...charges.flatMap(factsOfCharge)];
  return { ...ended, facts, critical: [...stderr.matchAll(/critical: (\S+)/g)].map(([, kind = ""]) => kind) };
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

/** A pending payout counts as moved, and as not arrived. */
function differenceOf(normal: readonly Fact[], facts: readonly Fact[]) {
  const moved = facts.map((fact) => (fact.kind === "pending" ? { ...fact, kind: "transfer" } : fact));
  const arrived = facts.filter(({ kind }) => kind !== "pending");
  return { added: surplus(moved, normal), missing: surplus(normal, arrived) };
}

/** The facts that `these` have beyond equal ones in `those`. */
function surplus(these: readonly Fact[], those: readonly Fact[]): Fact[] {
  const left = those.map((fact) => JSON.stringify(fact));
  return these.filter((fact) => {
    const at = left.indexOf(JSON.stringify(fact));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
