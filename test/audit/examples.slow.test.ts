import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { startLive } from "../support/live.js";
import { root } from "../support/markdown.js";
import { stillSystem } from "./receivers.js";

/** A program of examples/ that says where it listens, until the test ends. */
async function start(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: `${root}examples`,
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout });
  // The pipe is read on, so that the program can print.
  const line = await new Promise<string>((resolve) => lines.on("line", resolve));
  return line.replace("listening on ", "");
}

async function findMistakes(url: string): Promise<string[]> {
  const { checks } = await runAudit({ url, secret: "secret_sandbox", system: stillSystem, skip: ["state"] });
  return checks
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "skipped")
    .map(({ id, seen }) => `${id}: ${seen}`);
}

describe("the receivers of the examples pass the audit", { timeout: 60_000 }, () => {
  it.each(["first-bug/receiver.mjs", "first-bug/buggy-receiver.mjs", "audit/receiver.mjs"])("%s", async (file) => {
    expect(await findMistakes(await start([process.execPath, file]))).toEqual([]);
  });

  it("docker-compose/app.mjs", async () => {
    const { url } = await startLive({ clock: "running" });
    const app = await start([process.execPath, "docker-compose/app.mjs"], { PAYMENTS_URL: url });
    expect(await findMistakes(`${app}/webhooks`)).toEqual([]);
  });

  it("python/shop.py", async ({ skip }) => {
    skip(spawnSync("python3", ["--version"]).status !== 0, "python3 is not installed");
    const program =
      'import time; from shop import Shop; print(Shop(None, "secret_sandbox").url, flush=True); time.sleep(600)';
    expect(
      await findMistakes(
        await start(["python3", "-c", program], { PYTHONPATH: "python", PYTHONDONTWRITEBYTECODE: "1" }),
      ),
    ).toEqual([]);
  });
});
