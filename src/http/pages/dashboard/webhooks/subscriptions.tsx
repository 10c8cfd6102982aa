import { shownTopic, type Subscription } from "../../../../domain/model/subscription.js";
import { ShortId } from "../parts/links.js";
import { createListPage, Hint, type ListSpec } from "../parts/list.js";
import { Code, Time } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { redactAndTruncate } from "../view/text.js";
import { linkTo, type View } from "../view/view.js";

export const subscriptions: ListSpec<Subscription> = {
  path: "/subscriptions",
  title: "Subscriptions",
  lead: "Who is told of what, newest first.",
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

export function NoSubscription({ view }: { readonly view: View }) {
  const order = { topic: "charges/events", url: "http://127.0.0.1:3000/webhooks" };
  return (
    <Hint of="Subscribe" line={apiCurl(view, "POST", "/v1/webhooks", order)}>
      Nobody has subscribed to any topic, so no webhook is sent. This subscribes a receiver at your own address:
    </Hint>
  );
}
