import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { Action, Field } from "../parts/action.js";
import { Pager, TALL_ROWS_SHOWN } from "../parts/list.js";
import { Amount, Pill, Status, Time, CodeLink } from "../parts/show.js";
import { DataTable, Panel } from "../parts/table.js";
import { searchList } from "../view/search-list.js";
import { type DashboardPage, formUrl } from "../view/view.js";

const path = "/companies";

export const companiesPage: DashboardPage = {
  path,
  title: "Companies",
  lead: "One company is one world: its money, customers, charges, webhooks, rules and clock are its own.",
  render: (view) => {
    const { sandbox, query } = view;
    const list = searchList(sandbox.opened, { limit: TALL_ROWS_SHOWN, cursor: query["cursor"], oldestFirst: true });
    return (
      <>
        <DataTable
          caption="Companies"
          rows={list.rows.flatMap(({ id }) => sandbox.findCompany(id) ?? [])}
          idOf={({ id }) => `company-${id}`}
          empty="There is none."
          columns={[
            {
              title: "Company",
              kind: "wide",
              cell: (company) => (
                <>
                  <CodeLink href={formUrl({ ...view, company }, path)} text={company.id} />{" "}
                  {company.id === view.company.id && <Pill tone="good">shown</Pill>}
                </>
              ),
            },
            { title: "Balance", kind: "number", cell: (company) => <Amount money={balanceOf(company)} /> },
            {
              title: "Clock",
              cell: (company) => [<Time at={company.now()} />, " ", <Status of={company.clock.mode} />],
            },
            { title: "Charges", kind: "number", cell: ({ world }) => world.charges.size },
            { title: "Transfers", kind: "number", cell: ({ world }) => world.transfers.size },
          ]}
        />
        <Pager view={view} path={path} list={list} oldestFirst />
        <Panel title="Open another">
          <Action view={view} name="open" example={{ companyId: "company_two" }} label="Open">
            <Field
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
