import { join } from "node:path";
import type { ExploreReport, ExploreRun } from "../../src/experiments/explore/report.js";
import type { VaryReport } from "../../src/experiments/vary/report.js";
import { type Finished, runSandbox } from "./cli.js";
import { folderWith } from "./folder.js";
import { validators } from "./json-schemas.js";

/** A program in JavaScript that calls the API. `call(method, path, body?)` returns `{status, json}`, `status` 0 without an answer. */
export function program(code: string): string[] {
  const client = `
    const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID } = process.env;
    const headers = {
      authorization: "Bearer " + SANDBOX_ACCESS_TOKEN,
      "x-company-id": SANDBOX_COMPANY_ID,
      "content-type": "application/json",
    };
    async function call(method, path, body, ms = 1500) {
      try {
        const signal = AbortSignal.timeout(ms);
        const answer = await fetch(SANDBOX_URL + path, { method, headers, signal, body: body && JSON.stringify(body) });
        return { status: answer.status, json: await answer.json() };
      } catch {
        return { status: 0 };
      }
    }
    const payout = (reference, amount = 5000, msisdn = "+2250700000010") => ({ type: "transfer", amount, msisdn, reference });
    `;
  return [process.execPath, "--input-type=module", "--eval", client + code];
}

/** Pays once; an answer that is lost makes it pay again under the same reference. */
export const carefulPayout = program(`
  for (let attempt = 0; attempt < 4; attempt++) {
    const { status } = await call("POST", "/v1/transactions", payout("salary-1"));
    if (status === 201 || status === 409) process.exit(0);
  }
  process.exit(1);
`);

/** Pays once; an answer that is lost makes it pay again under another reference. */
export const carelessPayout = program(`
  for (let attempt = 0; attempt < 4; attempt++) {
    const { status } = await call("POST", "/v1/transactions", payout("salary-" + attempt));
    if (status === 201) process.exit(0);
  }
  process.exit(1);
`);

/** Tests of an application that depend on three guesses: 201, 409 for a second payout of a reference, and at least 5000 XOF. */
export const threeGuesses = program(`
  const test = (name, passes) => {
    console.log((passes ? "ok " : "FAILED ") + name);
    if (!passes) process.exitCode = 1;
  };
  const pay = async (...order) => (await call("POST", "/v1/transactions", payout(...order))).status;
  test("pays", (await pay("salary-1", 20000, "+2250700000001")) === 201);
  test("pays once", (await pay("salary-1", 20000, "+2250700000001")) === 409);
  test("pays no pittance", (await pay("salary-2", 4000, "+2250700000001")) === 400);
`);

export interface Explored extends Finished {
  readonly folder: string;
}

export async function explore(options: readonly string[], command: readonly string[]): Promise<Explored> {
  const folder = await folderWith({});
  const finished = await runSandbox(["explore", ...options, "--", ...command], { cwd: folder });
  return { ...finished, folder };
}

/** Runs `explore`, and returns its report as JSON after checking it against the schema. */
export async function exploreJson(
  options: readonly string[],
  command: readonly string[],
): Promise<Explored & { readonly report: ExploreReport }> {
  const explored = await explore(["--reporter", "json", ...options], command);
  if (explored.stdout === "") throw new Error(explored.stderr);
  const report: ExploreReport = JSON.parse(explored.stdout);
  const isValid = validators["explore-report"](report);
  if (!isValid) throw new Error(JSON.stringify(validators["explore-report"].errors));
  return { ...explored, report };
}

/** `createTransaction#1 answer-lost: unsafe` */
export function tableOf({ runs }: Pick<ExploreReport, "runs">): string[] {
  return runs.map(describeRun);
}

function describeRun({ after, point, fault, verdict }: ExploreRun): string {
  const before = after === null ? "" : `${after.point} ${after.fault}, `;
  return `${before}${point.name} ${fault}: ${verdict}`;
}

export async function varyJson(
  options: readonly string[],
  command: readonly string[],
): Promise<Explored & { readonly report: VaryReport }> {
  const folder = await folderWith({});
  const args = ["vary", "--reporter", "json", ...options, "--", ...command];
  const finished = await runSandbox(args, { cwd: folder });
  if (finished.stdout === "") throw new Error(finished.stderr);
  const report: VaryReport = JSON.parse(finished.stdout);
  if (!validators["vary-report"](report)) throw new Error(JSON.stringify(validators["vary-report"].errors));
  return { ...finished, report, folder };
}

export const rulesFile = (folder: string, id: string): string => join(folder, "reports/explore", `${id}.yaml`);
