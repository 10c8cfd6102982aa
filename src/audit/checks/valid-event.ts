import { wireCheck, mustAccept } from "../judge.js";
import { post } from "../stage.js";

export const VALID_EVENT = "valid-event";

/** The one check that all others stand on: it is always the first, and always run. */
export const validEvent = wireCheck({
  id: VALID_EVENT,
  group: "genuine",
  title: "an ordinary event with the right signature is accepted",
  severity: "critical",
  why: "The service takes anything but a 2xx for a failure and sends the event again and again: no payment is ever noticed.",
  fix:
    "Compare the header with the base64 of the HMAC-SHA256 of the raw body under the secret key, and answer 2xx once the event " +
    "is stored.",
  snippet: "verify",
  // What it takes in the place of the right signature is its mistake.
  follows: [
    "signature-empty-secret:accepted",
    "signature-hex:accepted",
    "signature-base64url:accepted",
    "signature-reprinted:accepted",
    "signature-other-header:accepted",
    "header-case:unequal",
  ],
  requests: 1,
  send: (stage) => [post(stage, "an ordinary event", stage.event().text)],
  judge: mustAccept,
});
