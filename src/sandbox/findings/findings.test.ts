import { expect, it } from "vitest";
import { payout, sighting } from "../../../test/support/sighting.js";
import { create, first, repeat } from "../../../test/support/watched.js";
import type { Connection } from "../company/exchange.js";
import { resolveOptions } from "../config/options.js";
import { Sandbox } from "../sandbox.js";
import type { JournalEntry } from "../observation/journal.js";

const { defaultCompany: second } = new Sandbox(resolveOptions());

it("looks in requests with long paths for secrets only", () => {
  const { findings, see, stage } = create();
  const { secretKey } = stage.company.record.identity;
  for (const entry of repeat(1)) see({ ...entry, path: `${entry.path}?${"x".repeat(1_000)}=${secretKey}` });
  expect(findings.list().map(({ kind }) => kind)).toEqual(["secret-leaked"]);
  for (const entry of repeat(1)) see(entry);
  expect(findings.list().map(({ kind }) => kind)).toEqual(["secret-leaked", "double-payout"]);
});

it("keeps its findings, but forgets the requests behind them, when another company replaces the first", () => {
  const { findings, see, stage } = create();
  for (const entry of repeat(1)) see(entry);
  const [before, after] = repeat(2);
  see(before as JournalEntry);
  stage.company = second;
  see(after as JournalEntry);
  expect(findings.list().map(({ why }) => /"(\S+)"/.exec(why)?.[1])).toEqual(["a-1"]);
  findings.forget();
  expect(findings.list()).toEqual([]);
});

it("ignores requests that were answered by a removed company", async () => {
  const { findings, see } = create();
  const sandbox = new Sandbox(resolveOptions());
  const gone = sandbox.defaultCompany;
  await sandbox.close();
  const [before, after] = repeat(1);
  see(before as JournalEntry, gone);
  see(after as JournalEntry);
  expect(findings.list()).toEqual([]);
});

it("treats a connection that was opened after the first answer as the same worker, however long the detectors take", () => {
  let now = 1_000;
  const { findings, see } = create(() => now);
  const openedAt = (instant: number): Connection => ({
    ageMs: () => now++ - instant,
    requests: 1,
    isClosed: false,
  });
  see(payout("order-17-0b0e7f0a1b2c3d4e", { receivedAt: now }), first, openedAt(999));
  see(payout("order-17-5d2c7c1e4f5a6b7c", { receivedAt: now + 1 }), first, openedAt(now));
  expect(findings.list()).toEqual([]);
});

it("redacts secrets in all of its texts", () => {
  const { findings, see } = create();
  see(sighting({ path: "/v1/balance?key=secret_sandbox", body: { reference: "secret_sandbox" } }));
  expect(findings.list()).toHaveLength(2);
  expect(JSON.stringify(findings.list())).not.toContain("secret_sandbox");
  expect(findings.list()[0]?.requests[0]).toMatchObject({
    path: "/v1/balance?key=[redacted]",
    summary: 'reference "[redacted]", answered 200',
  });
});
