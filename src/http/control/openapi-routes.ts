import type { Hono } from "hono";
import { UsageError } from "../../kernel/messages/problem.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { headersFor, tokenOf } from "../api/answer.js";
import { type Caller, findCaller, reachCompany } from "../shared/caller.js";
import type { HttpEnv } from "../shared/env.js";
import { answerRefusal, answerThrown } from "./control-endpoint.js";

const contentTypes = {
  "/openapi.json": "application/json; charset=utf-8",
  "/openapi.yaml": "application/yaml; charset=utf-8",
} as const;

/** The caller of a request without credentials. The profile of a configured company is no secret, that of a tenant is. */
function anonymousCaller({ options, configuredCompany }: Sandbox): Caller {
  if (!options.tenancy) return { tenant: undefined, token: undefined };
  if (configuredCompany !== undefined) return { tenant: configuredCompany.id, token: undefined };
  throw new UsageError("not-found", "No company of the configuration is open. Give a token: Authorization: Bearer …");
}

/** Adds the API description: the contract as the company's profile makes it. `?company=` works as in the control API. */
export function addOpenApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  for (const path of ["/openapi.json", "/openapi.yaml"] as const) {
    app.get(path, async (c) => {
      try {
        const caller = findCaller(sandbox, tokenOf(c));
        if (caller !== undefined) c.set("caller", caller);
        const company = reachCompany(sandbox, caller ?? anonymousCaller(sandbox), c.req.query("company"));
        c.set("companyId", company.id);
        const { describeApi, renderOpenApiYaml } = await import("../../contract/openapi/describe-api.js");
        // Like `paymentUrl`: begins with `--public-url` if given, otherwise with the address that the request came to.
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
