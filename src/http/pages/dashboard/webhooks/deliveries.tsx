import { type Subscription, shownTopic } from "../../../../domain/model/subscription.js";
import { ShortId } from "../parts/links.js";
import { Hint, type ListSpec, createListPage } from "../parts/list.js";
import { Code, Time } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { redactAndTruncate } from "../view/text.js";
import { type View, linkTo } from "../view/view.js";
import { type Delivery, deliveryLifecycle } from "../../../../domain/model/delivery.js";
import { findTopic, topics } from "../../../../domain/values/topic.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { deliveryColumns } from "../parts/detail.js";

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

export const subscriptions: ListSpec<Subscription> = {
  path: "/subscriptions",
  title: "Subscriptions",
  lead: "Each webhook and its attempts, newest first.",
  names: ["subscription", "subscriptions"],
  table: ({ world }) => world.subscriptions,
  search: {
    by: "id, URL, topic",
    exactly: (text, { world }) => world.subscriptions.get(text),
    texts: (subscription, { profile }) => [subscription.id, subscription.url, shownTopic(profile, subscription)],
  },
  columns: (view) => [
    { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Topic", cell: (subscription) => <Code>{shownTopic(view.company.profile, subscription)}</Code> },
    { title: "URL", kind: "wide", cell: ({ url }) => <Code>{redactAndTruncate(view, url)}</Code> },
    { title: "Id", cell: ({ id }) => <ShortId id={id} /> },
    { title: "Webhooks", cell: ({ id }) => <a href={linkTo(view, "/deliveries", { q: id })}>Deliveries</a> },
  ],
  hint: (view) => <NoSubscription view={view} />,
};

export const subscriptionsPage = createListPage(subscriptions);

function NoSubscription({ view }: { readonly view: View }) {
  const order = { topic: "charges/events", url: "http://127.0.0.1:3000/webhooks" };
  return (
    <Hint of="Subscribe" line={apiCurl(view, "POST", "/v1/webhooks", order)}>
      Nobody has subscribed to any topic, so no webhook is sent. This subscribes a receiver at your own address:
    </Hint>
  );
}
