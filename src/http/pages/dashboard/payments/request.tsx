import { shortened } from "../view/said.js";
import { followingDeliveries, queryOf } from "../../../../sandbox/observation/verify-requests.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { renderRequest } from "../../../control/render-request.js";
import type { DashboardPage } from "../view/page.js";
import { changesOf } from "../view/timeline.js";
import { FateMark, shownPath } from "../parts/request-line.js";
import { foundOr } from "../parts/not-found.js";
import { Code, Pill, Status, Text, Time } from "../parts/show.js";
import { ChangeLines } from "../parts/story.js";
import { Empty, Facts, Panel } from "../parts/table.js";
import { type View, linkTo } from "../view/view.js";

export const requestPage: DashboardPage = {
  path: "/requests/:id",
  title: (view) => {
    const entry = entryOf(view);
    return `${entry.method} ${shownPath(view, entry)}`;
  },
  render: (view) => {
    const { company, sandbox, redactor } = view;
    const entry = entryOf(view);
    const { journal } = sandbox.observationOf(company.id);
    const deliveries = followingDeliveries(company.world, journal, [entry])(entry);
    const shown = renderRequest(entry, deliveries, redactor);
    const { changes, isCut } = changesOf(company, entry);
    return (
      <>
        <div class="panels">
          <Panel title="Request">
            <Facts
              of={[
                ["At", <Time at={entry.at} />],
                [
                  "Operation",
                  shown.operation === null ? <span class="soft">none of the API</span> : <Code>{shown.operation}</Code>,
                ],
                [
                  "Query",
                  Object.keys(queryOf(entry)).length === 0 ? (
                    <span class="soft">none</span>
                  ) : (
                    <Code>{shortened(JSON.stringify(shown.query))}</Code>
                  ),
                ],
                ["Id", <Code>{entry.id}</Code>],
              ]}
            />
            <h3>Headers</h3>
            <Text label="Headers of the request">{linesOf(shown.headers)}</Text>
            <h3>Body</h3>
            {shown.body === null ? (
              <p class="soft">It had no body.</p>
            ) : (
              <Text label="Body of the request">{shortened(JSON.stringify(shown.body, undefined, 2))}</Text>
            )}
          </Panel>
          <Panel title="Answer">
            <Facts
              of={[
                [
                  "Status",
                  shown.status === null || shown.status === 0 ? (
                    <Pill tone="bad">no answer</Pill>
                  ) : (
                    <Status of={shown.status} />
                  ),
                ],
                [
                  "Reached the client",
                  entry.fate === "written" && entry.fault === undefined ? (
                    "as far as is known"
                  ) : (
                    <FateMark entry={entry} />
                  ),
                ],
                ["Refused for", shown.problem === null ? <span class="soft">—</span> : <Code>{shown.problem}</Code>],
                ["Rule", shown.rule === null ? <span class="soft">none</span> : (shown.rule.name ?? shown.rule.id)],
              ]}
            />
            <h3>Body</h3>
            {shown.answer === null ? (
              <p class="soft">It had no body.</p>
            ) : (
              <Text label="Body of the answer">{shortened(JSON.stringify(shown.answer, undefined, 2))}</Text>
            )}
          </Panel>
        </div>
        <section class="stack">
          <h2>What it made</h2>
          {changes.length === 0 ? (
            <Empty>It changed nothing, or the state that it changed was replaced since.</Empty>
          ) : (
            <div class="panel">
              <ChangeLines view={view} changes={changes} isCut={isCut} />
            </div>
          )}
        </section>
        <Settings view={view} entry={entry} />
      </>
    );
  },
};

function entryOf({ sandbox, company, id }: View): JournalEntry {
  const { entries } = sandbox.observationOf(company.id).journal;
  return foundOr(entries.get(id), "request", id, " The journal keeps the newest.");
}

/** The open points of the contract that it was answered by. */
function Settings({ view, entry: { settings } }: { readonly view: View; readonly entry: JournalEntry }) {
  if (settings.length === 0) return <></>;
  return (
    <details id="settings">
      <summary>Settings that were read to answer it</summary>
      <ul class="lines">
        {settings.map((setting) => (
          <li>
            <a href={linkTo(view, `/profile/${setting}`)}>
              <Code>{setting}</Code>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
