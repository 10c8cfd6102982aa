/**
 * A market passes when all goes well. `explore` finds the webhook that makes it pay its seller twice, and one line fixes it. Exits with 0 if everything
 * happens as described.
 */
import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";

say("A customer pays, and the market pays the seller. What if the webhook comes twice, late, forged, or never?");
const found = explore("market.mjs");
console.log(found.stdout.trimEnd());
equal(found.status, 5, "a bug fails the run");
match(found.stdout, /^unsafe {2}twice at charges\/events#1 \(order-1\)\n {2}The webhook .* came twice\./m);
match(found.stdout.replaceAll(/\s+/g, " "), /\+2250700000010 received 9 000 XOF twice/);

say("With the reference of the order, a second payout of it is refused.");
const fixed = explore("market-fixed.mjs");
console.log(fixed.stdout.trimEnd());
equal(fixed.status, 0, fixed.stdout);

console.log("\nEverything happened as described.");

function explore(program) {
  const options = ["--only", "charges/events", "--out", "reports/explore-market", "--workers", "2"];
  const command = ["--", process.execPath, `examples/explore/${program}`];
  return spawnSync(process.execPath, ["bin/sandbox.js", "explore", ...options, ...command], {
    encoding: "utf8",
    env: { ...process.env, PORT: "", NO_COLOR: "1" },
  });
}

function say(text) {
  console.log(`\n${text}`);
}
