import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { auditReceiver } from "../support/audits.js";
import { runSandbox, startSandbox } from "../support/cli.js";
import { gate } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";
import { folderWith } from "../support/folder.js";
import { type Application, hasty, mistakenApplications, startApplication } from "./applications.js";
import { SECRET } from "./receivers.js";
import { unsound as racing } from "./zoo.js";

const env = { SANDBOX_SECRET_KEY: SECRET };

describe("the scenario of a failed state check", { timeout: 60_000 }, () => {
  it.each(Object.entries(mistakenApplications))("breaks an application that %s", async (_, { create, schedule }) => {
    const audited = create();
    const { url, received, become } = await startApplication(audited);
    const { state: check, order } = audited;
    const { checks } = await auditReceiver(url, { system: hasty, check, order, only: ["state"] });
    const scenario = checks.find(({ verdict }) => verdict === "fail")?.scenario ?? "";
    const file = join(await folderWith({ "broken.yaml": scenario }), "broken.yaml");
    expect(await runSandbox(["validate", file])).toMatchObject({ code: 0, stderr: "" });

    // The same application without earlier events.
    const fresh = create();
    become(fresh);
    const before = received.length;
    expect(await runSandbox(["replay", file], { env })).toMatchObject({ code: 0, stderr: "" });
    const delivered = received.slice(before).map(({ body }) => JSON.parse(body.toString()).data);
    expect(delivered.map(({ status }) => status)).toEqual(schedule.map(statusIn));
    expect(new Set(delivered.map(({ id }) => id)).size).toBe(new Set(schedule.map(whose)).size);
  });
});

it("the scenario of an application that refuses early events delivers them once more", async () => {
  const create = (): Application => {
    const [paid, refunded] = [new Set<string>(), new Set<string>()];
    let early = 0;
    return {
      handle: ({ id, status }) => {
        if (status === "paid") paid.add(id);
        if (!status.startsWith("refunded")) return;
        if (!paid.has(id)) early++;
        if (!paid.has(id)) throw new Error("not yet");
        refunded.add(id);
      },
      state: () => ({ paid: paid.size, refunded: refunded.size, early }),
    };
  };
  const audited = create();
  const { url, received, become } = await startApplication(audited);
  const { checks } = await auditReceiver(url, { system: hasty, check: audited.state, only: ["state-reversed"] });
  const file = join(await folderWith({ "early.yaml": checks[0]?.scenario ?? "" }), "early.yaml");
  become(create());
  const before = received.length;
  expect(await runSandbox(["replay", file], { env })).toMatchObject({ code: 0, stderr: "" });
  const delivered = received.slice(before).map(({ body }) => JSON.parse(body.toString()).data.status);
  expect(delivered).toEqual(["refunded", "paid", "refunded"]);
}, 60_000);

describe("the scenario of a race", { timeout: 60_000 }, () => {
  async function auditRace() {
    const { create } = racing["looks whether an event is new before it works, and notes it down after"]!;
    const audited = create();
    const started = await startApplication(audited);
    const { checks } = await auditReceiver(started.url, { system: hasty, check: audited.state, only: ["state"] });
    const scenario = checks.find(({ verdict }) => verdict === "fail")?.scenario ?? "";
    return { ...started, file: join(await folderWith({ "race.yaml": scenario }), "race.yaml"), fresh: create() };
  }

  it("delivers the event several times at once", async () => {
    const { received, become, file, fresh } = await auditRace();
    const before = received.length;
    const all = gate();
    // The application's own work is too short for a busy machine.
    become({
      ...fresh,
      handle: async (event) => {
        if (received.length - before === 8) all.open();
        await all.opened;
        await fresh.handle(event);
      },
    });
    expect(await runSandbox(["replay", file], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(received.length - before).toBe(8);
    expect(JSON.stringify(fresh.state())).toMatch(/"completed":[2-8]/);
  });

  it("fails when the receiver does not acknowledge the events", async () => {
    const { become, file, fresh } = await auditRace();
    become({ ...fresh, handle: () => Promise.reject(new Error("no database")) });
    const { code, stdout } = await runSandbox(["replay", file], { env });
    expect([code, stdout]).toEqual([4, expect.stringContaining("the receiver acknowledges each event")]);
  });
});

describe("the scenario of a failed state check of an application that makes its orders", { timeout: 60_000 }, () => {
  it("waits for the order, and delivers the events that broke the application", async () => {
    const { create, schedule } = mistakenApplications["makes an order unpaid when dropped comes after paid"]!;
    const shop = { ...create(), order: () => ({ id: randomUUID(), externalId: "order-1" }) };
    const { url, received } = await startApplication(shop);
    const { state: check, order } = shop;
    const only = ["state-dropped-after-paid"];
    const { checks } = await auditReceiver(url, { system: hasty, check, order, only });
    const failed = checks.filter(({ verdict }) => verdict === "fail");
    expect(failed.map((found) => found.schedule)).toEqual([schedule]);
    const folder = await folderWith({ "broken.yaml": failed[0]?.scenario ?? "" });
    const before = received.length;

    const sandbox = await startSandbox(["--scenario", join(folder, "broken.yaml")], { env });
    const charge = await createCharge(sandbox.url, "order-1");
    expect(await sandbox.waitForLine("scenario-ended")).toMatchObject({ outcome: "passed" });
    const delivered = received.slice(before).map(({ body }) => JSON.parse(body.toString()).data);
    expect(delivered.map(({ id, status }) => [id, status])).toEqual(schedule.map((status) => [charge, status]));
    expect(await sandbox.stop()).toBe(0);
  });
});

/** As the application does: returns the charge's id. */
async function createCharge(sandboxUrl: string, externalId: string): Promise<string> {
  const answer = await fetch(`${sandboxUrl}/v1/charges`, {
    method: "POST",
    headers: {
      authorization: "Bearer at_sandbox",
      "x-company-id": "company_sandbox",
      "content-type": "application/json",
    },
    body: JSON.stringify(chargeRequest({ externalId })),
  });
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  return id;
}

/** The status in the data of an event with this name. */
function statusIn(event: string): string {
  const [step = ""] = event.split(/[ ,]/);
  return step === "started" ? "pending" : step;
}

function whose(event: string): string {
  return /of another|of an unknown/.exec(event)?.[0] ?? "";
}
