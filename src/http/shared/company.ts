import { UsageError } from "../../kernel/problem.js";
import { didYouMean } from "../../kernel/suggest.js";
import { quote } from "../../kernel/text.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

/** "default is the first configured one; an unknown id is 404, never a default". */
export function selectCompany(sandbox: Sandbox, id: string | undefined): Company {
  if (id === undefined) return sandbox.defaultCompany;
  const company = sandbox.findCompany(id);
  if (company !== undefined) return company;
  const known = sandbox.companies.map((other) => other.id);
  throw new UsageError("not-found", `No company has the id ${quote(id)}.${didYouMean(id, known)}`);
}

/** "Before any request is handled, everything due at or before the company's now has happened." */
export async function makeReady(company: Company): Promise<void> {
  for (let due = company.ready(); due !== undefined; due = company.ready()) await due;
}

/** The company with everything due done. `find` finds the one that a reset or a restore has put in its place meanwhile. */
export async function readyCompany(company: Company, find: () => Company): Promise<Company> {
  await makeReady(company);
  if (!company.closed) return company;
  const current = find();
  // It is the same when the whole sandbox was closed.
  return current === company ? company : readyCompany(current, find);
}
