import { choice, setting } from "./setting.js";
import { duration } from "../../kernel/fields.js";
import { allowedHosts, CHARGE_EVENTS, chargeEvents, headerName, RETRY_PRESETS, retryGaps } from "./setting-kinds.js";

/** What is delivered to receivers, and how often. */
export const webhookSettings = {
  /** The header that carries the signature. Default `x-service-hmac-sha256`. */
  signatureHeader: setting({
    summary: "The header that carries the signature of a delivery.",
    default: "x-service-hmac-sha256",
    alternatives: [
      {
        value: "a header name",
        form: true,
        samples: ["x-other-signature"],
        effect: "That header, with the same signature.",
      },
    ],
    question: "Is `x-service-hmac-sha256` the name of the header in production?",
    contract: "Every delivery carries the header `x-service-hmac-sha256`.",
    schema: headerName(),
  }),
  /** A header that carries the topic as well. Default `none`. */
  topicHeader: setting({
    summary: "A header that carries the topic of a delivery too: by default there is none.",
    default: "none",
    alternatives: [
      {
        value: "a header name",
        form: true,
        samples: ["x-topic"],
        effect: "Each delivery has that header, with its topic.",
      },
    ],
    question: "Does any header of a delivery carry the topic?",
    contract: "Not in the contract: it shows the topic in the body only.",
    schema: headerName().transform((name) => (name === "none" ? null : name)),
  }),
  /**
   * The spelling of topics. Default `as-subscribed`: each subscriber gets the spelling that it subscribed with. `as-documented`: shown singular,
   * delivered plural.
   */
  topicSpelling: choice({
    summary:
      "How topics are spelled in deliveries and in every answer about subscriptions: by default as the subscriber " +
      "did. Both spellings of every topic are always accepted and match each other.",
    default: "as-subscribed",
    alternatives: [
      { value: "plural", effect: "Always `transactions/…` and `charges/events`." },
      { value: "singular", effect: "Always `transaction/…` and `charge/events`." },
      {
        value: "as-documented",
        effect: "As the contract's examples: answers about subscriptions are singular, deliveries are plural.",
      },
    ],
    question: "Which spelling of a topic is stored, shown and delivered?",
    contract: "The topic string that the service stores and matches is therefore ambiguous.",
  }),
  /** The changes of a charge that are reported: a list, a text with commas between them, or `none`. Default all four. */
  chargeEvents: setting({
    summary: "The changes of a charge that are delivered.",
    default: CHARGE_EVENTS,
    alternatives: [
      { value: ["paid", "dropped"], effect: "Only what the contract's prose names; the diagram alone has the others." },
      {
        value: "a list of them, or text with commas between",
        form: true,
        samples: [["paid"]],
        effect: "These changes only.",
      },
      { value: "none", effect: "No change of a charge is delivered." },
    ],
    question: "Which changes of a charge send a webhook?",
    contract:
      "A charge webhook is sent when a charge becomes `paid` or `dropped`; the lifecycle diagram also shows one " +
      "after `refunded` and `refunded_partially`.",
    schema: chargeEvents(),
  }),
  /** The `data` of a charge's webhook. Default `full`: the charge as GET shows it. `slim`: without `transactions`. */
  chargePayload: choice({
    summary: "The `data` of a charge's webhook: by default the charge as a GET shows it, always with its own status.",
    default: "full",
    alternatives: [{ value: "slim", effect: "Without `transactions`." }],
    question: "Which fields does the webhook of a charge carry?",
    contract: "Payload shapes of the other topics, including the charge topic: not shown.",
  }),
  /** What happens to a second subscription of one URL to one topic. Default `allowed`; `conflict` is 409. */
  duplicateSubscription: choice({
    summary:
      "What happens to a second subscription of one URL to one topic: by default it is allowed, and each delivers.",
    default: "allowed",
    alternatives: [{ value: "conflict", effect: "It is 409." }],
    question: "What happens to a second subscription of one URL to one topic?",
    contract: "Error statuses for the transfer, batch, customer check, balance and webhook endpoints: not shown.",
  }),
  /** The gaps between attempts, on the company's clock. Default `["10s", "1m", "5m", "30m", "2h"]`: six attempts in all. */
  retry: setting({
    summary:
      "The gaps between attempts after a non-2xx, a time-out or a lost connection, on the company's clock: by " +
      "default five, so six attempts in all.",
    default: ["10s", "1m", "5m", "30m", "2h"],
    alternatives: [
      {
        value: "a list of up to 100 durations",
        form: true,
        samples: [["1s"]],
        effect: "One attempt more than there are gaps.",
      },
      { value: "none", effect: "One attempt only." },
      { value: "fast", effect: `Gaps of ${RETRY_PRESETS.fast.join(", ")}: six attempts in about three seconds.` },
      { value: "realistic", effect: `Gaps of ${RETRY_PRESETS.realistic.join(", ")}: nine attempts in about two days.` },
    ],
    question: "How often, and after which gaps, is a webhook sent again?",
    contract: "Retries and time-outs on delivery: not shown.",
    schema: retryGaps(),
  }),
  /** How long a receiver may take, in real time, 1ms to 1h. Default `10s`. */
  timeout: setting({
    summary: "How long a receiver may take to answer, in real time.",
    default: "10s",
    alternatives: [
      { value: "a duration from 1ms to 1h", form: true, samples: ["1s"], effect: "A receiver may take that long." },
    ],
    question: "How long may a receiver take to answer a webhook?",
    contract: "Retries and time-outs on delivery: not shown.",
    schema: duration(1, 3_600_000),
  }),
  /** Whether receivers are called whose certificate cannot be verified. Default false. */
  insecureTls: choice({
    summary: "Whether receivers whose TLS certificate cannot be verified are called.",
    default: false,
    alternatives: [{ value: true, effect: "Such receivers are called, as those with a self-signed certificate." }],
    question: "Which certificates of a receiver are accepted?",
    contract: "Not in the contract: it says nothing of the receiver's certificate.",
  }),
  /** Which receivers are permitted: host names, addresses and CIDRs. Default `any` except link-local and cloud metadata addresses. */
  allow: setting({
    summary: "The hosts that may receive: by default any but link-local and cloud metadata addresses.",
    default: "any",
    alternatives: [
      {
        value: "a list of host names, IP addresses and CIDRs",
        samples: [["localhost", "127.0.0.0/8", "::1"]],
        form: true,
        effect: "Others are refused with 400 at subscription and never called.",
      },
    ],
    question: "Which hosts may receive webhooks?",
    contract: "Not in the contract: it restricts no receiver.",
    schema: allowedHosts(),
  }),
};
