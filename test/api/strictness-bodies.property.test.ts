import fc, { runs } from "../support/fast-check.js";
import { describe, expect, it } from "vitest";
import { useWorlds } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError } from "../support/shapes.js";

const bodied = ["/v1/transactions", "/v1/transactions/batch", "/v1/charges", "/v1/webhooks"];

describe("any request", () => {
  const open = useWorlds();

  it("is never an error of the sandbox, and every refusal has the error body", async () => {
    const { api } = await open();
    const paid = (await api("POST", "/v1/charges", chargeRequest())).body;
    await api("POST", `/v1/charges/${paid.id}/pay`);
    const paths = [...bodied, `/v1/charges/${paid.id}/pay`, `/v1/charges/${paid.id}/refund`];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(5_000, "+2250700000001", "transfer", "https://shop.test", "charges/events", "r"),
    );
    const names = [
      "amount",
      "msisdn",
      "reference",
      "type",
      "description",
      "externalId",
      "metadata",
      "topic",
      "url",
      "transactions",
    ];
    const object = fc.dictionary(
      fc.constantFrom(...names, "onCanceledRedirectionUrl", "onCompletedRedirectionUrl", "__proto__"),
      value,
      {
        noNullPrototype: true,
      },
    );
    const request = fc.oneof(object, fc.record({ transactions: fc.array(object, { maxLength: 3 }) }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), request, async (path, body) => {
        const answer = await api("POST", path, JSON.stringify(body));
        if (answer.status < 300) return;
        expect([400, 404, 409, 422]).toContain(answer.status);
        expect(answer.body).toEqual(
          anError(
            answer.status,
            path,
            expect.toSatisfy((list) => list.length > 0),
          ),
        );
      }),
      { numRuns: runs(500) },
    );
  });
});
