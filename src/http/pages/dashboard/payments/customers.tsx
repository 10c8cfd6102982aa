import type { Customer } from "../../../../domain/model/customer.js";
import { Action } from "../parts/action.js";
import { createListPage } from "../parts/list.js";
import { Code, Status } from "../parts/show.js";
import { redactAndTruncate } from "../view/view.js";

export const customersPage = createListPage<Customer>({
  path: "/customers",
  title: "Customers",
  lead: "People that the customer check knows, besides the test numbers.",
  names: ["customer", "customers"],
  table: ({ company }) => company.world.customers,
  idOf: ({ id }) => `customer-${id}`,
  searchedBy: "name, phone number",
  textsOf: ({ firstName, lastName, kycStatus, msisdn }) => [`${firstName} ${lastName}`, kycStatus, msisdn],
  columns: (view) => [
    { title: "Phone number", cell: ({ msisdn }) => <Code>{msisdn}</Code> },
    {
      title: "Name",
      kind: "wide",
      cell: ({ firstName, lastName }) => redactAndTruncate(view, `${firstName} ${lastName}`),
    },
    { title: "kycStatus", cell: ({ kycStatus }) => <Status of={redactAndTruncate(view, kycStatus)} /> },
    {
      title: "",
      cell: ({ id, msisdn }) => {
        const asks = `Remove the customer ${msisdn}? A snapshot is saved first.`;
        const shared = { view, describes: `Remove ${msisdn}`, asks, fields: { id } };
        return <Action {...shared} name="forget" label="Remove" tone="danger" curl={false} />;
      },
    },
  ],
  make: () => ({
    what: "customer",
    name: "customer",
    label: "Register",
    inputs: [
      { name: "msisdn", label: "Phone number", placeholder: "+2250700000010", required: true },
      { name: "firstName", label: "First name", placeholder: "Awa", required: true },
      { name: "lastName", label: "Last name", placeholder: "Koné", required: true },
      { name: "kycStatus", label: "kycStatus", placeholder: "complete" },
    ],
  }),
  hint: "No customer is registered. The customer check knows only the test numbers.",
});
