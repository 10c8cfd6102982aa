import { said } from "../view/said.js";
import { listCustomers } from "../view/lists.js";
import { orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import type { DashboardPage } from "../view/page.js";
import { Action, Field } from "../parts/action.js";
import { Pager } from "../parts/pager.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Code, Status } from "../parts/show.js";
import { DataTable, Panel } from "../parts/table.js";
import type { View } from "../view/view.js";

const path = "/customers";
const example = { msisdn: "+2250700000010", firstName: "Awa", lastName: "Koné", kycStatus: "complete" };

export const customersPage: DashboardPage = {
  path,
  title: "Customers",
  lead: "People whom the customer check knows, beside those behind the test numbers.",
  render: (view) => (
    <>
      {view.company.world.customers.size === 0 ? <NoCustomer view={view} /> : <People view={view} />}
      <Panel title="Register or change a customer">
        <Action view={view} name="customer" label="Register" example={example}>
          <div class="fields">
            <Field id="msisdn" name="msisdn" label="Phone number" placeholder={example.msisdn} required />
            <Field id="firstName" name="firstName" label="First name" placeholder={example.firstName} required />
            <Field id="lastName" name="lastName" label="Last name" placeholder={example.lastName} required />
            <Field id="kycStatus" name="kycStatus" label="kycStatus" placeholder={example.kycStatus} />
          </div>
        </Action>
      </Panel>
    </>
  ),
};

function People({ view }: { readonly view: View }) {
  const list = listCustomers(view.company, view.query);
  return (
    <>
      <Tools>
        <Search view={view} path={path} by="name, phone number" />
      </Tools>
      <DataTable
        caption="Customers"
        rows={list.rows}
        idOf={({ id }) => `customer-${id}`}
        empty="No customer was found."
        columns={[
          { title: "Phone number", cell: ({ msisdn }) => <Code>{msisdn}</Code> },
          {
            title: "Name",
            kind: "wide",
            cell: ({ firstName, lastName }) => said(view, `${firstName} ${lastName}`),
          },
          { title: "kycStatus", cell: ({ kycStatus }) => <Status of={kycStatus} /> },
          {
            title: "By hand",
            cell: ({ id, msisdn }) => (
              <Action
                view={view}
                name="forget"
                fields={{ id }}
                label="Remove"
                describes={`Remove ${msisdn}`}
                tone="danger"
                curl={false}
              />
            ),
          },
        ]}
      />
      <CutNote list={list} what="customers" />
      <Pager view={view} path={path} list={list} />
    </>
  );
}

function NoCustomer({ view }: { readonly view: View }) {
  return (
    <Hint of="Register a customer" line={curlOf(view, orderOf("customer", example))}>
      Nobody is registered. Whoever is neither registered nor behind a test number is <Code>unknown</Code> to the
      customer check. The form below, or this, registers one:
    </Hint>
  );
}
