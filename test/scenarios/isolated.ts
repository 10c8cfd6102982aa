import type { Scenario } from "../../src/scenarios/file/scenario.js";
import { parseText } from "../support/scenarios.js";

export const parseTexts = (...texts: string[]): Promise<Scenario[]> =>
  Promise.all(texts.map((text) => parseText(text)));

/** A scenario that would fail if another one interfered with its balance, charge, time or webhooks. */
export const own = (index: number): string => `
name: Scenario ${index}
given: { balance: ${index * 1000}, clock: "2026-01-15T09:00:00Z", webhooks: [{ topic: charges/events }] }
steps:
  - request: POST /v1/charges
    body: { amount: ${index + 1}, externalId: the-same, description: A,
            onCanceledRedirectionUrl: https://a.test, onCompletedRedirectionUrl: https://a.test }
    expect: { status: 201 }
    save: { id: body.id, externalId: body.externalId }
  - advance: ${index}m
  - request: POST /v1/charges/\${id}/pay
  - request: GET /v1/balance
    expect: { body: { balance: ${index * 1000 + index + 1} } }
  - webhook: { data: { id: "\${id}", amount: ${index + 1} }, count: 1 }
  - webhook: { count: 1 }
  - request: GET /_sandbox/clock
    expect: { body: { now: "2026-01-15T09:${String(index).padStart(2, "0")}:00.000Z" } }
  - { request: GET /v1/balance, as: other, expect: { body: { balance: ${index * 1000} } } }`;
