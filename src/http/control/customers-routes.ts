import { object } from "../../kernel/fields.js";
import { parseRequest } from "../../contract/parse.js";
import { findCustomer, removeCustomer, setCustomer } from "../../domain/accounts/customers.js";
import type { Customer } from "../../domain/model/customer.js";
import { isMsisdn } from "../../domain/values/msisdn.js";
import { UsageError } from "../../kernel/problem.js";
import type { Work } from "../../domain/model/work.js";
import { pagingParameters, text } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { CompanyCall, ControlRoute } from "./control-route.js";
import { renderCustomer } from "./render-control.js";
import { quote } from "../../kernel/text.js";

const customer = object({
  firstName: text("the first name"),
  lastName: text("the last name"),
  // "`complete` means the customer is validated. Any other value means a customer identification problem."
  kycStatus: text("the identification status, such as complete").default("complete"),
});
const query = listQuery({});

/** The people whom the company's customer check knows beside the reserved numbers. */
export const customersRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/customers",
    company: "selected",
    query: pagingParameters,
    handle: ({ company, query: given }) =>
      listOf(company.world.customers, parseRequest(query, given, "query"), {}, renderCustomer),
  },
  {
    method: "GET",
    path: "/customers/:id",
    company: "selected",
    handle: (call) => renderCustomer(getCustomer(call)),
  },
  {
    method: "PUT",
    path: "/customers/:id",
    company: "selected",
    takes: "json",
    handle: ({ id, body, run }) => {
      assertMsisdn(id);
      const person = parseRequest(customer, body);
      return renderCustomer(run((work: Work) => setCustomer(work, id, person), undefined));
    },
  },
  {
    method: "DELETE",
    path: "/customers/:id",
    company: "selected",
    success: 204,
    handle: (call) => call.run(removeCustomer, getCustomer(call).id),
  },
];

function getCustomer({ company, id }: CompanyCall): Customer {
  assertMsisdn(id);
  const found = findCustomer(company, id);
  if (found !== undefined) return found;
  throw new UsageError("not-found", `No customer is registered under ${quote(id)}. PUT registers one.`);
}

function assertMsisdn(id: string): void {
  if (isMsisdn(id)) return;
  const right = "a phone number: 8 to 15 digits after an optional + or 00";
  throw new UsageError("input", `The path must end with ${right}, got ${quote(id)}`);
}
