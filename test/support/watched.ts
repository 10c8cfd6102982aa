import type { Company } from "../../src/sandbox/company/company.js";
import type { Connection, Exchange } from "../../src/sandbox/company/exchange.js";
import { resolveOptions } from "../../src/sandbox/config/options.js";
import type { Finding } from "../../src/sandbox/findings/finding.js";
import { Findings } from "../../src/sandbox/findings/findings.js";
import { Journal, type JournalEntry } from "../../src/sandbox/observation/journal.js";
import { SecretRedactor } from "../../src/sandbox/observation/redact.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import { payout } from "./sighting.js";

/** The company of all findings that are created here. */
export const { defaultCompany: first } = new Sandbox(resolveOptions());

/** Findings that see what a test shows to them. */
export function create(monotonic = () => 0) {
  const reported: Finding[] = [];
  const stage = { company: first };
  const findings = new Findings({
    system: { monotonic },
    journal: new Journal(10),
    company: () => stage.company,
    redactor: new SecretRedactor(["secret_sandbox"]),
    isWatched: () => true,
    onFinding: (finding) => void reported.push(finding),
    onWithdrawn: () => undefined,
    onBug: (error) => {
      throw error;
    },
  });
  const see = (entry: JournalEntry, company: Company = stage.company, connection?: Connection) =>
    findings.see(entry, { ...exchangeOf(entry, company), connection });
  return { findings, see, stage, reported };
}

function exchangeOf(
  { id: _, seq: __, fate: ___, enqueued: ____, created: _____, bytes: ______, ...rest }: JournalEntry,
  company: Company,
): Exchange {
  return { ...rest, turn: 0, rawBody: undefined, company, connection: undefined, onLost: () => undefined };
}

/** Two payouts of one order with a new amount. The second repeats the first under a new reference. */
export function repeat(index: number): readonly JournalEntry[] {
  const order = { amount: 5_000 + index };
  return [payout(`a-${index}`, { order, status: 503 }), payout(`b-${index}`, { order })];
}
