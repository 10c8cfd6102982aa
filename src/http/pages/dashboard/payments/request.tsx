import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { renderRequest, withOwnToken } from "../../../control/render-request.js";
import { fateMark, shownPath } from "../parts/links.js";
import { FINDINGS_MAX } from "../../../../sandbox/findings/finding.js";
import { showMs } from "../../shared/show.js";
import { CommandLine } from "../parts/action.js";
import { requestCurl } from "../view/curl.js";
import { anchorOf } from "../control/quality.js";
import { Code, Status, Text, Time, soft, Empty, Facts, Panel } from "../parts/show.js";
import { headerLines, truncateBody, type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";
import { renderChanges } from "./activity.js";
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
    const own = withOwnToken(redactor, entry);
    const found = sandbox.observationOf(company.id).findings.rows.page({
      limit: FINDINGS_MAX,
      where: ({ finding }) => finding.requests.some((request) => request.id === entry.id),
    });
    const made = changesOf(company, entry);
    const hasQuery = Object.keys(queryOf(entry)).length > 0;
    return (
      <>
        <div class="panels">
          <Panel title="Request">
            <Facts
              of={[
                ["At", <Time at={entry.at} exact />],
                ["Operation", operation === null ? soft("none of the API") : <Code>{operation}</Code>],
                hasQuery && ["Query", <Code>{truncateBody(JSON.stringify(query))}</Code>],
                ["Id", <Code>{entry.id}</Code>],
              ]}
            />
            {renderMessage("request", headerLines(shown.headers), shown.body)}
            <CommandLine line={requestCurl(view, entry)} of="Send the request again" />
          </Panel>
          <Panel title="Answer">
            <Facts
              of={[
                ["Status", <Status of={status} />, " ", fateMark(entry)],
                ["Duration", showMs(entry.durationMs)],
                problem !== null && ["Problem code", <Code>{problem}</Code>],
                rule !== null && ["Rule", <a href={`${linkTo(view, "/rules")}#${rule.id}`}>{rule.name ?? rule.id}</a>],
                found.rows.length > 0 && [
                  "Findings",
                  found.rows.map((row) => (
                    <>
                      <Status of={row.finding.severity} />{" "}
                      <a href={`${linkTo(view, "/findings")}#${anchorOf(row)}`}>{row.finding.kind}</a>{" "}
                    </>
                  )),
                ],
              ]}
            />
            {renderMessage("answer", headerLines(own.headers(entry.answerHeaders)), shown.answer)}
          </Panel>
        </div>
        <Panel title="What it changed">
          {made.changes.length === 0 ? (
            <Empty>It changed nothing, or a reset or restore has replaced that state.</Empty>
          ) : (
            renderChanges(view, made)
          )}
        </Panel>
      </>
    );
  },
};

function entryOf({ sandbox, company, id }: View): JournalEntry {
  const { entries } = sandbox.observationOf(company.id).journal;
  return getOrNotFound(entries.get(id), "request", id, " The journal keeps the newest.");
}

function renderMessage(of: string, headers: string, body: unknown) {
  const text = body === null ? "(no body)" : truncateBody(JSON.stringify(body, undefined, 2));
  return (
    <>
      <h3>Headers</h3>
      <Text label={`Headers of the ${of}`}>{headers}</Text>
      <h3>Body</h3>
      <Text label={`Body of the ${of}`}>{text}</Text>
    </>
  );
}
