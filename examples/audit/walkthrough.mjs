/**
 * A webhook receiver passes every test of its authors. `audit` still finds its mistake, which one line fixes. Exits with 0 if everything
 * happens as described.
 */
import { equal, match } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

say("A shop verifies the signature of the event that it parsed, printed again. Ordinary events are accepted.");
const failed = await auditOf("buggy-receiver.mjs");
console.log(failed.stdout.trimEnd());
equal(failed.status, 4, "a failed check fails the audit");
match(failed.stdout, /^✗ signature-reprinted \(high\)/m);
match(failed.stdout, /^- numbers +a consequence of signature-reprinted/m);
match(failed.stdout, /^1 failed, /m);

say("One line fixes it: `const signed = rawBody;`.");
const passed = await auditOf("receiver.mjs");
console.log(passed.stdout.trimEnd());
equal(passed.status, 0, passed.stderr);

console.log("\nEverything happened as described.");

/** Audits a receiver of this folder, on a free port. */
async function auditOf(file) {
  const receiver = spawn(process.execPath, [`examples/audit/${file}`], {
    env: { ...process.env, PORT: "0", SANDBOX_SECRET_KEY: "secret_sandbox" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface({ input: receiver.stdout })) {
      const url = line.replace("listening on ", "");
      return spawnSync(process.execPath, ["bin/sandbox.js", "audit", url], {
        encoding: "utf8",
        env: { ...process.env, SANDBOX_SECRET_KEY: "secret_sandbox", NO_COLOR: "1" },
      });
    }
    throw new Error(`${file} ended without saying that it listens.`);
  } finally {
    receiver.kill();
  }
}

function say(text) {
  console.log(`\n${text}`);
}
