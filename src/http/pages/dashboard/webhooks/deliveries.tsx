import { type Subscription, shownTopic } from "../../../../domain/model/subscription.js";
import { Action } from "../parts/action.js";
import { createListPage } from "../parts/list.js";
import { AttemptStatus, Code, Pill, Time, describeDistance } from "../parts/show.js";
import { redactAndTruncate, type View, linkTo } from "../view/view.js";
import { type Delivery, deliveryLifecycle, isFailing } from "../../../../domain/model/delivery.js";
import { topics } from "../../../../domain/values/topic.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { deliveryColumns } from "../parts/detail.js";

const FAILING = "failing";

export const deliveriesPage = createListPage<Delivery>({
  path: "/deliveries",
  title: "Deliveries",
  lead: "Webhooks, newest first: one for each event and subscription.",
  names: ["delivery", "deliveries"],
  table: ({ company }) => company.world.deliveries,
  statuses: [FAILING, ...statusesOf(deliveryLifecycle)],
  statusesOf: (delivery) => (isFailing(delivery) ? [FAILING, delivery.status] : [delivery.status]),
  searchedBy: "id, topic, charge or transfer, URL",
  textsOf: ({ id, topic, resource, url, subscriptionId }) => [id, topic, resource, url, subscriptionId],
  columns: deliveryColumns,
  above: (view) =>
    view.company.world.deliveries.values().some(isFailing) && (
      <Action view={view} name="redeliverFailing" label="Resend all failed" tone="quiet" />
    ),
  hint: "No event has happened that anyone subscribed to. Send a test event to try a subscription.",
});

export const subscriptionsPage = createListPage<Subscription>({
  path: "/subscriptions",
  title: "Subscriptions",
  lead: "Which URL receives which events, and how its last webhooks went.",
  names: ["subscription", "subscriptions"],
  table: ({ company }) => company.world.subscriptions,
  searchedBy: "id, URL, topic",
  textsOf: (subscription, { profile }) => [subscription.id, subscription.url, shownTopic(profile, subscription)],
  columns: (view) => [
    { title: "Since", kind: "extra", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Topic", cell: (subscription) => <Code>{shownTopic(view.company.profile, subscription)}</Code> },
    { title: "URL", kind: "wide", cell: ({ url }) => <Code>{redactAndTruncate(view, url)}</Code> },
    { title: "Health", cell: ({ id }) => renderHealth(view, id) },
    {
      title: "",
      cell: ({ topic, url }) => (
        <Action
          view={view}
          name="testEvent"
          fields={{ topic }}
          label="Send a test event"
          describes={`Send a test event of ${topic} to ${redactAndTruncate(view, url)}`}
          tone="quiet"
          curl={false}
        />
      ),
    },
  ],
  make: () => ({
    what: "subscription",
    name: "subscribe",
    label: "Subscribe",
    inputs: [
      {
        name: "topic",
        label: "Topic",
        value: "charges/events",
        choices: topics.map((topic) => [topic, topic]),
        required: true,
      },
      {
        name: "url",
        type: "url",
        label: "URL of your receiver",
        value: "http://127.0.0.1:3000/webhooks",
        required: true,
      },
    ],
  }),
  hint: "There is no subscription, so no webhook is sent.",
});

function renderHealth(view: View, id: string) {
  const sent = view.company.world.deliveries.values().filter(({ subscriptionId }) => subscriptionId === id);
  if (sent.length === 0) return <span class="soft">no webhook was sent yet</span>;
  const failing = sent.filter(isFailing).length;
  const attempt = sent.findLast(({ attempts }) => attempts.length > 0)?.attempts.at(-1);
  return (
    <span class="value">
      <a href={linkTo(view, "/deliveries", { q: id, status: failing > 0 ? FAILING : undefined })}>
        <Pill tone={failing > 0 ? "bad" : "good"}>
          {failing > 0 ? `${failing} of ${sent.length} failing` : `${sent.length} sent`}
        </Pill>
      </a>
      {attempt !== undefined && (
        <span class="soft">
          last <AttemptStatus of={attempt} /> {describeDistance(attempt.at, view.company.now())}
        </span>
      )}
    </span>
  );
}
