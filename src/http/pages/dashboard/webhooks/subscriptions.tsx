import { said } from "../view/said.js";
import { listSubscriptions } from "../view/lists.js";
import { apiCurl } from "../view/api-curl.js";
import type { DashboardPage } from "../view/page.js";
import { ShortId } from "../parts/links.js";
import { Pager } from "../parts/pager.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Code, Time } from "../parts/show.js";
import { DataTable } from "../parts/table.js";
import { type View, linkTo } from "../view/view.js";
import { shownTopic } from "../../../../domain/model/subscription.js";

const path = "/subscriptions";

export const subscriptionsPage: DashboardPage = {
  path,
  title: "Subscriptions",
  lead: "Who is told of what, newest first.",
  render: (view) => {
    const { company } = view;
    if (company.world.subscriptions.size === 0) return <NoSubscription view={view} />;
    const list = listSubscriptions(company, view.query);
    return (
      <>
        <Tools>
          <Search view={view} path={path} by="id, URL, topic" />
        </Tools>
        <DataTable
          caption="Subscriptions"
          rows={list.rows}
          idOf={({ id }) => id}
          empty="No subscription was found."
          columns={[
            { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: "Topic", cell: (subscription) => <Code>{shownTopic(company.profile, subscription)}</Code> },
            { title: "URL", kind: "wide", cell: ({ url }) => <Code>{said(view, url)}</Code> },
            { title: "Id", cell: ({ id }) => <ShortId id={id} /> },
            { title: "Webhooks", cell: ({ id }) => <a href={linkTo(view, "/deliveries", { q: id })}>Deliveries</a> },
          ]}
        />
        <CutNote list={list} what="subscriptions" />
        <Pager view={view} path={path} list={list} />
      </>
    );
  },
};

export function NoSubscription({ view }: { readonly view: View }) {
  const line = apiCurl(view, "POST", "/v1/webhooks", {
    topic: "charges/events",
    url: "http://127.0.0.1:3000/webhooks",
  });
  return (
    <Hint of="Subscribe" line={line}>
      Nobody has subscribed to any topic, so no webhook is sent. This subscribes a receiver at your own address:
    </Hint>
  );
}
