import { findTopic, singularOf } from "../../domain/values/topic.js";
import type { AuditEvent, Exchange, Stage } from "../wire/check.js";
import { isAccepted } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { signedFormsOf } from "./body-forms.js";
import { hexOf, otherHeadersFor } from "./forged.js";
import { PAYOUTS } from "./topics.js";

/** How a probe differs from an ordinary event. A part in which it does not differ is undefined. */
interface Deviation {
  readonly encoding?: (typeof encodings)[number] | undefined;
  readonly form?: string | undefined;
  readonly isOtherHeader?: boolean | undefined;
  readonly topic?: string | undefined;
}

const encodings = [
  { name: "in hex", encode: hexOf },
  { name: "in capital hex", encode: (right: string) => hexOf(right).toUpperCase() },
  { name: "as sha256= and hex", encode: (right: string) => `sha256=${hexOf(right)}` },
  { name: "as the base64 of its hex", encode: (right: string) => btoa(hexOf(right)) },
  { name: "as sha256= and base64", encode: (right: string) => `sha256=${right}` },
  { name: "in base64url", encode: (right: string) => Buffer.from(right, "base64").toString("base64url") },
] as const;

/** The most parts in which a probe differs: receivers rarely have more bugs at once. */
const PARTS_MAX = 3;

/**
 * Finds out what a receiver that refuses an ordinary event accepts instead, in words: payouts, or events that match combinations of the commonest bugs.
 * Undefined when it accepts none of them.
 */
export async function findAccepted(stage: Stage): Promise<string | undefined> {
  const payout = stage.eventOf?.(PAYOUTS);
  if (payout !== undefined && isAccepted(await stage.send(post(stage, "a probe", payout.text)))) {
    return `the topic ${PAYOUTS}; if the receiver gets no others, name it (--topic ${PAYOUTS})`;
  }
  const { value } = stage.event();
  const topics = [undefined, otherSpelling(value["topic"])].filter(
    (topic, index) => index === 0 || topic !== undefined,
  );
  const forms = [
    undefined,
    ...signedFormsOf(value)
      .forms.slice(0, FORMS_TRIED)
      .map(([form]) => form),
  ];
  const deviations = topics
    .flatMap((topic) =>
      [false, true].flatMap((isOtherHeader) =>
        forms.flatMap((form) =>
          [undefined, ...encodings].map((encoding): Deviation => ({ encoding, form, isOtherHeader, topic })),
        ),
      ),
    )
    .filter((deviation) => partsOf(deviation) > 0 && partsOf(deviation) <= PARTS_MAX)
    .toSorted((one, other) => partsOf(one) - partsOf(other));
  for (const deviation of deviations) {
    if (!isAccepted(await probe(stage, value, deviation, otherHeadersFor(stage)))) continue;
    return describe(
      deviation,
      deviation.isOtherHeader === true ? await findHeader(stage, value, deviation) : undefined,
    );
  }
  return undefined;
}

/** JSON.stringify, json.dumps, json_encode: the others are rare. */
const FORMS_TRIED = 3;

async function findHeader(stage: Stage, value: AuditEvent["value"], deviation: Deviation): Promise<string | undefined> {
  for (const name of otherHeadersFor(stage)) {
    if (isAccepted(await probe(stage, value, deviation, [name]))) return name;
  }
  return undefined;
}

function probe(
  stage: Stage,
  given: AuditEvent["value"],
  deviation: Deviation,
  names: readonly string[],
): Promise<Exchange> {
  const { encoding, form, isOtherHeader = false, topic } = deviation;
  const value = topic === undefined ? given : { ...given, topic };
  const { body, forms } = signedFormsOf(value);
  const signed = forms.find(([name]) => name === form)?.[1];
  const text = signed === undefined ? JSON.stringify(value) : body;
  const right = stage.sign(signed ?? text);
  const signature = encoding === undefined ? right : encoding.encode(right);
  const request = post(stage, "a probe", text, { signature: isOtherHeader ? null : signature });
  const lines = isOtherHeader ? names.map((name) => [name, signature] as const) : [];
  return stage.send({ ...request, headers: [...request.headers, ...lines] });
}

function partsOf({ encoding, form, isOtherHeader, topic }: Deviation): number {
  return [encoding, form, isOtherHeader === true ? true : undefined, topic].filter((part) => part !== undefined).length;
}

function describe({ encoding, form, isOtherHeader, topic }: Deviation, header: string | undefined): string {
  const signature = [
    ...(encoding === undefined ? [] : [encoding.name]),
    ...(form === undefined ? [] : [`of the body ${form}`]),
    ...(isOtherHeader === true ? [header === undefined ? "in another header" : `in the header ${header}`] : []),
  ];
  const parts = [
    ...(signature.length === 0 ? [] : [`the signature ${signature.join(", ")}`]),
    ...(topic === undefined ? [] : [`the topic spelled ${topic}`]),
  ];
  return parts.join(" and ");
}

function otherSpelling(topic: unknown): string | undefined {
  const known = typeof topic === "string" ? findTopic(topic) : undefined;
  if (known === undefined) return undefined;
  return singularOf(known) === topic ? known : singularOf(known);
}
