import type { Hono } from "hono";
import type { Profile } from "../../domain/profile/profile.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { headersFor, tokenOf } from "../api/answer.js";
import { type Caller, findCaller, reachCompany } from "../shared/caller.js";
import type { HttpEnv } from "../shared/env.js";
import { answerRefusal, answerThrown } from "./control-endpoint.js";

const contentTypes = {
  "/openapi.json": "application/json; charset=utf-8",
  "/openapi.yaml": "application/yaml; charset=utf-8",
} as const;

/** Stands in kept texts for the address that a request came to. */
const ANY_SERVER = "http://sandbox.invalid";

/** How many texts of one path are kept: each takes some 300 KB, and there may be thousands of companies. */
const TEXTS_MAX = 20;

/** The caller of a request without credentials. The profile of a configured company is no secret, that of a tenant is. */
function anonymousCaller({ options, configuredCompany }: Sandbox): Caller {
  if (!options.tenancy) return { tenant: undefined, token: undefined };
  if (configuredCompany !== undefined) return { tenant: configuredCompany.id, token: undefined };
  throw new UsageError("not-found", "No company of the configuration is open. Give a token: Authorization: Bearer …");
}

/** Adds the API description: the contract as the company's profile makes it. `?company=` works as in the control API. */
export function addOpenApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  for (const path of ["/openapi.json", "/openapi.yaml"] as const) {
    // Making a description takes tens of milliseconds, and anyone may ask for it.
    const texts = new RecentMap<Profile, string>(TEXTS_MAX);
    app.get(path, async (c) => {
      try {
        const caller = findCaller(sandbox, tokenOf(c));
        if (caller !== undefined) c.set("caller", caller);
        const company = reachCompany(sandbox, caller ?? anonymousCaller(sandbox), c.req.query("company"));
        c.set("companyId", company.id);
        const { profile } = company;
        // Like `paymentUrl`: begins with `--public-url` if given, otherwise with the address that the request came to.
        const serverUrl = sandbox.options.publicUrl ?? ANY_SERVER;
        let rendered = texts.get(profile);
        if (rendered === undefined) {
          const { describeApi, renderOpenApiYaml } = await import("../../contract/openapi/describe-api.js");
          const description = describeApi({ profile, serverUrl });
          rendered = path === "/openapi.json" ? JSON.stringify(description) : renderOpenApiYaml(description);
          texts.add(profile, rendered);
        }
        const { origin } = new URL(c.req.url);
        const text = rendered.replaceAll(ANY_SERVER, () => origin);
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
