import { searchList } from "../view/search-list.js";
import type { FindingRow } from "../../../../sandbox/observation/findings.js";
import { Code, Status } from "../parts/show.js";
import { Empty } from "../parts/table.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { Pager, TALL_ROWS_SHOWN } from "../parts/list.js";

export const findingsPage: DashboardPage = {
  path: "/findings",
  title: "Findings",
  lead: "What the client did that costs money in production, newest first. Each mistake is listed once.",
  render: (view) => {
    const { findings } = view.sandbox.observationOf(view.company.id);
    const list = searchList(findings.rows, { limit: TALL_ROWS_SHOWN, cursor: view.query["cursor"] });
    if (list.rows.length === 0)
      return (
        <Empty>
          Nothing was found. A double payout, a refund beyond what was paid, a secret in a URL or a webhook that nobody
          acknowledges would stand here.
        </Empty>
      );
    return (
      <>
        {list.rows.map((row) => renderFinding(view, row))}
        <Pager view={view} path="/findings" list={list} />
      </>
    );
  },
};

/** Findings are stored without the secrets of their time. Secrets that were added later are removed here. */
function renderFinding(view: View, { id, finding }: FindingRow) {
  const { redactor } = view;
  const { kind, severity, why, fix, requests } = finding;
  return (
    <article class="panel finding" id={`finding-${id.replaceAll(/\s/g, "-")}`}>
      <h2>
        <Status of={severity} /> <span class="code">{kind}</span>
      </h2>
      <p>{redactor.text(why)}</p>
      {requests.length > 0 && (
        <ul class="lines">
          {requests.map((request) => (
            <li>
              <a href={linkTo(view, `/requests/${request.id}`)}>{request.id}</a>{" "}
              <Code>
                {request.method} {redactor.text(request.path)}
              </Code>{" "}
              {redactor.text(request.summary)}
            </li>
          ))}
        </ul>
      )}
      <p>
        <b>What to do:</b> {redactor.text(fix)}
      </p>
    </article>
  );
}
