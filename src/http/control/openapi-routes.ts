import type { Hono } from "hono";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { headersFor } from "../api/answer.js";
import { selectCompany } from "../shared/company.js";
import type { HttpEnv } from "../shared/env.js";
import { answerRefusal, answerThrown } from "./control-endpoint.js";

const contentTypes = {
  "/openapi.json": "application/json; charset=utf-8",
  "/openapi.yaml": "application/yaml; charset=utf-8",
} as const;

/** The API description: the contract as the company's profile makes it. `?company=` as in the control API. */
export function addOpenApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  for (const path of ["/openapi.json", "/openapi.yaml"] as const) {
    app.get(path, async (c) => {
      try {
        const company = selectCompany(sandbox, c.req.query("company"));
        const { describeApi, renderOpenApiYaml } = await import("../../contract/openapi/describe-api.js");
        // As `paymentUrl`: "starts with `--public-url` if given, else with the address the request came to".
        const serverUrl = sandbox.options.publicUrl ?? new URL(c.req.url).origin;
        const description = describeApi({ profile: company.profile, serverUrl });
        const text = path === "/openapi.json" ? JSON.stringify(description) : renderOpenApiYaml(description);
        return new Response(text, { headers: { ...headersFor(sandbox, company), "content-type": contentTypes[path] } });
      } catch (thrown) {
        return answerThrown(sandbox, undefined, path, thrown);
      }
    });
    app.all(path, (c) => {
      const message = `${c.req.method} is not a method of this path; it has GET`;
      return answerRefusal(sandbox, undefined, path, { status: 405, messages: [message], headers: { allow: "GET" } });
    });
  }
}
