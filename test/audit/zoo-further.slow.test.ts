import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { isUnreachable } from "../../src/audit/wire/send-on-wire.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { auditReceiver, auditSpecimen, mistakesIn } from "../support/audits.js";
import { listen } from "../support/listen.js";
import { hasty } from "./applications.js";
import { explained, sound, unsound } from "./further-applications.js";
import { sound as soundOnWire, undecided, unsound as unsoundOnWire, verifyingOnly } from "./further-receivers.js";
import { HEADER, hmac, isGenuine, SECRET, startReceiver, stillSystem, take } from "./receivers.js";

describe("an audit", { timeout: 60_000 }, () => {
  it.each(Object.entries(sound))("passes an application that %s", async (_, specimen) => {
    const report = await auditSpecimen(specimen);
    expect([report.verdict, report.reasons, mistakesIn(report)]).toEqual(["passed", [], []]);
  });

  it.each(Object.entries(unsound))("reports an application that %s", async (_, specimen) => {
    expect(mistakesIn(await auditSpecimen(specimen))).toEqual(specimen.finds);
  });

  it.each(Object.entries(explained))("says what it needs to judge one that %s", async (_, specimen) => {
    const { verdict, reasons, advice } = await auditSpecimen(specimen);
    expect(verdict).not.toBe("passed");
    expect([...reasons, ...advice].join("\n")).toMatch(specimen.says);
  });
});

/** Pieces of a body need not be far apart. */
const system = { ...stillSystem, sleep: (ms: number) => stillSystem.sleep(Math.min(ms, 5)) };

describe("an audit of a receiver", { timeout: 30_000 }, () => {
  it.each(Object.entries(soundOnWire))("passes one that %s", async (_, start) => {
    const report = await auditReceiver(await start(), { system });
    expect([report.verdict, mistakesIn(report)]).toEqual(["passed", []]);
  });

  it.each(Object.entries(unsoundOnWire))("reports one that %s", async (_, [receive, ...finds]) => {
    const { url } = await startReceiver(receive);
    expect(mistakesIn(await auditReceiver(url, { system }))).toEqual(finds);
  });
});

describe("an audit of a receiver that leaves topics unverified", { timeout: 30_000 }, () => {
  it.each(Object.entries(undecided))("does not judge one that %s", async (_, [receive, says]) => {
    const { url } = await startReceiver(receive);
    const report = await auditReceiver(url, { system });
    expect([report.verdict, report.accepted, mistakesIn(report)]).toEqual(["inconclusive", true, []]);
    expect(report.reasons).toEqual([expect.stringMatching(says)]);
  });

  it.each([
    ["charges/events", "passed", []],
    ["transactions/completed", "failed", ["signature-wrong-secret fail"]],
  ])("is decided by --topic %s", async (topic, verdict, finds) => {
    const { url } = await startReceiver(verifyingOnly((named) => named.startsWith("charge")));
    const report = await auditReceiver(url, { system, topic });
    expect([report.verdict, mistakesIn(report)]).toEqual([verdict, finds]);
  });

  it("lists the topics that are accepted unsigned", async () => {
    const [receive] = unsoundOnWire["takes payouts unsigned"]!;
    const { checks } = await auditReceiver((await startReceiver(receive)).url, { system });
    expect(checks.find(({ id }) => id === "signature-topics")).toMatchObject({
      severity: "critical",
      seen: expect.stringContaining("transactions/completed"),
    });
  });
});

/** Prints the state of the process that also takes the events, and dies at one of them. */
async function startMortal(isDeadly: (text: string, signature: unknown) => boolean) {
  const statuses = new Map<string, string>();
  const server = createServer((request, response) => {
    if (request.method === "GET") return response.end(JSON.stringify([...statuses.values()].toSorted()));
    return void buffer(request).then(async (body) => {
      if (isDeadly(body.toString(), request.headers[HEADER])) return die();
      if (!isGenuine(body, request.headers[HEADER])) return response.writeHead(401).end();
      const status = take(body);
      if (status === 200) {
        const { id, status: reached } = JSON.parse(body.toString()).data;
        const order = ["dropped", "paid", "refunded_partially", "refunded"];
        if (order.indexOf(reached) > order.indexOf(statuses.get(id) ?? "")) statuses.set(id, reached);
      }
      return response.writeHead(status).end();
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  /** A process that another test starts at this moment inherits the port for an instant: the connections are cut when it is closed. */
  async function die(): Promise<void> {
    server.close();
    while (!(await isUnreachable({ url: new URL(origin), system: systemClock })));
    server.closeAllConnections();
  }
  onTestFinished(() => void server.close());
  return origin;
}

describe("an audit of a receiver that dies", { timeout: 30_000 }, () => {
  it.each([
    ["at a forged event", "signature-missing", (_: string, signature: unknown) => signature === undefined],
    ["at signed null", "odd-json", (text: string, signature: unknown) => text === "null" && hmac(text) === signature],
    ["at a refund", "state-history", (text: string) => text.includes('"status":"refunded"')],
    ["at the ordinary event", "valid-event", (text: string) => text.includes('"status":"paid"')],
    ["at a dropped event", "state-duplicate", (text: string) => text.includes('"status":"dropped"')],
    ["at a large body", "large-body", (text: string) => text.length > 1024 * 1024],
  ])("%s reports everything, and which check ended it", async (_, id, isDeadly) => {
    const origin = await startMortal(isDeadly);
    const options = { secret: SECRET, system: hasty, topic: "charges/events" };
    const report = await runAudit({ ...options, url: `${origin}/webhooks`, check: `${origin}/state` });
    expect(report.verdict).toBe("failed");
    const critical = report.checks.filter(({ verdict }) => verdict === "fail");
    expect(critical.map((check) => [check.id, check.severity])).toEqual([[id, "critical"]]);
    expect(critical[0]?.seen).toMatch(/^the receiver no longer answers since /);
    expect(report.checks.length).toBeGreaterThan(30);
  });
});
