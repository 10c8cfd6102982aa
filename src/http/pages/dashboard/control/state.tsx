import { showNumber } from "../../shared/show.js";
import { Action } from "../parts/action.js";
import { Code, Time, Panel, TablePanel } from "../parts/show.js";
import { readList } from "../view/read-list.js";
import { type DashboardPage, type View, formUrl } from "../view/view.js";
import { renderPager } from "../parts/list.js";

export const statePage: DashboardPage = {
  path: "/state",
  title: "State",
  lead: "Save, restore, download, upload or reset the company's whole state.",
  render: (view) => (
    <>
      <div class="panels">
        <Panel title="Save a snapshot">
          <Action
            view={view}
            name="saveSnapshot"
            label="Save"
            inputs={[{ name: "snapshot", label: "Name", placeholder: "before-payday", required: true }]}
          />
        </Panel>
        <Panel title="File">
          <p>
            <a href={formUrl(view, "/state.json")} download={`${view.company.id}.json`}>
              Download the state
            </a>
          </p>
          <Action
            view={view}
            name="putState"
            label="Upload"
            curl={false}
            inputs={[{ name: "state", type: "file", label: "State, as JSON", required: true }]}
          />
        </Panel>
        <Panel title="Reset">
          <p>Fixtures, profile, rules and clock as they were at the start. Snapshots stay.</p>
          <Action
            view={view}
            name="reset"
            label="Reset the company"
            asks="Reset the company? This removes the charges, transfers, deliveries and subscriptions made since the start, the journal and the findings. A snapshot is saved first."
            tone="danger"
          />
        </Panel>
      </div>
      {renderSnapshots(view)}
    </>
  ),
};

function renderSnapshots(view: View) {
  const { snapshots } = view.company.record;
  const { rows, older } = readList(snapshots, view.query["before"]);
  return (
    <TablePanel
      caption="Snapshots"
      rows={rows}
      idOf={({ id }) => `snapshot-${id}`}
      empty="There is no snapshot."
      columns={[
        { title: "Name", cell: ({ id }) => <Code>{id}</Code> },
        { title: "Time of the company", kind: "wide", cell: ({ now }) => <Time at={now} /> },
        {
          title: "Bytes",
          kind: "number",
          cell: ({ bytes }) => showNumber(bytes),
        },
        {
          title: "",
          cell: ({ id }) => {
            const shared = { view, fields: { snapshot: id }, tone: "danger" } as const;
            return (
              <div class="actions">
                <Action
                  {...shared}
                  name="restoreSnapshot"
                  label="Restore"
                  describes={`Restore ${id}`}
                  asks={`Restore ${id}? This replaces the current state. A snapshot is saved first.`}
                />
                <Action
                  {...shared}
                  name="removeSnapshot"
                  label="Remove"
                  describes={`Remove ${id}`}
                  asks={`Remove the snapshot ${id}?`}
                />
              </div>
            );
          },
        },
      ]}
    >
      {renderPager(view, "/state", older)}
    </TablePanel>
  );
}
