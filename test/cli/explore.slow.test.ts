import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import {
  carefulPayout,
  carelessPayout,
  explore,
  exploreJson,
  program,
  rulesFile,
  tableOf,
} from "../support/experiments.js";
import { folderWith } from "../support/folder.js";
import { isRunning } from "../support/is-running.js";
import { root } from "../support/markdown.js";
import { parseJunit } from "../support/junit.js";

describe("a payout that is sent again under a new reference", () => {
  it("is found in the salaries of the README, and reported in a paragraph, with a line that repeats it", async () => {
    const salaries = [process.execPath, join(root, "examples/double-payout/pay-salaries.mjs")];
    const { code, stdout, folder } = await explore(["--only", "answer-lost"], salaries);
    expect(stdout).toMatch(/^unsafe {2}answer-lost at createTransaction#1 \(salary-2026-01-awa-…\)$/m);
    const paragraph = stdout.replaceAll(/\s+/g, " ");
    expect(paragraph).toContain(
      "The answer to POST /v1/transactions (salary-2026-01-awa-…) was lost after the payout was made. The program sent it again " +
        "under a new reference. +2250700000010 received 150 000 XOF twice. The program reported success.",
    );
    expect(stdout).toMatch(/^ {2}Repeat: \S+ exec --rules reports\/explore\/01\.yaml --seed 1 -- /m);
    expect(await readFile(rulesFile(folder, "01"), "utf8")).toContain("# The answer to POST /v1/transactions");
    expect(code).toBe(5);
  });

  it("is unsafe wherever the program cannot know whether the work was done, and the same in a second exploration with workers", async () => {
    const skip = ["--skip", "slow", "outcome-failed", "outcome-pending", "outcome-late"];
    const one = await exploreJson(skip, carelessPayout);
    expect(tableOf(one.report)).toEqual([
      "createTransaction#1 answer-lost: unsafe",
      "createTransaction#1 500-after: unsafe",
      "createTransaction#1 answer-cut: unsafe",
      "createTransaction#1 request-lost: unsafe",
      "createTransaction#1 500-before: unsafe",
      "createTransaction#1 503: unsafe",
      "createTransaction#1 429: safe",
    ]);
    expect(one.report).toMatchObject({
      verb: "explore",
      seed: 1,
      baseline: { exitCode: 0, requests: 1, deliveries: 0, repeatable: true },
      counts: { unsafe: 6, lost: 0, safe: 1, equivalent: 0, flaky: 0 },
      stopped: null,
    });
    expect(one.report.runs[0]).toMatchObject({
      point: { name: "createTransaction#1", operation: "createTransaction", ordinal: 1, about: "salary-0" },
      findings: ["double-payout"],
      effect: { added: [{ kind: "transfer", of: "+2250700000010", amount: 5000 }], missing: [] },
      fix: expect.stringContaining("same reference"),
    });
    // The records show that nothing was paid twice, and the finding shows that this was chance.
    expect(one.report.runs[4]).toMatchObject({
      fault: "500-before",
      findings: ["double-payout"],
      effect: { added: [], missing: [] },
      summary:
        "POST /v1/transactions (salary-0) was answered with 500, and nothing was done. The program sent it again under a new reference (salary-1). " +
        "No money moved twice in this run, because the first request did nothing. The program cannot know that: when the work was done and only " +
        "the answer is missing (500-after), the same code pays twice.",
      fix: expect.stringContaining("same reference"),
    });
    const two = await exploreJson([...skip, "--workers", "4"], carelessPayout);
    expect(tableOf(two.report)).toEqual(tableOf(one.report));
  });

  it("is repeated by the line of the report", async () => {
    const { report, folder } = await exploreJson(["--only", "answer-lost"], carelessPayout);
    const line = report.runs[0]?.repeat ?? "";
    const words = line.slice(line.indexOf(" exec ") + 1, line.indexOf(" -- ")).split(" ");
    const { stderr } = await runSandbox([...words, "--", ...carelessPayout], { cwd: folder });
    expect(stderr).toContain("critical: double-payout");
  });
});

describe("a careful program", () => {
  it("has no bug, also when a second fault hits its recovery", async () => {
    const { report, code } = await exploreJson(["--depth", "2", "--skip", "429"], carefulPayout);
    expect(report.runs.filter(({ verdict }) => !["safe", "noticed"].includes(verdict))).toEqual([]);
    expect(report.runs.filter(({ after }) => after !== null).length).toBeGreaterThan(5);
    expect(report.counts.equivalent).toBeGreaterThan(0);
    expect(code).toBe(0);
  });
});

describe("the plan", () => {
  it("can be listed without running it, by points and faults", async () => {
    const { stdout, code } = await explore(["--list", "--only", "createTransaction#1", "503", "429"], carefulPayout);
    expect(stdout).toBe("01  503  createTransaction#1  salary-1\n02  429  createTransaction#1  salary-1\n");
    expect(code).toBe(0);
  });

  it.each([
    [["--max-runs", "2"], "max-runs"],
    [["--time", "1ms"], "time"],
  ])("ends early with %j, and says so", async (options, stopped) => {
    const { report } = await exploreJson(options, carefulPayout);
    expect(report.stopped).toBe(stopped);
    expect(report.runs.length).toBeLessThanOrEqual(2);
  });
});

/** A program with a database. */
const remembering = (code: string) =>
  program(`
    const { existsSync, writeFileSync } = await import("node:fs");
    const known = existsSync("orders.json");
    writeFileSync("orders.json", "[]");
    ${code}
  `);

describe("a command that does not do the same in each run", () => {
  it("is explored when it does something else each time, and sends some of it again", async () => {
    const { code, stdout } = await explore(
      ["--only", "createTransaction#1", "503"],
      program(`
        const { appendFileSync, statSync } = await import("node:fs");
        appendFileSync("runs", "x");
        for (let at = 0; at < statSync("runs").size; at++) {
          for (let attempt = 0; attempt < 2; attempt++) await call("POST", "/v1/transactions", payout("order-" + at));
        }
      `),
    );
    expect(stdout).toContain("1 safe: 1 fault");
    expect(code).toBe(0);
  });
});

describe("what cannot be explored", () => {
  it("counts only requests of the command, and not those of a scenario that is played beside it", async () => {
    const folder = await folderWith({ "played.yaml": "steps: [{ request: GET /v1/balance }]" });
    const played = ["--scenario", join(folder, "played.yaml")];
    const untilPlayed = `
      const requests = async () => (await (await fetch(process.env.SANDBOX_URL + "/_sandbox/requests")).json()).data.length;
      while ((await requests()) === 0);
    `;
    const { code, stderr } = await explore(played, program(untilPlayed));
    expect(code, stderr).toBe(6);
    expect(stderr).toContain("The sandbox was never called");
    const paying = program(`${untilPlayed} await call("POST", "/v1/transactions", payout("a"));`);
    const { report } = await exploreJson([...played, "--only", "503"], paying);
    expect(tableOf(report).map((row) => row.split(" ")[0])).toEqual(["createTransaction#1"]);
  });

  it.each<[string, readonly string[], readonly string[], number, RegExp]>([
    ["no command", [], [], 1, /explore needs a command/],
    ["a missing command", [], ["no-such-command"], 3, /there is no such command/],
    ["a missing command with a secret", ["--admin-token", "adm-token-1"], ["T=adm-token-1"], 3, /run T=\[redacted\]:/],
    ["a command whose name is too long", [], ["x".repeat(300)], 3, /Failed to run x{60}…: spawn ENAMETOOLONG\.$/m],
    ["a command that calls nothing", [], ["true"], 6, /The sandbox was never called/],
    ["a command that fails", [], program("process.exit(7)"), 6, /fails without any fault: it ended with 7/],
    [
      "a command that remembers its payout",
      [],
      remembering(`await call("GET", "/v1/balance"); if (!known) await call("POST", "/v1/transactions", payout("a"));`),
      6,
      /inconclusive: The command makes 1 payout in its first run, and 0 in later ones. Does it keep something between runs/,
    ],
    [
      "a command that remembers one of its payouts",
      [],
      remembering(`
        if (!known) await call("POST", "/v1/transactions", payout("a"));
        await call("POST", "/v1/transactions", payout("b"));
      `),
      6,
      /inconclusive: The command makes 2 payouts in its first run, and 1 in later ones. Does it keep something/,
    ],
    [
      "a command that remembers its subscription",
      [],
      remembering(`
        if (!known) await call("POST", "/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:9/hooks" });
        await call("POST", "/v1/transactions", payout("a"));
      `),
      6,
      /inconclusive: The command makes 1 subscription in its first run, and 0 in later ones/,
    ],
    [
      "a command that remembers its work",
      [],
      remembering(`if (!known) await call("POST", "/v1/transactions", payout("a"));`),
      6,
      /The sandbox was never called.* It was so in the second run only. Does it keep something between runs/,
    ],
    [
      "workers of which only one gets its port",
      ["--workers", "2"],
      program(`
        const { createServer } = await import("node:http");
        const server = createServer();
        await new Promise((resolve) => server.listen("port", resolve));
        await new Promise((resolve) => setTimeout(resolve, 500));
        await call("POST", "/v1/transactions", payout("a"));
        server.close();
      `),
      6,
      /fails without any fault: it .* It was so when it ran twice at the same time. Do runs share a port or a database/,
    ],
    [
      "workers that share their work",
      ["--workers", "2"],
      program(`
        const { mkdirSync, rmSync } = await import("node:fs");
        const claims = (id) => {
          try { mkdirSync(id); return true; } catch { return false; }
        };
        if (claims("order")) {
          await call("POST", "/v1/transactions", payout("a"));
          await new Promise((resolve) => setTimeout(resolve, 500));
          rmSync("order", { recursive: true });
        } else await call("GET", "/v1/balance");
      `),
      6,
      /makes 1 payout in its first run, and 0 in later ones. It was so when it ran twice at the same time/,
    ],
    ["an unknown fault or point", ["--only", "anser-lost"], carefulPayout, 1, /did you mean "?answer-lost/i],
    [
      "a command that removes all rules",
      ["--only", "answer-lost"],
      program(`await call("DELETE", "/_sandbox/rules"); await call("POST", "/v1/transactions", payout("salary-1"));`),
      6,
      /inconclusive: No fault happened in any run. Does the command remove all rules/,
    ],
    [
      "a point that the command does not reach",
      ["--skip", "createCharge#1"],
      carefulPayout,
      1,
      /Unknown name "createCharge#1"/,
    ],
    [
      "a choice that leaves no fault",
      ["--skip", "createTransaction"],
      carefulPayout,
      6,
      /Nothing was tried: --only and --skip/,
    ],
    ["a store", ["--store", "file:state.json"], carefulPayout, 1, /--store does not go with explore/],
    [
      "tenancy",
      ["--tenancy", "--admin-token", "a"],
      carefulPayout,
      1,
      /--tenancy does not go with explore: each run has the same seed/,
    ],
    ["a recording", ["--record", "a.yaml"], carefulPayout, 1, /--record does not go with explore/],
    ["an invariant that is empty", ["--check", " "], carefulPayout, 1, /--check must be a command, not " "/],
    ["no verdict", ["--fail-on", ""], carefulPayout, 1, /--fail-on must be unsafe, lost, hung or crashed, not ""/],
    ["an invariant that does not hold", ["--check", "false"], carefulPayout, 6, /--check fails without any fault/],
    [
      "an invariant that does not end",
      ["--check", "echo waiting; sleep 100", "--timeout", "3s"],
      carefulPayout,
      6,
      /--check fails without any fault. It must exit with 0 within --timeout.*What it printed is in reports\/explore\/baseline.txt/s,
    ],
    ["a folder in a file", ["--out", "/dev/null/x"], carefulPayout, 3, /Failed to write the reports to \/dev\/null\/x/],
  ])("%s", async (_, options, command, code, message) => {
    const explored = await explore(options, command);
    expect(explored.stderr).toMatch(message);
    expect(explored.code).toBe(code);
  });
});

describe("requests that no rule sees", () => {
  it("do not move faults to other requests", async () => {
    const command = program(`
      const authorized = headers.authorization;
      headers.authorization = "Bearer expired";
      await call("POST", "/v1/transactions", payout("salary-0"));
      await fetch(SANDBOX_URL + "/v1/balance", { method: "HEAD", headers });
      headers.authorization = authorized;
      await fetch(SANDBOX_URL + "/v1/balance", { method: "HEAD", headers });
      if ((await call("GET", "/v1/balance")).status !== 200) process.exit(1);
      for (let attempt = 1; attempt < 4; attempt++) {
        const { status } = await call("POST", "/v1/transactions", payout("salary-" + attempt));
        if (status === 201) process.exit(0);
      }
    `);
    const { report } = await exploreJson(
      ["--only", "answer-lost", "500-before", "createTransaction", "getBalance"],
      command,
    );
    expect(tableOf(report)).toEqual([
      "createTransaction#1 answer-lost: unsafe",
      "createTransaction#1 500-before: unsafe",
      "getBalance#1 500-before: noticed",
    ]);
    expect(report.runs[0]?.point).toMatchObject({ about: "salary-1" });
    expect(report.baseline.requests).toBe(5);
    expect(report.notes.join()).not.toContain("did not reach");
  });
});

it("says that an attempt with the refused test number took the fault of the next payout", async () => {
  const command = program(`
    await call("POST", "/v1/transactions", payout("salary-0", 5000, "+2250700000007"));
    await call("POST", "/v1/transactions", payout("salary-1"));
    await call("POST", "/v1/transactions", payout("salary-2"));
  `);
  const { report } = await exploreJson(["--only", "outcome-failed"], command);
  expect(report.runs.map(({ summary }) => summary)).toEqual([
    expect.stringContaining("did not reach POST /v1/transactions (salary-1)"),
    expect.stringContaining("The payout of POST /v1/transactions (salary-2) failed"),
  ]);
  expect(report.notes.join()).toContain("01: the run did not reach the point of its fault");
});

it("tries faults after a snapshot is restored, at the ordinals that rules count", async () => {
  const command = program(`
    await call("POST", "/v1/transactions", payout("rent"));
    await call("POST", "/_sandbox/snapshots/before");
    await call("GET", "/v1/balance");
    await call("PUT", "/_sandbox/snapshots/before");
    for (let attempt = 0; attempt < 3; attempt++) {
      const { status } = await call("POST", "/v1/transactions", payout("salary-" + attempt));
      if (status === 201) break;
    }
    await call("GET", "/v1/balance");
  `);
  const { report } = await exploreJson(["--only", "answer-lost", "outcome-failed"], command);
  expect(tableOf(report)).toEqual([
    "createTransaction#1 answer-lost: safe",
    "createTransaction#2 answer-lost: unsafe",
    "createTransaction#1 outcome-failed: safe",
    "createTransaction#2 outcome-failed: safe",
  ]);
  expect(report.runs.map(({ point }) => point.about)).toEqual(["rent", "salary-0", "rent", "salary-0"]);
  expect(report.baseline.requests).toBe(4);
  expect(report.notes.join()).not.toContain("did not reach");
});

describe("requests that the journal forgets", () => {
  /** Makes two payouts; the second one is careless. */
  const twoPayouts = (between: string) =>
    program(`
      const pay = async (referenceOf) => {
        for (let attempt = 0; attempt < 3; attempt++) {
          const { status } = await call("POST", "/v1/transactions", payout(referenceOf(attempt)));
          if (status === 201 || status === 409) return;
        }
      };
      await pay(() => "rent");
      ${between}
      await pay((attempt) => "salary-" + attempt);
      ${between}
    `);
  const table = ["createTransaction#1 answer-lost: safe", "createTransaction#2 answer-lost: unsafe"];

  it("are points also when the command clears it", async () => {
    const command = twoPayouts(`await call("DELETE", "/_sandbox/requests");`);
    const { report } = await exploreJson(["--only", "answer-lost"], command);
    expect(tableOf(report)).toEqual(table);
    expect(report.baseline.requests).toBe(2);
  });

  it("are points also beyond its limit", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": "limits: { requests: 2 }" });
    const args = ["explore", "--reporter", "json", "--only", "createTransaction", "answer-lost", "--"];
    const polls = twoPayouts(`for (let n = 0; n < 3; n++) await call("GET", "/v1/balance");`);
    const { stdout } = await runSandbox([...args, ...polls], { cwd });
    expect(tableOf(JSON.parse(stdout))).toEqual(table);
  });
});

describe("a command that misbehaves", () => {
  const misbehaves = (code: string): string[] =>
    program(`
      const { status } = await call("POST", "/v1/transactions", payout("salary-1"));
      if (status !== 201) { ${code} }
    `);
  const only = ["--only", "503", "--timeout", "2s"];

  const childOf = async (folder: string): Promise<number> =>
    Number(/child (\d+)/.exec(await readFile(join(folder, "reports/explore/01.txt"), "utf8"))?.[1]);

  it("hangs and ignores SIGTERM, with a child: all of it ends", async () => {
    const { report, folder } = await exploreJson(
      only,
      misbehaves(`
        const { spawn } = await import("node:child_process");
        process.on("SIGTERM", () => {});
        console.log("child " + spawn("sleep", ["1000"]).pid);
        await new Promise(() => setInterval(() => {}, 1000));
      `),
    );
    expect(report.runs[0]).toMatchObject({
      verdict: "hung",
      exitCode: null,
      fix: expect.stringContaining("Give each request and each wait a time limit"),
    });
    expect(isRunning(await childOf(folder))).toBe(false);
  });

  it.runIf(process.platform === "linux")("leaves its process group: all of it ends", async () => {
    const leaves = misbehaves(`
      const { spawn } = await import("node:child_process");
      const child = spawn("sh", ["-c", "trap '' TERM; sleep 1000 & wait"], { detached: true, stdio: "ignore" });
      child.unref();
      console.log("child " + child.pid);
    `);
    const { report, folder } = await exploreJson(["--only", "503"], leaves);
    expect(report.runs[0]).toMatchObject({ verdict: "lost", ms: expect.any(Number) });
    expect(isRunning(await childOf(folder))).toBe(false);
  });

  it("removes the folder of the reports: it is created again", async () => {
    const command = misbehaves(
      `(await import("node:fs")).rmSync("reports", { recursive: true, force: true }); console.log("removed");`,
    );
    const { report, folder } = await exploreJson(["--only", "503"], command);
    expect(tableOf(report)).toEqual(["createTransaction#1 503: lost"]);
    expect((await readdir(join(folder, "reports/explore"))).sort()).toEqual(["01.txt", "01.yaml"]);
  });

  it("leaves a child behind: it ends with the run", async () => {
    const { report, folder } = await exploreJson(
      ["--only", "503", "--fail-on", "crashed"],
      misbehaves(`
        const { spawn } = await import("node:child_process");
        console.log("child " + spawn("sleep", ["1000"], { stdio: "inherit" }).pid);
        process.abort();
      `),
    );
    expect(report.runs[0]).toMatchObject({ verdict: "crashed", output: "reports/explore/01.txt" });
    expect(isRunning(await childOf(folder))).toBe(false);
  });

  it("writes megabytes: the last of it is kept", async () => {
    const { folder } = await exploreJson(
      ["--only", "503"],
      misbehaves(`process.stdout.write("x".repeat(3_000_000) + "the end", () => process.abort());`),
    );
    const printed = await readFile(join(folder, "reports/explore/01.txt"), "utf8");
    expect(printed.length).toBeLessThan(300_000);
    expect(printed).toMatch(/^… \d+ bytes before this were left out\n/);
    expect(printed).toContain("the end");
  });

  it("writes megabytes with a secret in each line: what is kept begins with a whole line", async () => {
    const write = `process.stdout.write("at_sandbox,\\n".repeat(100_000) + "the end", () => process.abort());`;
    const { folder } = await exploreJson(["--only", "503"], misbehaves(write));
    const printed = await readFile(join(folder, "reports/explore/01.txt"), "utf8");
    expect(printed).toMatch(/^… \d+ bytes before this were left out\n(?:\[redacted\],\n)+the end/);
  });

  it("takes, prints and sends secrets: the reports do not show them", async () => {
    const secrets = ["at_SecretToken42", "sk_SecretKey42", "adm_SecretAdmin42"];
    const config = `companies: [{ companyId: shop, accessTokens: [${secrets[0]}], secretKey: ${secrets[1]} }]`;
    const command = program(`
      console.log(process.env, "Basic " + btoa("shop:" + process.env.SANDBOX_SECRET_KEY));
      for (let n = 0; n < 4; n++) {
        const { status } = await call("POST", "/v1/transactions", payout(SANDBOX_ACCESS_TOKEN + "/" + n));
        if (status === 201) process.exit(0);
      }
    `);
    const cwd = await folderWith({ "sandbox.config.yaml": config });
    const words = [...command, `token=${secrets[0]}`, secrets[1] ?? ""];
    const { code, stdout, stderr } = await runSandbox(["explore", "--only", "answer-lost", "--", ...words], {
      cwd,
      env: { SANDBOX_ADMIN_TOKEN: "adm_SecretAdmin42" },
    });
    const files = await Promise.all(
      ["01.yaml", "01.txt"].map((name) => readFile(join(cwd, "reports/explore", name), "utf8")),
    );
    const shown = [stdout, stderr, ...files].join("\n");
    expect(code).toBe(5);
    expect(shown).toContain("under a new reference ([redacted]/1)");
    expect(shown).toContain("SANDBOX_ACCESS_TOKEN: '[redacted]'");
    expect(stdout).toContain("'token=[redacted]' '[redacted]'");
    for (const secret of [...secrets, btoa(`shop:${secrets[1]}`)]) expect(shown).not.toContain(secret);
  });

  it("prints a token in base64 of several lines: it is redacted", async () => {
    const { folder } = await exploreJson(
      ["--only", "503"],
      misbehaves(`console.log(btoa("x".repeat(50) + SANDBOX_ACCESS_TOKEN).replaceAll(/.{76}/g, "$&\\n"));`),
    );
    const printed = await readFile(join(folder, "reports/explore/01.txt"), "utf8");
    expect(atob(printed.replaceAll(/[^\w+/]/g, ""))).not.toContain("at_sandbox");
  });

  it("sends control characters: the rules of the report can be read", async () => {
    const { stdout, folder } = await explore(
      ["--only", "503"],
      program(
        `for (const n of [1, 2]) await call("POST", "/v1/transactions", payout("a\\n- b: [\\u001b" + n)).catch(() => 0);`,
      ),
    );
    expect(stdout).toContain("503 at createTransaction#1 (a - b: [\\u001b1)");
    const { code, stdout: valid } = await runSandbox(["validate", "reports/explore/01.yaml"], { cwd: folder });
    expect([code, valid]).toEqual([0, "reports/explore/01.yaml: ok (rules)\n"]);
  });

  it("wants a terminal: there is none", async () => {
    const { stderr, code } = await explore([], program(`process.exit(process.stdin.isTTY ? 0 : 9)`));
    expect(stderr).toContain("it ended with 9");
    expect(code).toBe(6);
  });

  it.each([
    [
      "in a group of tasks in Python",
      `console.error("  + Exception Group Traceback (most recent call last):\\n  |   File \\"pay.py\\", line 1\\n  +-+---- 1 ----\\n    | Error: 503\\n    +-----"); process.exit(1)`,
    ],
    [
      "in PHP without a php.ini",
      `console.log("\\nFatal error: Uncaught Exception: 503 in pay.php:1\\nStack trace:\\n#0 {main}"); process.exit(255)`,
    ],
  ])("throws %s: a crash", async (_, code) => {
    const { report } = await exploreJson(["--only", "503"], misbehaves(code));
    expect(tableOf(report)).toEqual(["createTransaction#1 503: crashed"]);
  });

  it("throws: a crash, and its output is kept for bugs alone", async () => {
    const { report, folder } = await exploreJson(
      ["--only", "503", "429"],
      misbehaves(`if (status === 503) throw new Error("no")`),
    );
    expect(tableOf(report)).toEqual(["createTransaction#1 503: crashed", "createTransaction#1 429: lost"]);
    // The second run prints nothing.
    expect((await readdir(join(folder, "reports/explore"))).sort()).toEqual(["01.txt", "01.yaml", "02.yaml"]);
  });
});

describe("Ctrl-C", () => {
  it("ends the command, and prints what is known", async () => {
    const folder = await folderWith({});
    const command = program(`
      const { status } = await call("POST", "/v1/transactions", payout("salary-1"));
      if (status === 429) await new Promise(() => setInterval(() => {}, 1000));
    `);
    const args = ["explore", "--reporter", "json", "--only", "503", "429", "--", ...command];
    const child = spawn(process.execPath, [join(root, "bin/sandbox.js"), ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      if (piece.includes("503 at")) child.kill("SIGINT");
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    const report = JSON.parse(await text(child.stdout));
    expect(tableOf(report)).toEqual(["createTransaction#1 503: lost"]);
    expect(report.stopped).toBe("signal");
    expect(await ended).toBe(130);
  });
});

describe("reports", () => {
  it("JUnit has a case for each fault, and failures for the verdicts of --fail-on", async () => {
    const options = ["--reporter", "junit", "--only", "answer-lost", "429"];
    const { stdout, code } = await explore(options, carelessPayout);
    expect(() => parseJunit(stdout)).not.toThrow();
    expect(stdout).toContain('tests="2" failures="1"');
    expect(stdout).toContain('<testcase name="answer-lost at createTransaction#1 (salary-0)"');
    expect(code).toBe(5);
  });

  it("Markdown has the paragraph, the fix and all faults", async () => {
    const options = ["--reporter", "md", "--only", "answer-lost", "429", "--fail-on", "lost"];
    const { stdout, code } = await explore(options, carelessPayout);
    expect(stdout).toContain("## unsafe: answer-lost at createTransaction\\#1 (salary-0)");
    expect(stdout).toContain("received 5 000 XOF twice");
    expect(stdout).toContain("| 02 | 429 at createTransaction\\#1 (salary-0) | safe |");
    expect(code).toBe(0);
  });
});

describe("--check", () => {
  it("makes a run unsafe in which the invariant does not hold", async () => {
    const command = program(`
      const { writeFileSync } = await import("node:fs");
      const { status } = await call("POST", "/v1/transactions", payout("salary-1"));
      writeFileSync("state", status === 201 ? "good" : "bad");
    `);
    const { report } = await exploreJson(["--only", "500-after", "--check", "grep good state"], command);
    expect(report.runs[0]).toMatchObject({ verdict: "unsafe", effect: { added: [], missing: [] } });
    expect(report.runs[0]?.summary).toContain("The invariant of --check does not hold.");
  });
});
