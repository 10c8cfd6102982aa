import { note } from "../fields.js";
import * as z from "zod";
import type { Profile } from "../../domain/profile/profile.js";
import type { Operation, OperationId } from "../operations.js";
import { customerCheckQuery, PAGE_LIMIT_MAX } from "../queries-wire.js";
import { describeSchema } from "./component-schemas.js";
import type { ParameterObject } from "./document.js";
import { resting } from "./explain-settings.js";

/** `X-Company-Id` where it has to be there, and where it may be. */
export function companyParameters(profile: Profile): Record<string, ParameterObject> {
  if (profile.auth.companyHeader === "ignored") return {};
  const parameter = {
    name: "X-Company-Id",
    in: "header",
    ...resting("The id of the access token's company.", ["auth.companyHeader"]),
    schema: { type: "string" },
    example: "company_sandbox",
  } as const;
  return {
    CompanyId: { ...parameter, required: true },
    OptionalCompanyId: { ...parameter, required: false },
  };
}

/** The `:id` of a path. */
export function idParameter({ tag }: Operation): ParameterObject {
  return { name: "id", in: "path", required: true, description: whoseId[tag], schema: { type: "string" } };
}

const whoseId: Readonly<Record<Operation["tag"], string>> = {
  Transactions: "The transaction's id, with `txn_` or without.",
  Customers: "The customer's id.",
  Balance: "The account's id.",
  Charges: "The charge's id.",
  Webhooks: "The subscription's id.",
};

/** The query parameters of an operation, from the schema that reads them. */
export function queryParameters(id: OperationId, profile: Profile): ParameterObject[] {
  if (id === "checkCustomer") return parametersOf(customerCheckQuery(profile));
  return id === "listWebhooks" ? parametersOf(pagingQuery(profile)) : [];
}

/** What `parsePaging` accepts, which reads digits instead of numbers. */
function pagingQuery({ paging }: Profile) {
  return z.object({
    limit: z
      .int()
      .min(1)
      .max(PAGE_LIMIT_MAX)
      .meta({ ...note("Page size.", "paging.limit"), default: paging.limit })
      .optional(),
    cursor: z.string().meta(note("`cursor.prev` or `cursor.next` of an earlier answer.")).optional(),
  });
}

function parametersOf(query: z.ZodType): ParameterObject[] {
  const { properties = {}, required = [] } = describeSchema(query);
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property === "boolean" || !("type" in property)) return []; // a profile that refuses the parameter
    const { description = "", "x-sandbox-setting": settings, ...schema } = property;
    const rests = Array.isArray(settings) ? { "x-sandbox-setting": settings.map(String) } : {};
    return [{ name, in: "query" as const, required: required.includes(name), description, ...rests, schema }];
  });
}
