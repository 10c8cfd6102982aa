import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import { defaultProfile } from "../domain/profile/parse-profile.js";
import { renderSampleAnswers } from "./openapi/sample-answers.js";
import { createSampleWorld } from "./openapi/sample-world.js";
import type { ChargeBody, ChargeEntryBody, TransactionBody } from "./resources.js";
import { responseSchemas } from "./response-schemas.js";
import type { chargeFields, entryFields } from "./charges.js";
import type { transactionFields } from "./transfers.js";

describe("the schemas of answers", () => {
  const profile = defaultProfile();
  const schemas = responseSchemas(profile);
  const answers = renderSampleAnswers(createSampleWorld(profile, "http://127.0.0.1:4010/checkout/"));
  const charge = Object(answers.getCharge["paid"]?.value);

  it("accept the output of the renderers", () => {
    expect(schemas.Charge.parse(charge)).toEqual(charge);
    const batch = answers.createBatch["processing"]?.value;
    expect(schemas.Batch.parse(batch)).toEqual(batch);
    const page = answers.listWebhooks["page"]?.value;
    expect(schemas.WebhookSubscriptionPage.parse(page)).toEqual(page);
  });

  it("refuse an extra field, a missing field, and a field of another view", () => {
    const { due, ...less } = charge;
    expect(due).toBe(0);
    for (const wrong of [less, { ...charge, owner: 1 }, { ...charge, paymentUrl: "https://shop.test" }]) {
      expect(schemas.Charge.safeParse(wrong).success).toBe(false);
    }
    expect(schemas.ChargeCreated.safeParse(charge).success).toBe(false);
  });

  it("have every value of the types", () => {
    // A missing or additional field does not compile, but only this proves the values of a field.
    expectTypeOf<z.output<typeof chargeFields.status>>().toEqualTypeOf<ChargeBody["status"]>();
    expectTypeOf<z.output<typeof chargeFields.droppedReason>>().toEqualTypeOf<string | null>();
    expectTypeOf<z.output<typeof entryFields.status>>().toEqualTypeOf<ChargeEntryBody["status"]>();
    expectTypeOf<z.output<typeof entryFields.type>>().toEqualTypeOf<ChargeEntryBody["type"]>();
    expectTypeOf<z.output<typeof transactionFields.status>>().toEqualTypeOf<TransactionBody["status"]>();
    expectTypeOf<z.output<typeof transactionFields.failureReason>>().toEqualTypeOf<string | null>();
  });
});
