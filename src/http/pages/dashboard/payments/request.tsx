import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { renderRequest } from "../../../control/render-request.js";
import { FateMark, shownPath } from "../parts/links.js";
import { Code, CodeLink, Status, Text, Time, soft } from "../parts/show.js";
import { Empty, Facts, Panel, Section } from "../parts/table.js";
import { headerLines, truncateBody } from "../view/text.js";
import { type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";
import { renderChanges } from "./timeline-items.js";
import { changesOf } from "./timeline.js";
import { followingDeliveries, queryOf } from "../../../../sandbox/observation/verify-requests.js";

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
    const { status, operation, query, problem, rule } = shown;
    const made = changesOf(company, entry);
    const hasReached = entry.fate === "written" && entry.fault === undefined;
    const hasQuery = Object.keys(queryOf(entry)).length > 0;
    return (
      <>
        <div class="panels">
          <Panel title="Request">
            <Facts
              of={[
                ["At", <Time at={entry.at} />],
                ["Operation", operation === null ? soft("none of the API") : <Code>{operation}</Code>],
                ["Query", hasQuery ? <Code>{truncateBody(JSON.stringify(query))}</Code> : soft("none")],
                ["Id", <Code>{entry.id}</Code>],
              ]}
            />
            <h3>Headers</h3>
            <Text label="Headers of the request">{headerLines(shown.headers)}</Text>
            <Body of="request" body={shown.body} />
          </Panel>
          <Panel title="Answer">
            <Facts
              of={[
                ["Status", <Status of={status} />],
                ["Reached the client", hasReached ? "as far as is known" : <FateMark entry={entry} />],
                ["Refused for", problem === null ? soft("—") : <Code>{problem}</Code>],
                ["Rule", rule === null ? soft("none") : (rule.name ?? rule.id)],
              ]}
            />
            <Body of="answer" body={shown.answer} />
          </Panel>
        </div>
        <Section title="What it made">
          {made.changes.length === 0 ? (
            <Empty>It changed nothing, or the state that it changed was replaced since.</Empty>
          ) : (
            <div class="panel">{renderChanges(view, made)}</div>
          )}
        </Section>
        <Settings view={view} entry={entry} />
      </>
    );
  },
};

function entryOf({ sandbox, company, id }: View): JournalEntry {
  const { entries } = sandbox.observationOf(company.id).journal;
  return getOrNotFound(entries.get(id), "request", id, " The journal keeps the newest.");
}

function Body({ of, body }: { readonly of: string; readonly body: unknown }) {
  return (
    <>
      <h3>Body</h3>
      {body === null ? (
        <p class="soft">It had no body.</p>
      ) : (
        <Text label={`Body of the ${of}`}>{truncateBody(JSON.stringify(body, undefined, 2))}</Text>
      )}
    </>
  );
}

/** The open points of the contract that the answer depended on. */
function Settings({ view, entry: { settings } }: { readonly view: View; readonly entry: JournalEntry }) {
  if (settings.length === 0) return <></>;
  return (
    <details id="settings">
      <summary>Settings that were read to answer it</summary>
      <ul class="lines">
        {settings.map((setting) => (
          <li>
            <CodeLink href={linkTo(view, `/profile/${setting}`)} text={setting} />
          </li>
        ))}
      </ul>
    </details>
  );
}
