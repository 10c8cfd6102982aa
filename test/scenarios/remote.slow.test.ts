import { expect, it, onTestFinished } from "vitest";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSandbox } from "../support/cli.js";
import { startLive } from "../support/live.js";
import { root } from "../support/markdown.js";

/** Another deployment of the contract. Its control API is not ours to use. */
async function startDeployment(): Promise<string> {
  const { url } = await startLive({ clock: "running", adminToken: "not-ours" });
  return url;
}

it("a scenario that waits is replayed to its end, though nothing else keeps the process alive", async () => {
  const folder = await mkdtemp(join(tmpdir(), "remote-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "waits.yaml"),
    "steps: [{ wait: 20ms }, { request: GET /v1/balance, expect: { status: 200 } }]",
  );
  const url = await startDeployment();
  const finished = await runSandbox(["replay", "waits.yaml", "--target", url, "--token", "at_sandbox"], {
    cwd: folder,
  });
  expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
});

it("the scenarios of the package pass twice against one deployment", async () => {
  const url = await startDeployment();
  for (const run of [1, 2]) {
    const args = ["replay", "scenarios", "--target", url, "--token", "at_sandbox", "--company", "company_sandbox"];
    const finished = await runSandbox(args, { cwd: root });
    expect(finished, `run ${run}`).toMatchObject({ code: 0 });
  }
});
