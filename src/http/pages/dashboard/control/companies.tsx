import { balanceOf } from "../../../../domain/accounts/ledger.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { DashboardPage } from "../view/page.js";
import { Action, Field } from "../parts/action.js";
import { Pager, readList } from "../parts/pager.js";
import { Amount, Code, Pill, Status, Time } from "../parts/show.js";
import { DataTable, Panel } from "../parts/table.js";
import { DASHBOARD, type View } from "../view/view.js";

export const companiesPage: DashboardPage = {
  path: "/companies",
  title: "Companies",
  lead: "One company is one world: its money, customers, charges, webhooks, rules and clock are its own.",
  render: (view) => {
    const { sandbox } = view;
    const list = readList(view, sandbox.opened, { newestFirst: false });
    const rows = list.rows.flatMap(({ id }) => sandbox.findCompany(id) ?? []);
    return (
      <>
        <DataTable
          caption="Companies"
          rows={rows}
          idOf={({ id }) => `company-${id}`}
          empty="There is none."
          columns={[
            { title: "Company", kind: "wide", cell: (company) => <Choice view={view} company={company} /> },
            { title: "Balance", kind: "number", cell: (company) => <Amount money={balanceOf(company)} /> },
            {
              title: "Clock",
              cell: (company) => (
                <>
                  <Time at={company.now()} /> <Status of={company.clock.mode} />
                </>
              ),
            },
            { title: "Charges", kind: "number", cell: ({ world }) => world.charges.size },
            { title: "Transfers", kind: "number", cell: ({ world }) => world.transfers.size },
          ]}
        />
        <Pager view={view} path="/companies" list={list} order="oldest" />
        <Panel title="Open another">
          <Action view={view} name="open" example={{ companyId: "company_two" }} label="Open">
            <Field
              id="companyId"
              name="companyId"
              label="Company id"
              placeholder="company_two"
              hint="Left empty, it gets one. Its access token and secret key are in the answer."
            />
          </Action>
        </Panel>
      </>
    );
  },
};

function Choice({ view, company: { id } }: { readonly view: View; readonly company: Company }) {
  const href = `${view.root}${DASHBOARD.slice(1)}/companies?${String(new URLSearchParams({ company: id }))}`;
  return (
    <>
      <a href={href}>
        <Code>{id}</Code>
      </a>{" "}
      {id === view.company.id && <Pill tone="good">shown</Pill>}
    </>
  );
}
