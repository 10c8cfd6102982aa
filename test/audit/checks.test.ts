import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  Abandoned,
  type AuditRequest,
  type Check,
  type Exchange,
  type Failing,
  type Stage,
} from "../../src/audit/wire/check.js";
import { allChecks } from "../../src/audit/check-list.js";
import { forgedChecks } from "../../src/audit/checks/forged.js";
import { VALID_EVENT, genuineChecks } from "../../src/audit/checks/genuine.js";
import { robustChecks } from "../../src/audit/checks/robust.js";
import { runAudit } from "../../src/audit/run-audit.js";
import { snippetLanguages, snippets } from "../../src/audit/checks/snippets.js";
import { createStage } from "../../src/audit/wire/stage.js";
import { createIdSource } from "../../src/kernel/records/ids.js";
import { SECRET, hmac, sound, startReceiver, stillSystem } from "./receivers.js";

const failings: readonly Failing[] = [
  "accepted",
  "refused",
  "redirected",
  "crashed",
  "silent",
  "slow",
  "unequal",
  "wrong",
  "gone",
];
const wireChecks: readonly Check[] = [...genuineChecks, ...forgedChecks, ...robustChecks];

function stageFor(send: Stage["send"], isSlow = false): Stage {
  return createStage({
    secret: SECRET,
    oldSecret: "secret_of_before",
    header: "x-service-hmac-sha256",
    topic: undefined,
    isAnyTopic: true,
    event: undefined,
    ordinary: undefined,
    isSlow,
    ids: createIdSource(7, "audit"),
    system: stillSystem,
    send,
  });
}

function answerWith(status: number, request: AuditRequest): Exchange {
  const answer = { status, location: null, body: "" };
  return { request, answer, error: null, unreachable: false, timedOut: false, latencyMs: 1 };
}

/** The requests of a check to a receiver that answers everything with one status. */
async function requestsOf(check: Check, status: number): Promise<AuditRequest[]> {
  const requests: AuditRequest[] = [];
  await check.run(
    stageFor(async (request) => {
      requests.push(request);
      return answerWith(status, request);
    }),
  );
  return requests;
}

describe("the checks", () => {
  it("have unique ids, and the ordinary event is the first", () => {
    const ids = allChecks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe(VALID_EVENT);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  it("name causes that exist, and no check is its own cause", () => {
    const ids = new Set(allChecks.map(({ id }) => id));
    const causes = allChecks.flatMap(({ id, follows = [] }) => follows.map((cause) => [id, cause.split(":")[0] ?? ""]));
    expect(causes.filter(([id, cause = ""]) => !ids.has(cause) || cause === id)).toEqual([]);
  });

  it("have no circle of causes, so that of several failures at least one is reported", () => {
    const anyhow: readonly Failing[] = ["redirected", "crashed", "silent"];
    const failingsOf = (check: Pick<Check, "id" | "group"> | undefined): readonly Failing[] => {
      if (check?.group === "genuine")
        return [...anyhow, "refused", ...(check.id === "header-case" ? ["unequal" as const] : [])];
      return check?.group === "forged" ? [...anyhow, "accepted"] : [...anyhow, "accepted", "refused", "slow", "wrong"];
    };
    const walk = (id: string, failing: Failing, path: readonly string[]): string[] => {
      const check = allChecks.find((candidate) => candidate.id === id);
      if (!failingsOf(check).includes(failing)) return [];
      const here = `${id}:${failing}`;
      if (path.includes(here)) return [[...path, here].join(" > ")];
      return (check?.follows ?? []).flatMap((cause) => {
        const [causeId = "", own] = cause.split(":");
        const other = failings.find((candidate) => candidate === own);
        return walk(causeId, other ?? failing, [...path, here]);
      });
    };
    expect(allChecks.flatMap(({ id }) => failings.flatMap((failing) => walk(id, failing, [])))).toEqual([]);
  });

  it.each(wireChecks.map((check) => [check.id, check] as const))(
    "%s sends the same number of requests whatever the answers are, each a different one",
    async (_, check) => {
      const [accepted, refused] = [await requestsOf(check, 200), await requestsOf(check, 401)];
      expect(accepted.length).toBe(refused.length);
      expect(accepted.length).toBeGreaterThan(0);
      const spelt = accepted.map(({ headers, body }) => JSON.stringify([headers, body.toString("latin1")]));
      expect(new Set(spelt).size).toBe(accepted.length);
    },
  );

  it.each([false, true])("are judged by the answers before the audit gave up (slow receiver: %s)", async (isSlow) => {
    const check = forgedChecks.find(({ id }) => id === "signature-wrong-secret");
    const run = async (statuses: number[]) => {
      const send = async (request: AuditRequest) => {
        const status = statuses.shift();
        if (status === undefined) throw new Abandoned("not tried: enough");
        return answerWith(status, request);
      };
      return check?.run(stageFor(send, isSlow));
    };
    expect(await run([200])).toMatchObject({ outcome: "failed", failing: "accepted" });
    expect(await run([401])).toMatchObject({ outcome: "passed" });
    await expect(run([])).rejects.toThrow("not tried: enough");
  });

  it("send a correct signature if and only if the request must be accepted", async () => {
    for (const check of wireChecks.filter(({ group }) => group !== "robust")) {
      for (const { sent, headers, body } of await requestsOf(check, 200)) {
        const values = headers.flatMap(([name, text]) => (/^x-service-hmac-sha256$/i.test(name) ? [text] : []));
        // This check sends a genuine event first, to have its signature.
        const isGenuine = check.group === "genuine" || (check.id === "body-changed" && sent === "an ordinary event");
        expect([sent, values.length === 1 && values[0] === hmac(body)]).toEqual([sent, isGenuine]);
      }
    }
  });
});

describe("an audit", () => {
  it.each([
    [
      "not a url",
      'The receiver must be an absolute http or https URL, such as http://127.0.0.1:4020/webhooks, not "not a url".',
    ],
    ["ftp://shop:pass@host/", 'not "host/".'],
  ])("refuses the address %s", async (url, message) => {
    const audit = runAudit({ url, secret: SECRET, system: stillSystem });
    await expect(audit).rejects.toMatchObject({
      name: "UsageError",
      kind: "input",
      message: expect.stringContaining(message),
    });
  });

  it("reports that an ordinary event is not accepted, whatever was selected", async () => {
    const { url } = await startReceiver(() => 401);
    const options = { url, secret: SECRET, system: stillSystem, only: ["signature-hex"] };
    const report = await runAudit(options);
    expect(report.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["valid-event", "fail"],
      ["signature-hex", "skipped"],
    ]);
    expect(report).toMatchObject({ passed: false, accepted: false });
    expect(await runAudit({ ...options, skip: ["valid-event"] })).toMatchObject({
      verdict: "inconclusive",
      passed: false,
      accepted: false,
    });
  });

  it("sends no event twice to a receiver that refuses duplicates, even for orders that the application makes", async () => {
    const bodies = new Set<string>();
    const { url } = await startReceiver((incoming) => {
      const { id, status } = JSON.parse(incoming.body.toString()).data;
      const [answer, key] = [sound(incoming), `${id} ${status}`];
      if (answer !== 200 || !bodies.has(key)) return bodies.add(key) && answer;
      return 409;
    });
    const order = () => ({ id: randomUUID(), externalId: randomUUID() });
    const only = ["large-body", "answer-time"];
    expect(await runAudit({ url, secret: SECRET, system: stillSystem, only, order })).toMatchObject({
      counts: { pass: 2, fail: 0, warn: 0 },
    });
  });

  it("runs the requested checks and groups", async () => {
    const { url } = await startReceiver(sound);
    const idsOf = async (only?: string[], skip?: string[]) =>
      (await runAudit({ url, secret: SECRET, system: stillSystem, only, skip })).checks.map(({ id }) => id);
    expect(await idsOf(["garbage", "header-case"])).toEqual(["header-case", "garbage"]);
    expect(await idsOf(["robust"], ["large-body", "odd-json"])).toEqual(["garbage", "content-type", "answer-time"]);
    await expect(idsOf(["signature-hx"])).rejects.toThrow(
      'There is no check "signature-hx". Did you mean "signature-hex"?',
    );
    await expect(idsOf(["garbage"], ["robust"])).rejects.toThrow("--only and --skip leave no check");
  });

  it("is inconclusive when all requested checks are skipped", async () => {
    const { url } = await startReceiver(sound);
    const report = await runAudit({ url, secret: SECRET, system: stillSystem, only: ["signature-old-secret"] });
    expect(report).toMatchObject({ verdict: "inconclusive", passed: false, counts: { pass: 0, skipped: 1 } });
    expect(report.reasons).toEqual(["nothing was judged: every selected check was skipped"]);
  });
});

describe("the snippets", () => {
  it("fit into a terminal of 80 columns", () => {
    const lines = Object.values(snippets).flatMap(({ code }) =>
      snippetLanguages.flatMap((name) => code[name].split("\n")),
    );
    expect(lines.filter((line) => line.length > 78)).toEqual([]);
  });
});
