/**
 * Summarizes `.ci/run`. Its argument is a file with one step per line: exit code (or "skipped"), vitest report (or "-"), name. Counts each test of a
 * vitest run, and any other step as one. Names failed tests under their step. The last line is "N passed, M failed".
 */
import { readFile } from "node:fs/promises";
import { relative } from "node:path";

const [stepsFile = "reports/steps.tsv"] = process.argv.slice(2);
const total = { passed: 0, failed: 0 };

for (const line of (await readFile(stepsFile, "utf8")).split("\n").filter((text) => text !== "")) {
  const [outcome = "", report = "-", name = ""] = line.split("\t");
  if (outcome === "skipped") {
    console.log(`skipped  ${name}`);
    continue;
  }
  const { passed, failed, failures } = await count(outcome === "0", report);
  total.passed += passed;
  total.failed += failed;
  console.log(
    `${failed === 0 ? "passed " : "FAILED "}  ${name}${report === "-" ? "" : `: ${passed} passed, ${failed} failed`}`,
  );
  for (const failure of failures) console.log(`         ${failure.slice(0, 1_000).replaceAll("\n", "\n         ")}`);
}

console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/**
 * @param {boolean} succeeded whether the step's command exited with 0
 * @param {string} report
 */
async function count(succeeded, report) {
  /** @type {string[]} */
  const failures = [];
  if (report === "-") return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, failures };
  /**
   * @type {{ numPassedTests: number, numFailedTests: number, testResults: { name: string, status: string, message: string, assertionResults: { status:
   * string, fullName: string, failureMessages: string[] }[] }[] }}
   */
  let run;
  try {
    run = JSON.parse(await readFile(report, "utf8"));
  } catch (error) {
    return { passed: 0, failed: 1, failures: [`no report: ${String(error)}`] };
  }
  for (const file of run.testResults.filter(({ status }) => status === "failed")) {
    const name = relative(process.cwd(), file.name);
    if (file.message !== "") failures.push(`${name}\n${file.message}`);
    for (const test of file.assertionResults.filter(({ status }) => status === "failed"))
      failures.push(`${name} > ${test.fullName}\n${test.failureMessages.join("\n")}`);
  }
  // A file that cannot be loaded fails without a failed test.
  const broken = run.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = run.numFailedTests + broken;
  // After an error outside the tests, such as an unhandled rejection, only the exit code shows the failure.
  return { passed: run.numPassedTests, failed: succeeded ? failed : Math.max(1, failed), failures };
}
