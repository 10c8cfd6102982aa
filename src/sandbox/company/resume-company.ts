import { toIso } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import { acceptProfile } from "../state/profile.js";
import { Company } from "./company.js";
import type { CompanyDeps } from "./company-deps.js";
import type { CompanyRecord } from "../state/company-record.js";
import type { ClockOver } from "../config/options.js";

/** A company that a store remembers. Throws UsageError("state") when its clock would go back. */
export function resumeCompany(deps: CompanyDeps, record: CompanyRecord, over: ClockOver | undefined): Company {
  const company = new Company(deps, record, acceptProfile(record.overrides).profile);
  if (over === undefined) return company;
  const now = company.now();
  const at = over.mode === "frozen" ? over.at : undefined;
  if (at !== undefined && at < now) {
    const failed = `Failed to set the clock of "${company.id}" to ${toIso(at)}: the store has it at ${toIso(now)}`;
    throw new UsageError("state", `${failed}, and only reset, restore and putting a state move it back.`);
  }
  // What is due until then happens when the company wakes.
  company.clock.pin(at ?? now);
  company.clock.release(over.mode);
  company.rearm();
  return company;
}
