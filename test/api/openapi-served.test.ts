import { expect, it } from "vitest";
import { parse } from "yaml";
import { describeApi as describeDocument } from "../../src/contract/openapi/describe-api.js";
import { VERSION } from "../../src/kernel/version.js";
import { describeApi } from "../support/describe-api.js";

describeApi("GET /openapi.json and /openapi.yaml", (open) => {
  it("serve the same document, the one of the default profile", async () => {
    const { api, app } = await open({ publicUrl: "https://sandbox.example" });
    const json = await api("GET", "/openapi.json");
    const yaml = await app.request("/openapi.yaml");
    expect([json.status, yaml.status]).toEqual([200, 200]);
    expect(json.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(yaml.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
    expect(json.body).toEqual(describeDocument({ serverUrl: "https://sandbox.example" }));
    expect(parse(await yaml.text())).toEqual(json.body);
  });

  it("need no token and no company header, and carry the sandbox's headers", async () => {
    const { api } = await open();
    const { status, headers } = await api("GET", "/openapi.json", undefined, {
      authorization: null,
      "x-company-id": null,
    });
    expect(status).toBe(200);
    expect(headers.get("x-sandbox")).toBe(VERSION);
    expect(headers.get("x-sandbox-now")).toMatch(/Z$/);
  });

  it("name the address that the request came to", async () => {
    const { api } = await open();
    const first = await api("GET", "/openapi.json");
    expect(first.body.servers[0].url).toMatch(/^http:\/\/(?:localhost|127\.0\.0\.1:\d+)$/);
    const other = await api("GET", "/openapi.json", undefined, { host: "sandbox.test:8080" });
    expect(other.body.servers[0].url).toMatch(/^http:\/\/(?:localhost|sandbox\.test:8080)$/);
  });

  it("follow the company's profile, also one that is changed at run time", async () => {
    const { api, control } = await open({ profile: { http: { createdStatus: 200 } } });
    const statuses = async (query = ""): Promise<string[]> => {
      const { body } = await api("GET", `/openapi.json${query}`);
      return Object.keys(body.paths["/v1/charges"].post.responses);
    };
    expect((await statuses())[0]).toBe("200");
    await control("PATCH", "/profile", { http: { createdStatus: 201 } });
    expect((await statuses())[0]).toBe("201");
    await control("POST", "/companies", {
      companyId: "company_strict",
      profile: { rateLimit: { requests: 1, per: "1s" } },
    });
    expect(await statuses("?company=company_strict")).toContain("429");
    expect(await statuses()).not.toContain("429");
  });

  it("answer 404 for a company that does not exist", async () => {
    const { api } = await open();
    const { status, body } = await api("GET", "/openapi.json?company=company_nobody");
    expect(status).toBe(404);
    expect(body.message[0]).toContain("company_nobody");
  });

  it.each(["POST", "PUT", "DELETE"])("answer 405 for %s", async (method) => {
    const { api } = await open();
    for (const path of ["/openapi.json", "/openapi.yaml"]) {
      const { status, headers, body } = await api(method, path);
      expect([status, headers.get("allow")]).toEqual([405, "GET"]);
      expect(body).toMatchObject({ statusCode: 405, error: "Method Not Allowed Exception", path });
    }
  });
});
