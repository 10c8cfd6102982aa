import type { DomainEvent } from "../domain/model/events.js";
import type { Profile } from "../domain/profile/profile.js";
import { Bug } from "../kernel/messages/problem.js";
import { renderCharge } from "./charges.js";
import type { WebhookBody } from "./resources.js";
import { renderTransfer } from "./transfers.js";

/**
 * The body of a webhook. The contract: "Object with `topic` (String) and `data` (Object) holding the Transaction fields." Of other topics it says:
 * "Payload shapes of the other topics, including the charge topic: not shown". A charge is sent as GET shows it.
 */
export function renderPayload(profile: Profile, topic: string, event: DomainEvent): string {
  return JSON.stringify({ topic, data: dataOf(profile, event) } satisfies WebhookBody);
}

function dataOf(profile: Profile, { subject }: DomainEvent): WebhookBody["data"] {
  switch (subject.kind) {
    case "charge":
      return renderCharge(subject.charge, "payload", profile);
    case "transaction":
      return renderTransfer(subject.transaction, "payload", profile);
    default:
      throw new Bug(`Failed to render a webhook: no topic reports ${subject.kind}.`);
  }
}
