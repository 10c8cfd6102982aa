import { type Attempt, type Delivery, isFailing } from "../../../../domain/model/delivery.js";
import { redactStart } from "../../../../kernel/messages/text.js";
import { Action, CommandLine } from "../parts/action.js";
import { resourceLink } from "../parts/links.js";
import { AttemptStatus, Code, DeliveryStatus, Pill, soft, Text, Time, Empty, Facts, Panel } from "../parts/show.js";
import { showMs } from "../../shared/show.js";
import {
  FACT_MAX,
  headerLines,
  redactAndTruncate,
  truncateBody,
  type DashboardPage,
  type View,
  getOrNotFound,
  linkTo,
} from "../view/view.js";
import { bytesOf, describeDelivery, formatJson, judgeSignature, receiverCurl } from "./delivery-facts.js";

/** Only redelivering by hand many times makes more attempts. */
const ATTEMPTS_SHOWN = 30;

export const deliveryPage: DashboardPage = {
  path: "/deliveries/:id",
  title: (view) => `Webhook ${deliveryOf(view).topic}`,
  render: (view) => {
    const delivery = deliveryOf(view);
    return (
      <>
        {renderVerdict(view, delivery)}
        {renderAttempts(view, delivery)}
        {renderSent(view, delivery)}
      </>
    );
  },
};

function deliveryOf({ company, id }: View): Delivery {
  const { deliveries } = company.world;
  const more = ` The last ${company.deps.limits.deliveries} are kept.`;
  return getOrNotFound(deliveries.get(id) ?? deliveries.get(`del_${id}`), "delivery", id, more);
}

/** Describes in one sentence what became of the delivery, and what to do about it. */
function renderVerdict(view: View, delivery: Delivery) {
  const { profile, record } = view.company;
  const { signatureHeader } = profile.webhooks;
  const [tone, word, why] = judgeSignature(delivery, signatureHeader, record.identity.secretKey);
  const isBad = isFailing(delivery) || delivery.status === "failed";
  const state = isBad ? "bad" : delivery.status === "succeeded" ? "good" : "";
  const { id } = delivery;
  const line = receiverCurl(delivery, profile.webhooks, record.identity.secretKey);
  return (
    <section class={`alert outcome ${state}`} id="verdict">
      <strong>{redactAndTruncate(view, describeDelivery(delivery, view.company.now()), FACT_MAX)}</strong>
      <p>
        Signature: <Pill tone={tone}>{word}</Pill> {why}
      </p>
      <div class="actions">
        <Action view={view} name="redeliver" fields={{ id }} label="Resend" />
        <details class="curl" id="to-receiver" open={isBad}>
          <summary>Copy as curl to your receiver, signed</summary>
          <CommandLine line={view.redactor.text(line)} of="Send it to your receiver, signed" />
        </details>
      </div>
    </section>
  );
}

function renderSent(view: View, delivery: Delivery) {
  const bytes = bytesOf(delivery);
  const cut = Buffer.byteLength(delivery.body) - bytes.length;
  const { id, resource, url, subscriptionId, createdAt, copy, effect } = delivery;
  const headers = delivery.attempts.at(-1)?.requestHeaders;
  const isSubscribed = view.company.world.subscriptions.get(subscriptionId) !== undefined;
  const all = linkTo(view, "/deliveries", { q: resource });
  return (
    <Panel title="What is sent">
      <Facts
        of={[
          ["Status", <DeliveryStatus of={delivery} />],
          ["About", resourceLink(view, resource), " ", <a href={all}>All deliveries about it</a>],
          ["To", <Code>POST {redactAndTruncate(view, url, FACT_MAX)}</Code>],
          ["Created", <Time at={createdAt} />],
          ["Subscription", <Code>{subscriptionId}</Code>, !isSubscribed && soft(" deleted since")],
          ["Id", <Code>{id}</Code>],
          copy > 0 && ["Copy", `${copy}: a rule sends the event more than once`],
          [
            "Size",
            `${bytes.length} bytes`,
            effect?.attempts == null && ", the same in each attempt",
            cut > 0 && `, after a rule cut ${cut} off`,
          ],
        ]}
      />
      {headers !== undefined && <Text label="Headers that are sent">{headerLines(headers)}</Text>}
      <div class="panels">
        <div class="stack">
          <h3>Body</h3>
          <Text label="Body, formatted">{truncateBody(formatJson(delivery.body))}</Text>
        </div>
        <div class="stack">
          <h3>Exact bytes</h3>
          <Text label="Bytes that are sent">{truncateBody(bytes.toString())}</Text>
        </div>
      </div>
    </Panel>
  );
}

/** The attempts, newest first, with the answer to the newest one unfolded. */
function renderAttempts(view: View, { attempts }: Delivery) {
  return (
    <Panel title="Attempts">
      {attempts.length === 0 && <Empty>Nothing was sent.</Empty>}
      <ol class="feed">
        {attempts
          .map((attempt, index) => renderAttempt(view, attempt, index + 1, index === attempts.length - 1))
          .slice(-ATTEMPTS_SHOWN)
          .toReversed()}
      </ol>
      {attempts.length > ATTEMPTS_SHOWN && <p class="soft">Earlier attempts are not shown here.</p>}
    </Panel>
  );
}

function renderAttempt(view: View, attempt: Attempt, number: number, isLast: boolean) {
  const { at, latencyMs, error, response } = attempt;
  return (
    <li id={`attempt-${number}`} class={error === null ? "good" : "bad"}>
      <div class="line">
        <b>Attempt {number}</b>
        <Time at={at} />
        <AttemptStatus of={attempt} />
        <span class="soft">{showMs(latencyMs)}</span>
        {error !== null && <span>{redactAndTruncate(view, error, FACT_MAX)}</span>}
      </div>
      {response !== null && (
        <details id={`answer-${number}`} open={isLast}>
          <summary>What your receiver answered</summary>
          <Text label={`Body of answer ${number}`}>
            {response.body === "" ? "(no body)" : redactStart(response.body, view.redactor.text)}
          </Text>
          <Text label={`Headers of answer ${number}`}>
            {redactStart(headerLines(response.headers), view.redactor.text)}
          </Text>
        </details>
      )}
    </li>
  );
}
