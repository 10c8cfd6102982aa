import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { mistakes } from "./mistakes.js";
import { SECRET, sound, startReceiver, stillSystem } from "./receivers.js";

/** Pieces of a body need not be far apart for these. */
const system = { ...stillSystem, sleep: (ms: number) => stillSystem.sleep(Math.min(ms, 5)) };
const audit = (url: string) => runAudit({ url, secret: SECRET, system });

describe("an audit of checks on the wire", { timeout: 30_000 }, () => {
  it("finds nothing wrong with a sound receiver", async () => {
    const { url } = await startReceiver(sound);
    const report = await audit(url);
    expect(
      report.checks.filter(({ verdict, group }) => verdict !== "pass" && group !== "state").map(({ id }) => id),
    ).toEqual(["signature-old-secret"]);
    expect(report).toMatchObject({ verdict: "passed", passed: true, accepted: true, advice: [], reasons: [] });
  });

  it.each(Object.entries(mistakes))(
    "reports the mistake of a receiver that %s, and nothing else",
    async (_, mistake) => {
      const { url } = await startReceiver(mistake.receive);
      const report = await audit(url);
      const named = report.checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
      expect(named.map(({ id, verdict }) => [id, verdict])).toEqual([
        [mistake.named, mistake.warns === true ? "warn" : "fail"],
      ]);
    },
  );
});
