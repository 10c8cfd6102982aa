import { Action, TextArea } from "../parts/action.js";
import { Code } from "../parts/show.js";
import { DataTable, Empty, Panel, Section } from "../parts/table.js";
import type { DashboardPage, View } from "../view/view.js";

export const scenariosPage: DashboardPage = {
  path: "/scenarios",
  title: "Scenarios",
  lead: "Scripted stories, each replayed in a company of its own that goes with it: nothing of this company is touched.",
  render: async (view) => {
    if (view.scenarios === undefined) return <Empty>This sandbox replays no scenarios.</Empty>;
    return (
      <>
        <Files view={view} files={await view.scenarios.list()} />
        <Own view={view} />
      </>
    );
  },
};

function Files({ view, files }: { readonly view: View; readonly files: readonly string[] }) {
  return (
    <Section title="Files">
      <DataTable
        caption="Scenario files"
        rows={files}
        idOf={(file) => `file-${file}`}
        empty={
          <>
            No file lies below <Code>scenarios/</Code> of the folder in which the sandbox was started.{" "}
            <Code>npx business-payments-sandbox init</Code> puts a first one there.
          </>
        }
        columns={[
          { title: "File", kind: "wide", cell: (file) => <Code>{file}</Code> },
          {
            title: "",
            cell: (file) => (
              <Action view={view} name="replay" label="Run" describes={`Run ${file}`} fields={{ file }} tone="quiet" />
            ),
          },
        ]}
      />
    </Section>
  );
}

const example = {
  name: "A charge that nobody pays is dropped after one hour",
  given: { clock: "2026-01-15T09:00:00Z", webhooks: [{ topic: "charges/events" }] },
  steps: [
    {
      request: "POST /v1/charges",
      body: {
        amount: 10_000,
        externalId: "order-${uuid}",
        description: "Shoes",
        onCanceledRedirectionUrl: "https://shop.test/no",
        onCompletedRedirectionUrl: "https://shop.test/yes",
      },
      expect: { status: 201, body: { status: "created" } },
      save: { charge: "body.id" },
    },
    { advance: "1h" },
    { webhook: { topic: "charges/events", data: { id: "${charge}", status: "dropped" } } },
  ],
};

function Own({ view }: { readonly view: View }) {
  const story = JSON.stringify(example, undefined, 2);
  return (
    <Panel title="A story of your own">
      <Action view={view} name="replayText" label="Run it" example={{ story }}>
        <TextArea name="story" label="Scenario, as JSON" rows={16}>
          {story}
        </TextArea>
      </Action>
    </Panel>
  );
}
