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

say(
  "The fixed client tries again under the same reference: a 409 says that the first attempt got through, the webhook how it ended.",
);
const fixed = exec("pay-salaries-fixed.mjs");
console.log(fixed.stdout.trimEnd());
equal(fixed.status, 0, fixed.stderr);
match(fixed.stdout, /awa: an earlier attempt got through/);
match(fixed.stdout, /awa: completed/);

console.log("\nEverything happened as described.");

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
