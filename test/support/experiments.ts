import { join } from "node:path";
import type { ExploreReport, ExploreRun } from "../../src/experiments/explore/report.js";
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
    async function call(method, path, body, ms = 500) {
      try {
        const signal = AbortSignal.timeout(ms);
        const answer = await fetch(SANDBOX_URL + path, { method, headers, signal, body: body && JSON.stringify(body) });
        return { status: answer.status, json: await answer.json() };
      } catch {
        return { status: 0 };
      }
    }
    const payout = (reference, amount = 5000) => ({ type: "transfer", amount, msisdn: "+2250700000010", reference });
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

export interface Explored extends Finished {
  readonly folder: string;
}

export async function explore(options: readonly string[], command: readonly string[]): Promise<Explored> {
  const folder = await folderWith({});
  const finished = await runSandbox(["explore", ...options, "--", ...command], { cwd: folder });
  return { ...finished, folder };
}

/** The report as JSON, which is as its schema says. */
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

export function describeRun({ after, point, fault, verdict }: ExploreRun): string {
  const before = after === null ? "" : `${after.point} ${after.fault}, `;
  return `${before}${point.name} ${fault}: ${verdict}`;
}

export const rulesFile = (folder: string, id: string): string => join(folder, "reports/explore", `${id}.yaml`);
