import type { Delivery } from "../../../../domain/model/delivery.js";
import { Action, CommandLine } from "../parts/action.js";
import { ResourceLink } from "../parts/links.js";
import { Code, Pill, Status, Text, Time, type Tone, describeDistance } from "../parts/show.js";
import { Facts, Panel, Section } from "../parts/table.js";
import { FACT_MAX, headerLines, redactAndTruncate, truncateBody } from "../view/text.js";
import { type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";
import {
  COMMAND_BODY_MAX,
  type MadeStep,
  type PlannedStep,
  type SignatureVerdict,
  bytesOf,
  retryPlanOf,
  signatureCommand,
  signatureSent,
} from "./delivery-facts.js";

/** Only many redeliveries by hand make more. */
const STEPS_SHOWN = 30;

export const deliveryPage: DashboardPage = {
  path: "/deliveries/:id",
  title: (view) => `Webhook ${deliveryOf(view).topic}`,
  render: (view) => {
    const delivery = deliveryOf(view);
    return (
      <>
        <div class="panels">
          {renderTerms(view, delivery)}
          {renderSignature(view, delivery)}
        </div>
        {renderSent(view, delivery)}
        {renderAttempts(view, delivery)}
      </>
    );
  },
};

function deliveryOf({ company, id }: View): Delivery {
  const { deliveries } = company.world;
  const more = ` The last ${company.deps.limits.deliveries} are kept.`;
  return getOrNotFound(deliveries.get(id) ?? deliveries.get(`del_${id}`), "delivery", id, more);
}

function renderTerms(view: View, delivery: Delivery) {
  const { id, status, resource, url, subscriptionId, createdAt, copy, effect } = delivery;
  const isSubscribed = view.company.world.subscriptions.get(subscriptionId) !== undefined;
  return (
    <Panel title="Delivery">
      <Facts
        of={[
          ["Status", <Status of={status} />],
          ["About", <ResourceLink view={view} id={resource} />],
          ["To", <Code>{redactAndTruncate(view, url, FACT_MAX)}</Code>],
          ["Owed at", <Time at={createdAt} />],
          ["Subscription", <Code>{subscriptionId}</Code>, !isSubscribed && <span class="soft"> deleted since</span>],
          ["Id", <Code>{id}</Code>],
          copy > 0 && ["Copy", `${copy}: a rule sends the event more than once`],
          effect !== null && ["Rule", describeEffect(effect)],
        ]}
      />
      <Action view={view} name="redeliver" fields={{ id }} label="Redeliver" />
      <p>
        <a href={linkTo(view, "/deliveries", { q: resource })}>All deliveries about it</a>
      </p>
    </Panel>
  );
}

function describeEffect({ corruptSignature, truncate }: NonNullable<Delivery["effect"]>): string {
  const cut = truncate === null ? "" : `cuts the body after ${truncate} bytes`;
  return [corruptSignature ? "corrupts the signature" : "", cut].filter((text) => text !== "").join(" and ");
}

const verdicts: Readonly<Record<SignatureVerdict, readonly [tone: Tone, word: string, why: string]>> = {
  valid: ["good", "valid", "It is the one of the bytes that were sent, under the company's secret key."],
  corrupted: ["bad", "corrupted", "A rule makes it wrong: a receiver has to reject this webhook."],
  "of-whole-body": [
    "bad",
    "of the whole body",
    "A rule cuts the body after it was signed: a receiver has to reject it.",
  ],
  "other-key": ["warn", "of another key", "It was made under a secret key that has been replaced since."],
  none: ["plain", "not sent yet", "It is made anew for each attempt, when that begins."],
};

function renderSignature(view: View, delivery: Delivery) {
  const { profile, record } = view.company;
  const { signatureHeader } = profile.webhooks;
  const { sent, verdict } = signatureSent(delivery, signatureHeader, record.identity.secretKey);
  const [tone, word, why] = verdicts[verdict];
  const signed = verdict === "of-whole-body" ? "whole body, before it was cut" : "exact bytes of the body";
  return (
    <Panel title="Signature">
      <Facts
        of={[
          ["Header", <Code>{signatureHeader}</Code>],
          ["Sent", sent === undefined ? <span class="soft">—</span> : <Code>{sent}</Code>],
          ["It is", <Pill tone={tone}>{word}</Pill>, ` ${why}`],
        ]}
      />
      <p>
        Base64 of the HMAC-SHA256 of the {signed}, keyed with the company's secret key. To compute it, with the key in{" "}
        <Code>SECRET</Code>
        {delivery.body.length > COMMAND_BODY_MAX && [", and the body saved to ", <Code>body.json</Code>]}:
      </p>
      <CommandLine line={signatureCommand(delivery)} of="Compute the signature" />
    </Panel>
  );
}

function renderSent(view: View, delivery: Delivery) {
  const { size, text, hex, cut } = bytesOf(delivery);
  const headers = delivery.attempts.at(-1)?.requestHeaders;
  return (
    <Panel title="What is sent">
      <p>
        <Code>POST {redactAndTruncate(view, delivery.url, FACT_MAX)}</Code>
      </p>
      {headers !== undefined && <Text label="Headers that are sent">{headerLines(headers)}</Text>}
      <p class="soft">
        {size} bytes, the same with every attempt{cut > 0 ? `; a rule cuts ${cut} off` : ""}.
        {hex === undefined ? "" : " They are no printable text, so they are shown in hexadecimal."}
      </p>
      {text === undefined ? (
        <Text label="Bytes that are sent">{hex}</Text>
      ) : (
        <Text label="Body that is sent">{truncateBody(text)}</Text>
      )}
    </Panel>
  );
}

function renderAttempts(view: View, delivery: Delivery) {
  const { company } = view;
  const isSubscribed = company.world.subscriptions.get(delivery.subscriptionId) !== undefined;
  const steps = retryPlanOf(delivery, company.profile.webhooks.retry, isSubscribed);
  return (
    <Section title="Attempts and retries">
      {steps.length === 0 && <p class="empty">A rule dropped it: nothing was sent.</p>}
      {steps.length > 0 && (
        <ol class="steps">
          {steps.slice(-STEPS_SHOWN).map((step) => (
            <li id={`attempt-${step.number}`} class={step.kind === "made" ? "made" : "planned"}>
              {step.kind === "made" ? renderMade(view, step) : renderPlanned(view, step)}
            </li>
          ))}
        </ol>
      )}
      {steps.length > STEPS_SHOWN && <p class="soft">Earlier attempts are not shown here.</p>}
      {delivery.status === "pending" && (
        <p class="soft">
          When the last one fails too, the delivery is <b>exhausted</b>. The gaps are <Code>webhooks.retry</Code>, on
          the company's clock.
        </p>
      )}
    </Section>
  );
}

function renderPlanned(view: View, { kind, number, at }: PlannedStep) {
  return (
    <div class="line">
      <b>Attempt {number}</b>
      {at === null ? (
        <Pill tone="info">on its way, or held back by a rule</Pill>
      ) : (
        <>
          <Time at={at} />
          <span class="soft">{describeDistance(at, view.company.now())}</span>
          {kind === "planned" ? <Pill tone="info">next</Pill> : <Pill>if that fails</Pill>}
        </>
      )}
    </div>
  );
}

function renderMade(view: View, { number, attempt }: MadeStep) {
  const { at, status, latencyMs, error, response } = attempt;
  return (
    <>
      <div class="line">
        <b>Attempt {number}</b>
        <Time at={at} />
        <Status of={status} />
        <span class="soft">{Math.round(latencyMs)} ms</span>
        {error !== null && <span>{redactAndTruncate(view, error, FACT_MAX)}</span>}
      </div>
      {response !== null && (
        <details id={`answer-${number}`}>
          <summary>Its answer</summary>
          <Text label={`Headers of answer ${number}`}>{view.redactor.text(headerLines(response.headers))}</Text>
          <Text label={`Body of answer ${number}`}>
            {response.body === "" ? "(no body)" : view.redactor.text(response.body)}
          </Text>
        </details>
      )}
    </>
  );
}
