import { type Delivery, deliveryLifecycle } from "../../../../domain/model/delivery.js";
import { findTopic, topics } from "../../../../domain/values/topic.js";
import { statusesOf } from "../../../../kernel/lifecycle.js";
import { Hint, createListPage } from "../parts/list.js";
import { deliveryColumns } from "../parts/related.js";
import { Code } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { NoSubscription } from "./subscriptions.js";

export const deliveriesPage = createListPage<Delivery>({
  path: "/deliveries",
  title: "Deliveries",
  lead: "Webhooks on their way and past, newest first: one for each event and each subscription to its topic.",
  names: ["delivery", "deliveries"],
  table: ({ world }) => world.deliveries,
  filters: [
    { name: "status", label: "Status", values: () => statusesOf(deliveryLifecycle), valueOf: ({ status }) => status },
    { name: "topic", label: "Topic", values: () => topics, valueOf: ({ topic }) => findTopic(topic) },
  ],
  search: {
    by: "id, charge or transfer, URL",
    exactly: (text, { world }) => world.deliveries.get(text),
    texts: ({ id, resource, url, subscriptionId }) => [id, resource, url, subscriptionId],
  },
  columns: deliveryColumns,
  hint: (view) => {
    const { world, profile } = view.company;
    if (world.subscriptions.size === 0) return <NoSubscription view={view} />;
    const order = { amount: 5_000, msisdn: profile.testNumbers.success, reference: "webhook-1", type: "transfer" };
    return (
      <Hint of="Send money" line={apiCurl(view, "POST", "/v1/transactions", order)}>
        No event has happened that anybody subscribed to. A transfer makes two, <Code>transactions/started</Code> and{" "}
        <Code>transactions/completed</Code>:
      </Hint>
    );
  },
});
