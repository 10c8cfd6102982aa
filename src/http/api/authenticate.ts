import type { Operation } from "../../contract/operations.js";
import { refuse } from "../../domain/model/problem-codes.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { quote } from "../../kernel/text.js";

const BEARER = /^Bearer +(\S+) *$/i;

/** "Requests carry the header `Authorization: Bearer <ACCESS_TOKEN>`." The token alone selects the company. */
export function authenticate(c: HttpContext, sandbox: Sandbox): Company {
  const token = tokenOf(c);
  const company = token === undefined ? undefined : sandbox.findByToken(token);
  if (company !== undefined) return company;
  if (c.req.header("authorization") === undefined)
    refuse("token_invalid", "Authorization is missing; it must be: Bearer <access token>");
  if (token === undefined) refuse("token_invalid", "Authorization must be: Bearer <access token>");
  refuse("token_invalid", "The access token is unknown or has expired");
}

/** Undefined when there is none, or not as a bearer. */
export function tokenOf(c: HttpContext): string | undefined {
  const header = c.req.header("authorization");
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

/** "Charge creation also carries the header `X-Company-Id`. Whether other endpoints need it: not shown." */
export function checkCompanyHeader(c: HttpContext, company: Company, operation: Operation): void {
  const { companyHeader } = company.profile.auth;
  if (companyHeader === "ignored") return;
  const given = c.req.header("x-company-id");
  if (given === undefined || given === "") {
    if (!operation.companyHeader && companyHeader !== "everywhere") return;
    refuse("company_header_missing", `X-Company-Id is missing; it must be ${company.id}, the access token's company`);
  }
  if (given === company.id) return;
  refuse("company_mismatch", `X-Company-Id must be ${company.id}, the access token's company, got ${quote(given)}`);
}
