import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { showMoney } from "../../show.js";
import { apiCurl } from "../view/api-curl.js";
import { searchedFor } from "../view/lists.js";
import { storyKinds, wantedStories } from "./story-filter.js";
import type { DashboardPage } from "../view/page.js";
import { Filter } from "../parts/pager.js";
import { Hint, Search, Tools } from "../parts/search.js";
import { Stories } from "../parts/story.js";
import { Empty } from "../parts/table.js";
import { parsePlace, readTimeline, STORIES_READ_MAX, type TimelinePage, writePlace } from "../view/timeline.js";
import { linkTo, type View } from "../view/view.js";

/** Of the story, so many parts at a time. */
const STORIES_SHOWN = 40;

export const overviewPage: DashboardPage = {
  path: "",
  title: "Overview",
  lead: "What has happened, newest first: each request with what it made, and the webhooks that followed.",
  render: (view) => {
    const { company, sandbox, query } = view;
    const { entries } = sandbox.observationOf(company.id).journal;
    const timeline = readTimeline(company, entries, {
      limit: STORIES_SHOWN,
      before: parsePlace(query["before"] ?? ""),
      isWanted: wantedStories(query, company.world),
    });
    const isNew = timeline.read === 0 && query["before"] === undefined;
    return (
      <>
        <Counts view={view} />
        {isNew ? <NothingYet view={view} /> : <Timeline view={view} timeline={timeline} />}
      </>
    );
  },
};

/** What there is of everything. Tables know how many rows they have. */
function Counts({ view }: { readonly view: View }) {
  const { world } = view.company;
  const counts = [
    ["charges", world.charges.size, "/charges"],
    ["transfers", world.transfers.size, "/transfers"],
    ["customers", world.customers.size, "/customers"],
    ["subscriptions", world.subscriptions.size, "/subscriptions"],
    ["deliveries", world.deliveries.size, "/deliveries"],
  ] as const;
  return (
    <div class="counts">
      <a class="count" href={linkTo(view, "/ledger")}>
        <b>{showMoney(balanceOf(view.company))}</b>
        <span>balance</span>
      </a>
      {counts.map(([name, count, path]) => (
        <a class="count" href={linkTo(view, path)}>
          <b>{String(count)}</b>
          <span>{count === 1 ? singularOf(name) : name}</span>
        </a>
      ))}
    </div>
  );
}

function singularOf(name: string): string {
  return name.replace(/ies$/, "y").replace(/s$/, "");
}

function Timeline({ view, timeline }: { readonly view: View; readonly timeline: TimelinePage }) {
  const { query } = view;
  const { before, ...others } = query;
  const { stories, older, read } = timeline;
  const isNarrowed = wantedStories(query, view.company.world) !== undefined;
  return (
    <>
      <Tools>
        <Filter view={{ ...view, query: others }} path="" name="only" label="Show" values={storyKinds} />
        <Search view={{ ...view, query: others }} path="" by="id, externalId, reference, phone number" />
      </Tools>
      {stories.length === 0 ? (
        <Empty>{searchedFor(query) === undefined ? "Nothing of this kind happened." : "Nothing was found."}</Empty>
      ) : (
        <Stories view={view} stories={stories} />
      )}
      {isNarrowed && older !== undefined && read === STORIES_READ_MAX && (
        <p class="soft" role="status">
          Looked at {STORIES_READ_MAX} parts of the story. <b>Older</b> looks further back.
        </p>
      )}
      {(before !== undefined || older !== undefined) && (
        <nav class="pager" aria-label="Parts of the story">
          {before === undefined ? <span class="soft">← Newest</span> : <a href={linkTo(view, "", others)}>← Newest</a>}
          {older === undefined ? (
            <span class="soft">Older →</span>
          ) : (
            <a href={linkTo(view, "", { ...others, before: writePlace(older) })}>Older →</a>
          )}
        </nav>
      )}
    </>
  );
}

function NothingYet({ view }: { readonly view: View }) {
  return (
    <Hint of="Ask for the balance" line={apiCurl(view, "GET", "/v1/balance")}>
      Nothing has been asked yet. Point your application here, or begin with this; the page shows it at once, without
      being loaded again.
    </Hint>
  );
}
