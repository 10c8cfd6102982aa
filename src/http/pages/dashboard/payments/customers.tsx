import type { Customer } from "../../../../domain/model/customer.js";
import { isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import { Action, Field } from "../parts/action.js";
import { Hint, List, type ListSpec } from "../parts/list.js";
import { Code, Status } from "../parts/show.js";
import { Panel } from "../parts/table.js";
import { orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import { redactAndTruncate } from "../view/text.js";
import type { DashboardPage } from "../view/view.js";

const example = { msisdn: "+2250700000010", firstName: "Awa", lastName: "Koné", kycStatus: "complete" };

const customers: ListSpec<Customer> = {
  path: "/customers",
  title: "Customers",
  names: ["customer", "customers"],
  table: ({ world }) => world.customers,
  idOf: ({ id }) => `customer-${id}`,
  search: {
    by: "name, phone number",
    exactly: (text, { world }) => (isMsisdn(text) ? world.customers.get(msisdnKey(text)) : undefined),
    texts: ({ firstName, lastName, kycStatus }) => [`${firstName} ${lastName}`, kycStatus],
    numbers: ({ msisdn }) => [msisdn],
  },
  columns: (view) => [
    { title: "Phone number", cell: ({ msisdn }) => <Code>{msisdn}</Code> },
    {
      title: "Name",
      kind: "wide",
      cell: ({ firstName, lastName }) => redactAndTruncate(view, `${firstName} ${lastName}`),
    },
    { title: "kycStatus", cell: ({ kycStatus }) => <Status of={kycStatus} /> },
    {
      title: "By hand",
      cell: ({ id, msisdn }) => {
        const describes = `Remove ${msisdn}`;
        return (
          <Action {...{ view, describes }} name="forget" fields={{ id }} label="Remove" tone="danger" curl={false} />
        );
      },
    },
  ],
  hint: (view) => (
    <Hint of="Register a customer" line={curlOf(view, orderOf("customer", example))}>
      Nobody is registered. Anyone who is neither registered nor behind a test number is <Code>unknown</Code> to the
      customer check. The form below, or this, registers one:
    </Hint>
  ),
};

export const customersPage: DashboardPage = {
  path: customers.path,
  title: customers.title,
  lead: "People whom the customer check knows, beside those behind the test numbers.",
  render: (view) => (
    <>
      <List view={view} spec={customers} />
      <Panel title="Register or change a customer">
        <Action view={view} name="customer" label="Register" example={example}>
          <div class="fields">
            <Field name="msisdn" label="Phone number" placeholder={example.msisdn} required />
            <Field name="firstName" label="First name" placeholder={example.firstName} required />
            <Field name="lastName" label="Last name" placeholder={example.lastName} required />
            <Field name="kycStatus" label="kycStatus" placeholder={example.kycStatus} />
          </div>
        </Action>
      </Panel>
    </>
  ),
};
