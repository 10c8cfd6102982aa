import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { OPENING_MS, OPENINGS_MAX } from "../../src/http/shared/address-limit.js";
import { LIVE_MAX } from "../../src/http/pages/dashboard/live.js";
import { SESSIONS_MAX } from "../../src/http/pages/dashboard/sessions.js";
import { STREAMS_MAX } from "../../src/http/control/stream-routes.js";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { textOf, openPage } from "../support/open-page.js";

const page = openPage("docs/tenancy.md");

describe("docs/tenancy.md", () => {
  const steps = stepsOf(page);
  const example = textOf(page.take("yaml"));

  it("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const cwd = await folderWith({});
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", cwd })).resolves.toBeUndefined();
  });

  it("shows a valid file", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": example });
    const { code, stdout } = await runSandbox(["validate", "sandbox.config.yaml"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "sandbox.config.yaml: ok (config)\n" });
  });

  it("has the limits", () => {
    const bounds = page.tables
      .filter(({ heading }) => heading === "Limits")
      .flatMap(({ rows }) => rows.map((row) => row[1]));
    expect(OPENING_MS).toBe(60_000);
    expect(bounds[0]).toBe(`${OPENINGS_MAX} from one address, then one a minute`);
    expect(bounds).toContain(`${STREAMS_MAX} of each company`);
    expect(LIVE_MAX).toBe(STREAMS_MAX);
    expect(SESSIONS_MAX).toBe(STREAMS_MAX);
  });
});
