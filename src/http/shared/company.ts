import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";
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

/**
 * Calls `act` with the company when everything due is done, in the same synchronous step as `find`, which finds the company that a reset or a restore
 * has put in its place meanwhile.
 */
export async function whenReady<T>(
  company: Company,
  find: (company: Company) => Company,
  act: (company: Company) => T | Promise<T>,
): Promise<T> {
  for (let current = company; ;) {
    await makeReady(current);
    const found = find(current);
    if (found === current) return act(current);
    current = found;
  }
}
