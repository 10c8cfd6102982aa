import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { showMoney } from "../../shared/show.js";
import { CutNote, Filter, Hint, Search, searchedFor } from "../parts/list.js";
import { Empty } from "../parts/table.js";
import { apiCurl } from "../view/curl.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { TimelineItems } from "./timeline-items.js";
import {
  ITEMS_READ_MAX,
  type TimelinePage,
  itemKinds,
  parsePlace,
  readTimeline,
  wantedItems,
  writePlace,
} from "./timeline.js";

const ITEMS_SHOWN = 40;

export const overviewPage: DashboardPage = {
  path: "",
  title: "Overview",
  lead: "What has happened, newest first: each request with what it made, and the webhooks that followed.",
  render: (view) => {
    const { company, sandbox, query } = view;
    const { entries } = sandbox.observationOf(company.id).journal;
    const before = parsePlace(query["before"] ?? "");
    const isWanted = wantedItems(query, company.world);
    const timeline = readTimeline(company, entries, { limit: ITEMS_SHOWN, before, isWanted });
    const isNew = timeline.items.length === 0 && isWanted === undefined && query["before"] === undefined;
    return (
      <>
        <Counts view={view} />
        {isNew ? <NothingYet view={view} /> : <Timeline view={view} timeline={timeline} />}
      </>
    );
  },
};

function Counts({ view }: { readonly view: View }) {
  const { charges, transfers, customers, subscriptions, deliveries } = view.company.world;
  const counts = [
    [showMoney(balanceOf(view.company)), "balance", "balance", "/ledger"],
    [charges.size, "charge", "charges", "/charges"],
    [transfers.size, "transfer", "transfers", "/transfers"],
    [customers.size, "customer", "customers", "/customers"],
    [subscriptions.size, "subscription", "subscriptions", "/subscriptions"],
    [deliveries.size, "delivery", "deliveries", "/deliveries"],
  ] as const;
  return (
    <div class="counts">
      {counts.map(([count, one, many, path]) => (
        <a class="count" href={linkTo(view, path)}>
          <b>{String(count)}</b>
          <span>{count === 1 ? one : many}</span>
        </a>
      ))}
    </div>
  );
}

function Timeline({ view, timeline }: { readonly view: View; readonly timeline: TimelinePage }) {
  const { before, ...others } = view.query;
  const { items, older, isCut } = timeline;
  const isSearched = searchedFor(others) !== undefined;
  return (
    <>
      <div class="tools">
        <Filter view={{ ...view, query: others }} path="" name="only" label="Show" values={itemKinds} />
        <Search view={{ ...view, query: others }} path="" by="id, externalId, reference, phone number" />
      </div>
      {items.length === 0 ? (
        <Empty>{isSearched ? "Nothing was found." : "Nothing of this kind happened."}</Empty>
      ) : (
        <TimelineItems view={view} items={items} />
      )}
      {isCut && <CutNote count={ITEMS_READ_MAX} what="parts of the story" />}
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
