import type { DashboardPage } from "../view/page.js";
import { Action, Field } from "../parts/action.js";
import { Pager, readList } from "../parts/pager.js";
import { Code, Time } from "../parts/show.js";
import { DataTable, Panel } from "../parts/table.js";
import type { View } from "../view/view.js";

export const statePage: DashboardPage = {
  path: "/state",
  title: "State",
  lead: "The company's whole state under a name, to come back to; or all the way back to the start.",
  render: (view) => (
    <>
      <div class="panels">
        <Panel title="Keep the state as it is now">
          <Action view={view} name="saveSnapshot" example={{ snapshot: "before-payday" }} label="Save" inline>
            <Field id="snapshot" name="snapshot" label="Name" placeholder="before-payday" required />
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
  const list = readList(view, view.company.record.snapshots);
  return (
    <section class="stack">
      <h2>Snapshots</h2>
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
            cell: ({ id }) => (
              <div class="actions">
                <Action
                  view={view}
                  name="restoreSnapshot"
                  label="Restore"
                  describes={`Restore ${id}`}
                  fields={{ snapshot: id }}
                  tone="quiet"
                />
                <Action
                  view={view}
                  name="removeSnapshot"
                  label="Remove"
                  describes={`Remove ${id}`}
                  fields={{ snapshot: id }}
                  tone="danger"
                />
              </div>
            ),
          },
        ]}
      />
      <Pager view={view} path="/state" list={list} />
    </section>
  );
}
