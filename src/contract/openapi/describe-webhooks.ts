import { type Topic, topics } from "../../domain/values/topic.js";
import { payloadNames, sentSpellings } from "../response-schemas.js";
import { withSettings, schemaRef } from "./schemas.js";
import type { ParameterObject, PathItem } from "./document.js";
import { SAMPLE_SECRET_KEY, type SampleDelivery, renderSampleDeliveries } from "./sample-answers.js";
import type { SampleWorld } from "./sample-world.js";

/** What is sent to subscribers, by topic, in every spelling that this profile sends. Topics that it never sends are left out. */
export function describeWebhooks(sample: SampleWorld): Record<string, PathItem> {
  const { profile } = sample.stage;
  return Object.fromEntries(
    topics.flatMap((topic) =>
      sentSpellings(profile, topic).flatMap((spelling) => {
        const deliveries = renderSampleDeliveries(sample, topic, spelling);
        return deliveries.length === 0 ? [] : [[spelling, describeWebhook(sample, topic, spelling, deliveries)]];
      }),
    ),
  );
}

/** When each topic is sent, in the contract's words. */
const sentWhen: Readonly<Record<Topic, string>> = {
  "transactions/started": "A transaction request has been received and queued.",
  "transactions/completed": "The transaction was executed successfully.",
  "transactions/failed": "The transaction could not be executed.",
  "charges/events": "The status of a charge is updated.",
};

const ofCharges = ["webhooks.chargeEvents", "webhooks.chargePayload", "testNumbers.silent"] as const;
const ofTransactions = ["transfers.webhookId", "testNumbers.silent"] as const;

function describeWebhook(
  sample: SampleWorld,
  topic: Topic,
  spelling: string,
  deliveries: readonly SampleDelivery[],
): PathItem {
  const { profile } = sample.stage;
  const examples = deliveries.map(({ name, summary, body }) => [name, { summary, value: JSON.parse(body) }] as const);
  return {
    post: {
      operationId: operationIdOf(spelling),
      tags: ["Events"],
      summary: sentWhen[topic],
      ...withSettings(`Sent to every URL that is subscribed to \`${spelling}\`.`, [
        ...(topic === "charges/events" ? ofCharges : ofTransactions),
        "webhooks.topicSpelling",
        "webhooks.topicHeader",
      ]),
      security: [],
      parameters: [
        ...deliveries.slice(0, 1).map((first) => signatureParameter(sample, first)),
        ...topicParameter(profile.webhooks.topicHeader, spelling),
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: schemaRef(payloadNames[topic]), examples: Object.fromEntries(examples) },
        },
      },
      responses: {
        "2XX": { description: "The receiver confirms receipt. The body of its answer is ignored." },
        default: withSettings(
          "Every other status is a failure, as are a redirect, a time-out and a lost connection: it is sent again later.",
          ["webhooks.retry", "webhooks.timeout", "webhooks.insecureTls", "webhooks.allow"],
        ),
      },
    },
  };
}

/** `transactions/started` → `onTransactionsStarted`. */
function operationIdOf(spelling: string): string {
  return `on${spelling.replaceAll(/(?:^|\/)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}

function signatureParameter({ stage }: SampleWorld, { name, signature }: SampleDelivery): ParameterObject {
  return {
    name: stage.profile.webhooks.signatureHeader,
    in: "header",
    required: true,
    ...withSettings(
      [
        "The signature of the body. To verify:",
        "1. Take the raw payload body string, before any JSON is parsed.\n" +
          "2. Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body string.\n" +
          "3. Base64-encode the result.\n" +
          "4. Compare with the header value. If equal the payload is authentic; otherwise the request is to be rejected.",
        `The value here belongs to the example \`${name}\`, written without white space, under the key \`${SAMPLE_SECRET_KEY}\`.`,
      ].join("\n\n"),
      ["webhooks.signatureHeader"],
    ),
    schema: { type: "string", pattern: "^[A-Za-z0-9+/]{43}=$" },
    example: signature,
  };
}

function topicParameter(header: string | null, spelling: string): ParameterObject[] {
  if (header === null) return [];
  const text = withSettings("The topic of the event, as in the body.", ["webhooks.topicHeader"]);
  return [
    {
      name: header,
      in: "header",
      required: true,
      ...text,
      schema: { type: "string", const: spelling },
      example: spelling,
    },
  ];
}
