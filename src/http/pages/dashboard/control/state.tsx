import { Action, Field } from "../parts/action.js";
import { Code, Time } from "../parts/show.js";
import { DataTable, Panel, Section } from "../parts/table.js";
import { searchList } from "../view/search-list.js";
import type { DashboardPage, View } from "../view/view.js";
import { Pager, TALL_ROWS_SHOWN } from "../parts/list.js";

export const statePage: DashboardPage = {
  path: "/state",
  title: "State",
  lead: "The company's whole state under a name, to come back to; or all the way back to the start.",
  render: (view) => (
    <>
      <div class="panels">
        <Panel title="Keep the state as it is now">
          <Action view={view} name="saveSnapshot" example={{ snapshot: "before-payday" }} label="Save" inline>
            <Field name="snapshot" label="Name" placeholder="before-payday" required />
          </Action>
        </Panel>
        <Panel title="Back to the start">
          <p>
            Fixtures, profile, rules and clock as they were at first; subscriptions made since, the journal and findings
            are gone, and so is every charge and transaction. Snapshots stay.
          </p>
          <Action view={view} name="reset" label="Reset the company" tone="danger" />
        </Panel>
      </div>
      <Snapshots view={view} />
    </>
  ),
};

function Snapshots({ view }: { readonly view: View }) {
  const { snapshots } = view.company.record;
  const list = searchList(snapshots, { limit: TALL_ROWS_SHOWN, cursor: view.query["cursor"] });
  return (
    <Section title="Snapshots">
      <DataTable
        caption="Snapshots"
        rows={list.rows}
        idOf={({ id }) => `snapshot-${id}`}
        empty="None is kept."
        columns={[
          { title: "Name", cell: ({ id }) => <Code>{id}</Code> },
          { title: "The company's time then", kind: "wide", cell: ({ now }) => <Time at={now} /> },
          {
            title: "Bytes",
            kind: "number",
            cell: ({ bytes }) => bytes.toLocaleString("fr").replaceAll("\u00a0", "\u202f"),
          },
          {
            title: "",
            cell: ({ id }) => {
              const shared = { view, fields: { snapshot: id } };
              return (
                <div class="actions">
                  <Action {...shared} name="restoreSnapshot" label="Restore" describes={`Restore ${id}`} tone="quiet" />
                  <Action {...shared} name="removeSnapshot" label="Remove" describes={`Remove ${id}`} tone="danger" />
                </div>
              );
            },
          },
        ]}
      />
      <Pager view={view} path="/state" list={list} />
    </Section>
  );
}
