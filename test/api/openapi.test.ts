import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeApi, renderOpenApiYaml } from "../../src/contract/openapi/describe-api.js";
import { operationIds, operations } from "../../src/contract/operations.js";
import { topicSpellings } from "../../src/domain/values/topic.js";
import { findSetting, settings } from "../../src/domain/profile/settings.js";
import { VERSION } from "../../src/kernel/version.js";
import { everyAlternative, operationsOf, profileOf, visit } from "../support/openapi-walk.js";

/** The contract's table "Errors", row by row. */
const contractErrors = [
  [
    "POST /v1/charges",
    400,
    "Missing or invalid amount, externalId, description, onCanceledRedirectionUrl or onCompletedRedirectionUrl.",
  ],
  ["POST /v1/charges", 401, "Access token missing or invalid."],
  ["POST /v1/charges", 409, "A charge with this externalId already exists."],
  ["POST /v1/charges/{id}/pay", 401, "Access token missing or invalid."],
  ["POST /v1/charges/{id}/pay", 404, "Charge not found."],
  ["GET /v1/charges/{id}", 401, "Access token missing or invalid."],
  ["GET /v1/charges/{id}", 404, "Charge not found."],
  ["POST /v1/charges/{id}/refund", 400, "Refund amount invalid (greater than the amount paid)."],
  ["POST /v1/charges/{id}/refund", 401, "Access token missing or invalid."],
  ["POST /v1/charges/{id}/refund", 404, "Charge not found."],
  ["POST /v1/charges/{id}/refund", 422, "Charge is not in a refundable state."],
] as const;

const document = describeApi();
const described = new Map(operationsOf(document));

describe("the API description", () => {
  it.each([
    ["the default profile", document],
    ["every setting another way", describeApi({ profile: everyAlternative().at(-1)![1] })],
  ])("is OpenAPI 3.1 under %s", async (_, described) => {
    const result = await new Validator().validate(structuredClone({ ...described }));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it("is plain JSON, and the same every time", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(JSON.stringify(describeApi())).toBe(JSON.stringify(document));
  });

  it("says its version and where the API is", () => {
    expect(document.info.version).toBe(VERSION);
    const other = describeApi({ version: "9.9.9", serverUrl: "https://sandbox.example" });
    expect(other.info.version).toBe("9.9.9");
    expect(other.servers.map(({ url }) => url)).toEqual(["https://sandbox.example"]);
    expect(JSON.stringify(other)).toContain("https://sandbox.example/checkout/");
  });

  it("has every operation of the contract and nothing else", () => {
    const expected = operationIds.map((id) => [
      `${operations[id].method} ${operations[id].path.replaceAll(/:(\w+)/g, "{$1}")}`,
      id,
    ]);
    const found = [...described].map(([called, { operationId }]) => [called, operationId]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    expect(found).toHaveLength(13);
  });

  it("names every operation and webhook differently, each under a tag that is explained", () => {
    const all = [...described.values(), ...Object.values(document.webhooks).flatMap(({ post }) => post ?? [])];
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(all.flatMap((operation) => operation.tags.filter((tag) => !tags.has(tag)))).toEqual([]);
  });

  it.each(contractErrors)("has the contract's %s %i: %s", (called, status, cause) => {
    const description = described.get(called)?.responses[status]?.description ?? "";
    expect(description).toContain(cause);
    expect(description).not.toContain("The contract shows no such error here.");
  });

  it("marks every error that is not the contract's", () => {
    const marked = operationIds.flatMap((id) =>
      operations[id].errors.flatMap(({ status, source }) => {
        const { method, path } = operations[id];
        const response = described.get(`${method} ${path.replace(":id", "{id}")}`)?.responses[status];
        const isMarked = response?.description?.includes("The contract shows no such error here.");
        return isMarked === (source === "sandbox") ? [] : [`${id} ${status}`];
      }),
    );
    expect(marked).toEqual([]);
  });

  it("has no component that nothing refers to", () => {
    const text = JSON.stringify(document);
    for (const kind of ["schemas", "responses", "parameters"] as const)
      for (const name of Object.keys(document.components[kind]))
        expect(text).toContain(`"#/components/${kind}/${name}"`);
  });

  it("has an example of every path and header parameter", () => {
    const bare: string[] = [];
    visit(document, "", (node, where) => {
      if ("in" in node && "name" in node && node.in !== "query" && !("example" in node)) bare.push(where);
    });
    expect(bare).toEqual([]);
  });

  it("gives the examples of a request the names of its answers", () => {
    for (const [called, { requestBody, responses }] of described) {
      if (requestBody === undefined) continue;
      const success = Object.values(responses).find((response) => "content" in response);
      const answered = success !== undefined && "content" in success ? success.content : undefined;
      const names = Object.keys(answered?.["application/json"].examples ?? {});
      expect([called, Object.keys(requestBody.content["application/json"].examples)]).toEqual([called, names]);
    }
  });

  it("has the errors of a body only where there is a body", () => {
    for (const id of operationIds) {
      const { method, path, body } = operations[id];
      const operation = described.get(`${method} ${path.replace(":id", "{id}")}`);
      const statuses = Object.keys(operation?.responses ?? {});
      expect([id, statuses.includes("413"), statuses.includes("415"), statuses.includes("500")]).toEqual([
        id,
        body !== "none",
        body !== "none",
        true,
      ]);
      expect([id, operation?.requestBody?.required]).toEqual([id, body === "none" ? undefined : body === "required"]);
    }
  });

  it("describes every property and every parameter", () => {
    const bare: string[] = [];
    visit(document, "", (node, where) => {
      if ("properties" in node && !where.includes("/properties/properties")) {
        for (const [name, property] of Object.entries(Object(node.properties))) {
          if (!Object(property).description) bare.push(`${where}/${name}`);
        }
      }
      if ("in" in node && "name" in node && !Object(node).description) bare.push(`${where}/${String(node.name)}`);
    });
    expect(bare).toEqual([]);
  });

  it("has no broken reference", () => {
    const broken: string[] = [];
    visit(document, "", (node, where) => {
      if (!("$ref" in node) || typeof node.$ref !== "string") return;
      const target = node.$ref
        .slice(2)
        .split("/")
        .reduce<unknown>((at, name) => Object(at)[name], document);
      if (target === undefined) broken.push(`${where} → ${node.$ref}`);
    });
    expect(broken).toEqual([]);
  });

  it("has every topic in both spellings, with the signature's header", () => {
    expect(Object.keys(document.webhooks)).toEqual(topicSpellings);
    for (const [topic, { post }] of Object.entries(document.webhooks)) {
      expect([topic, post?.parameters?.map((parameter) => "name" in parameter && parameter.name)]).toEqual([
        topic,
        ["x-service-hmac-sha256"],
      ]);
      expect(post?.security).toEqual([]);
    }
  });
});

describe("settings in the API description", () => {
  const named: { readonly path: string; readonly place: string; readonly description: string }[] = [];
  visit(document, "", (node, place) => {
    if (!("x-sandbox-setting" in node) || !Array.isArray(node["x-sandbox-setting"])) return;
    const description = "description" in node ? String(node.description) : "";
    named.push(...node["x-sandbox-setting"].map((path) => ({ path: String(path), place, description })));
  });

  it("exist, and are explained where they are named", () => {
    for (const { path, place, description } of named) {
      expect([place, findSetting(path)?.path]).toEqual([place, path]);
      expect([place, description]).toEqual([place, expect.stringContaining(`\`${path}\``)]);
      expect([place, description]).toEqual([place, expect.stringContaining(findSetting(path)!.contract)]);
    }
  });

  it("are all named except those that only the control API shows, or another profile", () => {
    const paths = new Set(named.map(({ path }) => path));
    expect(settings.map(({ path }) => path).filter((path) => !paths.has(path))).toEqual([
      "batch.finalStatus",
      "rateLimit",
    ]);
    expect(Object.keys(document["x-sandbox-settings"])).toEqual(settings.map(({ path }) => path));
  });
});

describe("the API description under another profile", () => {
  const statusesUnder = (overrides: Parameters<typeof profileOf>[0], called: string): string[] => {
    const described = new Map(operationsOf(describeApi({ profile: profileOf(overrides) })));
    return Object.keys(described.get(called)?.responses ?? {});
  };

  it("has its statuses of success", () => {
    const swapped = { "http.createdStatus": 200, "http.actionStatus": 201 };
    for (const id of operationIds) {
      const { method, path, success } = operations[id];
      const called = `${method} ${path.replace(":id", "{id}")}`;
      const other =
        success === "http.createdStatus" ? "200" : success === "http.actionStatus" ? "201" : String(success);
      expect([id, statusesUnder(swapped, called)[0]]).toEqual([id, other]);
    }
  });

  it.each([
    ["POST /v1/transactions", { "transfers.duplicateReference": "allow" }, { without: "409" }],
    ["POST /v1/transactions/batch", { "transfers.duplicateReference": "allow" }, { without: "409" }],
    ["POST /v1/webhooks", { "webhooks.duplicateSubscription": "conflict" }, { with: "409" }],
    ["POST /v1/charges/{id}/pay", { "charges.payNotDue": 409 }, { with: "409" }],
    ["GET /v1/balance", { "auth.companyHeader": "everywhere" }, { with: "400" }],
    ["GET /v1/balance", { "auth.companyHeader": "ignored" }, { without: "403" }],
    ["GET /v1/balance", { rateLimit: { requests: 1, per: "1s" } }, { with: "429" }],
  ] as const)("%s under %j has another status: %j", (called, overrides, difference) => {
    const before = statusesUnder({}, called);
    const after = statusesUnder(overrides, called);
    if ("with" in difference) expect(after).toEqual([...before, difference.with].sort());
    else expect(after).toEqual(before.filter((status) => status !== difference.without));
  });

  it("has no pay endpoint where production has none", () => {
    const { paths } = describeApi({ profile: profileOf({ "charges.payEndpoint": "absent" }) });
    expect(Object.keys(document.paths).filter((path) => !(path in paths))).toEqual(["/v1/charges/{id}/pay"]);
  });

  it.each([
    ["plural", ["transactions/started", "transactions/completed", "transactions/failed", "charges/events"]],
    ["singular", ["transaction/started", "transaction/completed", "transaction/failed", "charge/events"]],
  ])("sends topics in the %s only", (spelling, topics) => {
    const { webhooks } = describeApi({ profile: profileOf({ "webhooks.topicSpelling": spelling }) });
    expect(Object.keys(webhooks)).toEqual(topics);
  });

  it("has no charge webhooks when no change of a charge is delivered", () => {
    const { webhooks, components } = describeApi({ profile: profileOf({ "webhooks.chargeEvents": "none" }) });
    expect(Object.keys(webhooks).filter((topic) => topic.startsWith("charge"))).toEqual([]);
    expect(Object.keys(components.schemas)).not.toContain("ChargePayload");
  });

  it("has its bounds, its headers and its fields", () => {
    const { components, webhooks } = describeApi({
      profile: profileOf({
        "transfers.min": 7,
        "charges.paymentUrlOnRead": true,
        "charges.createdAtFormat": "iso",
        "webhooks.chargePayload": "slim",
        "webhooks.signatureHeader": "x-signature",
        "webhooks.topicHeader": "x-topic",
        "errors.shape": "message",
      }),
    });
    const { schemas } = components;
    expect(schemas["CreateTransactionRequest"]).toMatchObject({ properties: { amount: { minimum: 7 } } });
    expect(schemas["Charge"]?.required).toContain("paymentUrl");
    expect(schemas["ChargeCreated"]).toMatchObject({
      properties: { createdAt: { $ref: "#/components/schemas/Timestamp" } },
    });
    expect(schemas["ChargePayload"]?.properties).not.toHaveProperty("transactions");
    expect(Object.keys(schemas["ErrorBody"]?.properties ?? {})).toEqual(["message"]);
    const headers = webhooks["charges/events"]?.post?.parameters?.map((parameter) => Object(parameter).name);
    expect(headers).toEqual(["x-signature", "x-topic"]);
  });
});

describe("the API description as YAML", () => {
  it("is the same document, also for YAML 1.1 parsers", () => {
    const yaml = renderOpenApiYaml(document);
    expect(parse(yaml)).toEqual(document);
    expect(parse(yaml, { version: "1.1" })).toEqual(document);
    expect(yaml).not.toMatch(/^\s*(?:- )?[\w-]+: [&*]\w/m);
  });
});
