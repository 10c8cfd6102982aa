import { toIso } from "../../kernel/time/instant.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { acceptProfile } from "../state/profile.js";
import { Company } from "./company.js";
import type { CompanyDeps } from "./company-deps.js";
import type { CompanyRecord, Snapshot } from "../state/company-record.js";
import { createWorld } from "../../domain/model/work.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { ClockState } from "../../kernel/time/clock.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { Table } from "../../kernel/records/table.js";
import type { CompanySetup } from "../state/fixture.js";
import { seedCompany } from "../state/seed.js";

/**
 * A new company with its fixtures. `checkoutUrl`: the start of the `paymentUrl` of seeded charges. `before`: the record of the company of the same id
 * that it replaces. Throws UsageError("input") when its profile is wrong.
 */
export function createCompany(
  deps: CompanyDeps,
  setup: CompanySetup,
  checkoutUrl: string,
  before?: Pick<CompanyRecord, "snapshots" | "closings">,
): Company {
  const accepted = acceptProfile(setup.profile);
  const { id, tokens, secretKey } = setup;
  const company = new Company(
    deps,
    {
      identity: { id, tokens, secretKey },
      world: createWorld(),
      clock: initialClock(setup, deps.system),
      overrides: accepted.overrides,
      seq: 0,
      idPosition: 0,
      snapshots: before?.snapshots ?? new Table<Snapshot>("snapshots"),
      closings: before?.closings,
    },
    accepted.profile,
  );
  const { world, profile, nextSeq } = company;
  seedCompany({ world, profile, ids: company.ids(), at: company.openedAt, nextSeq, checkoutUrl }, setup);
  company.record.idPosition = company.ids().position;
  return company;
}

function initialClock({ frozenAt, runsFrom }: CompanySetup, system: SystemClock): ClockState {
  if (frozenAt !== undefined) return { mode: "frozen", at: frozenAt };
  return { mode: "running", offsetMs: runsFrom === undefined ? 0 : runsFrom - system.now() };
}

/** How a restart overrides the stored clock. `at` undefined freezes it at its present time. */
export type ClockOver = { readonly mode: "running" } | { readonly mode: "frozen"; readonly at: Instant | undefined };

/** Opens a company from the store. Throws UsageError("state") when its clock would go back. */
export function resumeCompany(deps: CompanyDeps, record: CompanyRecord, over: ClockOver | undefined): Company {
  const company = new Company(deps, record, acceptProfile(record.overrides).profile);
  if (over === undefined) return company;
  const now = company.now();
  const at = over.mode === "frozen" ? over.at : undefined;
  if (at !== undefined && at < now) {
    const failed = `Failed to set the clock of "${company.id}" to ${toIso(at)}: the store has it at ${toIso(now)}`;
    throw new UsageError("state", `${failed}, and only reset, restore and putting a state move it back.`);
  }
  company.clock.pin(at ?? now);
  company.clock.release(over.mode);
  company.rearm();
  return company;
}
