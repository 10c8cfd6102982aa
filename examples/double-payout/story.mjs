/**
 * The answer to a payout is lost after the payout is done. One client pays again under a new reference, which the sandbox reports. The fixed client
 * retries under the same reference. Exits with 0 if everything happens as described.
 */
import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";

say("A client pays two salaries. The first answer is lost, so it tries again, under a new reference.");
const buggy = exec("pay-salaries.mjs");
console.log(buggy.stderr.trimEnd());
equal(buggy.status, 5, "a finding fails the run");
match(buggy.stderr, /150000 XOF to \+2250700000010 would have been paid twice/);
match(buggy.stderr, /req_1/);
match(buggy.stderr, /req_2/);
match(buggy.stderr, /same reference/);

say("Its mended twin tries again under the same reference: 409 tells that the first attempt got through.");
const mended = exec("pay-salaries-mended.mjs");
console.log(mended.stdout.trimEnd());
equal(mended.status, 0, mended.stderr);
match(mended.stdout, /awa: was paid by an earlier attempt/);

console.log("\nIt came out as told.");

function exec(client) {
  const config = ["--config", "examples/double-payout/sandbox.config.yaml"];
  const command = ["--", process.execPath, `examples/double-payout/${client}`];
  return spawnSync(process.execPath, ["bin/sandbox.js", "exec", ...config, "--fail-on", "findings", ...command], {
    encoding: "utf8",
    env: { ...process.env, PORT: "", NO_COLOR: "1" },
  });
}

function say(text) {
  console.log(`\n${text}`);
}
