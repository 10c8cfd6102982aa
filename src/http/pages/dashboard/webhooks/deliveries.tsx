import { apiCurl } from "../view/api-curl.js";
import { deliveryStatuses, listDeliveries } from "../view/lists.js";
import type { DashboardPage } from "../view/page.js";
import { Filter, Pager } from "../parts/pager.js";
import { deliveryColumns } from "../parts/related.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { DataTable } from "../parts/table.js";
import type { View } from "../view/view.js";
import { NoSubscription } from "./subscriptions.js";
import { topics } from "../../../../domain/values/topic.js";

const path = "/deliveries";

export const deliveriesPage: DashboardPage = {
  path,
  title: "Deliveries",
  lead: "Webhooks on their way and past, newest first: one for each event and each subscription to its topic.",
  render: (view) => {
    const { company, query } = view;
    const { deliveries, subscriptions } = company.world;
    if (deliveries.size === 0 && subscriptions.size === 0) return <NoSubscription view={view} />;
    if (deliveries.size === 0) return <NoDelivery view={view} />;
    const list = listDeliveries(company, query);
    return (
      <>
        <Tools>
          <div class="stack">
            <Filter view={view} path={path} name="status" label="Status" values={deliveryStatuses} />
            <Filter view={view} path={path} name="topic" label="Topic" values={topics} />
          </div>
          <Search view={view} path={path} by="id, charge or transfer, URL" />
        </Tools>
        <DataTable
          caption="Deliveries"
          rows={list.rows}
          idOf={({ id }) => id}
          empty="No delivery was found."
          columns={deliveryColumns(view)}
        />
        <CutNote list={list} what="deliveries" />
        <Pager view={view} path={path} list={list} />
      </>
    );
  },
};

function NoDelivery({ view }: { readonly view: View }) {
  const order = {
    amount: 5_000,
    msisdn: view.company.profile.testNumbers.success,
    reference: "webhook-1",
    type: "transfer",
  };
  return (
    <Hint of="Send money" line={apiCurl(view, "POST", "/v1/transactions", order)}>
      No event has happened that anybody subscribed to. A transfer makes two,{" "}
      <code class="code">transactions/started</code> and <code class="code">transactions/completed</code>:
    </Hint>
  );
}
