import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { hasty, mistakenApplications, startApplication } from "./applications.js";
import { SECRET } from "./receivers.js";

const env = { SANDBOX_SECRET_KEY: SECRET };

describe("the scenario of a failed state check", { timeout: 60_000 }, () => {
  it.each(Object.entries(mistakenApplications))("breaks an application that %s", async (_, { create, schedule }) => {
    const audited = create();
    const { url, received, become } = await startApplication(audited);
    const { state: check, order } = audited;
    const { checks } = await runAudit({ url, secret: SECRET, system: hasty, check, order, only: ["state"] });
    const scenario = checks.find(({ verdict }) => verdict === "fail")?.scenario ?? "";
    const file = join(await folderWith({ "broken.yaml": scenario }), "broken.yaml");
    expect(await runSandbox(["validate", file])).toMatchObject({ code: 0, stderr: "" });

    // The same application without a past.
    const fresh = create();
    become(fresh);
    const before = received.length;
    expect(await runSandbox(["replay", file], { env })).toMatchObject({ code: 0, stderr: "" });
    const delivered = received.slice(before).map(({ body }) => JSON.parse(body.toString()).data);
    expect(delivered.map(({ status }) => status)).toEqual(schedule.map(statusIn));
    expect(new Set(delivered.map(({ id }) => id)).size).toBe(new Set(schedule.map(whose)).size);
  });
});

/** What the data of the event says that is called so. */
function statusIn(event: string): string {
  const [step = ""] = event.split(/[ ,]/);
  return step === "started" ? "pending" : step;
}

function whose(event: string): string {
  return /of another|of an unknown/.exec(event)?.[0] ?? "";
}
