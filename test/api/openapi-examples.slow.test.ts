import { describe, expect, it } from "vitest";
import { describeApi } from "../../src/contract/openapi/describe-api.js";
import type { OpenApiDocument } from "../../src/contract/openapi/describe-api.js";
import { type OperationId, operationIds, operations } from "../../src/contract/operations.js";
import { errorName } from "../../src/contract/problems.js";
import { signBody } from "../../src/domain/deliveries/sign-delivery.js";
import { defaultProfile } from "../../src/domain/profile/parse-profile.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { useWorlds } from "../support/describe-api.js";
import { everyAlternative, examplesOf, operationsOf, overridesOf, profileOf } from "../support/openapi-walk.js";
import { descriptionFor } from "../support/validate-answer.js";

const open = useWorlds();
const document = describeApi();

describe("every example of the API description", () => {
  it.each([["the default profile", defaultProfile()] as const, ...everyAlternative()])(
    "is valid, and an error's has its own status and path, under %s",
    (_, profile) => {
      const description = descriptionFor(profile);
      const examples = examplesOf(description.document);
      for (const { schema, value, where } of examples) description.validate(schema, value, where);
      expect(examples.length).toBeGreaterThan(50);
      if (profile.errors.shape === "message") return;
      for (const { called, status, body } of refusalsOf(description.document)) {
        expect([called, body.statusCode]).toEqual([called, status]);
        expect(body.path).toMatch(templateOf(called));
      }
    },
  );

  it("exists however much a transfer costs", () => {
    const profile = profileOf({ "transfers.fee": { fixed: 1_000_000_000 } });
    expect(examplesOf(describeApi({ profile })).length).toBeGreaterThan(50);
  });

  it("exists for every body", () => {
    for (const [called, { requestBody, responses }] of operationsOf(document)) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap((part) =>
        part !== undefined && "content" in part && part.content ? [part.content["application/json"]] : [],
      );
      for (const { examples } of bodies) expect([called, Object.keys(examples)]).not.toEqual([called, []]);
    }
  });

  it("shows the fields that the contract treats in an unusual way", () => {
    const values = (called: string, status: string): Record<string, Record<string, unknown>> => {
      const response = new Map(operationsOf(document)).get(called)?.responses[status];
      const examples = response && "content" in response ? response.content?.["application/json"].examples : {};
      return Object.fromEntries(Object.entries(examples ?? {}).map(([name, { value }]) => [name, Object(value)]));
    };
    const created = values("POST /v1/charges", "201")["created"];
    expect(created?.["createdAt"]).toMatch(/^\d{8}T\d{6}\.\d{3}Z$/);
    expect(created?.["status"]).toBe("created");
    expect(values("GET /v1/charges/{id}", "200")["due"]?.["id"]).toBe(created?.["id"]);
    const refund = values("POST /v1/charges/{id}/refund", "200")["full"]?.["transactions"];
    expect(Object(refund).map((entry: { type: string }) => entry.type)).toEqual(["refund", "payment"]);
    expect(values("POST /v1/transactions", "201")["pending"]?.["fee"]).toBe(50.5);
  });
});

describe("an example of a request", () => {
  it.each([
    ["the default profile", {}],
    [
      "other bounds and receivers",
      { "transfers.min": 100_000, "charges.max": 9, "webhooks.allow": ["::1", "hook.test"] },
    ],
    ["a batch of one", { "batch.maxItems": 1, "batch.itemType": "required" }],
  ])("is accepted under %s, and answered as its operation says", async (_, overrides) => {
    const profile = profileOf(overrides);
    const world = await open({ profile: overridesOf(overrides) });
    const described = describeApi({ profile });
    const charge = await world.api("POST", "/v1/charges", requestOf(described, "createCharge"));
    const paths: { [Id in OperationId]?: string } = { payCharge: charge.body.id, refundCharge: charge.body.id };
    // In the order of the table, in which a charge is paid before it is refunded.
    const others = operationIds.filter((id) => requestOf(described, id) !== undefined && id !== "createCharge");
    expect(charge.status).toBe(201);
    for (const id of others) {
      const { method, path } = operations[id];
      const { status } = await world.api(method, path.replace(":id", paths[id] ?? ""), requestOf(described, id));
      expect([id, status]).toEqual([id, path.includes(":id") ? 200 : 201]);
    }
    expect(others).toEqual(["createTransaction", "createBatch", "payCharge", "refundCharge", "createWebhook"]);
  });
});

describe("an example of an error", () => {
  const limited = describeApi({ profile: profileOf({ rateLimit: { requests: 1, per: "1s" } }) });

  /** How each status is provoked at the edge, whatever the operation. */
  const provoked: Readonly<Record<string, () => Promise<{ status: number; body: unknown }>>> = {
    Unauthorized: async () => (await open()).api("POST", "/v1/charges", {}, { authorization: null }),
    Forbidden: async () => (await open()).api("POST", "/v1/charges", {}, { "x-company-id": "company_other" }),
    PayloadTooLarge: async () => (await open()).api("POST", "/v1/charges", " ".repeat(1_048_577)),
    UnsupportedMediaType: async () => (await open()).api("POST", "/v1/charges", {}, { "content-type": "text/plain" }),
    TooManyRequests: async () => {
      const { api } = await open({ profile: { rateLimit: { requests: 1, per: "1s" } } });
      await api("POST", "/v1/charges", {});
      return api("POST", "/v1/charges", {});
    },
    InternalServerError: async () => {
      const world = await open({ log: { write: () => undefined } });
      world.sandbox.store.durable = () => Promise.reject(new Error("broken"));
      return world.api("POST", "/v1/charges", requestOf(document, "createCharge"));
    },
  };

  it.each(Object.entries(provoked))("is what the sandbox answers: %s", async (name, provoke) => {
    const example = Object(
      limited.components.responses[name]?.content?.["application/json"].examples["refused"]?.value,
    );
    const { status, body } = await provoke();
    const own = { correlationId: expect.any(String), timestamp: expect.any(String) };
    expect(body).toEqual({ ...example, ...own });
    expect(example.error).toBe(errorName(status));
  });
});

describe("an example of a webhook", () => {
  it.each(Object.entries(document.webhooks))("%s has the signature of its first body", (topic, { post }) => {
    const [body] = Object.values(post?.requestBody?.content["application/json"].examples ?? {});
    const signature = post?.parameters?.flatMap((parameter) => ("example" in parameter ? [parameter.example] : []));
    expect(signature).toEqual([signBody(JSON.stringify(body?.value), "secret_sandbox")]);
    expect(DEFAULT_COMPANY.secretKey).toBe("secret_sandbox");
    expect(Object(body?.value).topic).toBe(topic);
  });
});

function requestOf(described: OpenApiDocument, id: OperationId): unknown {
  const operation = operationsOf(described).find(([, { operationId }]) => operationId === id)?.[1];
  return Object.values(operation?.requestBody?.content["application/json"].examples ?? {})[0]?.value;
}

/** `POST /v1/charges/{id}/pay` → the concrete paths. */
function templateOf(called: string): RegExp {
  return new RegExp(`^${called.replace(/^\S+ /, "").replace("{id}", "[^/]+")}$`);
}

function refusalsOf(described: OpenApiDocument) {
  return operationsOf(described).flatMap(([called, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) => {
      if (status < "400" || "$ref" in response) return [];
      const body = Object(response.content?.["application/json"].examples["refused"]?.value);
      return [{ called, status: Number(status), body }];
    }),
  );
}
