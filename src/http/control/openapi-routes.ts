import type { Hono } from "hono";
import type { Profile } from "../../domain/profile/profile.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { headersFor } from "../api/answer.js";
import { selectCompany } from "../shared/company.js";
import { answerRefusal, answerThrown } from "./control-endpoint.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";

/** The API description in both its forms, as it is for one address of the sandbox. */
interface Description {
  readonly serverUrl: string;
  readonly json: string;
  readonly yaml: string;
}

const formats = {
  json: { path: "/openapi.json", contentType: "application/json; charset=utf-8" },
  yaml: { path: "/openapi.yaml", contentType: "application/yaml; charset=utf-8" },
} as const;

/** GET /openapi.json and /openapi.yaml: the contract as the company's profile makes it. `?company=` as in the control API. */
export function addOpenApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  const describe = createDescriber();
  for (const format of ["json", "yaml"] as const) {
    const { path, contentType } = formats[format];
    app.get(path, async (c) => {
      try {
        const company = selectCompany(sandbox, c.req.query("company"));
        const text = (await describe(company.profile, serverUrlOf(c, sandbox)))[format];
        return new Response(text, { headers: { ...headersFor(sandbox, company), "content-type": contentType } });
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

/** Built when first asked for, since a start should not wait for it. One for each profile is kept: the one for the address asked for last. */
function createDescriber(): (profile: Profile, serverUrl: string) => Promise<Description> {
  const kept = new WeakMap<Profile, Description>();
  return async (profile, serverUrl) => {
    const before = kept.get(profile);
    if (before?.serverUrl === serverUrl) return before;
    const [{ describeApi }, { renderOpenApiYaml }] = await Promise.all([
      import("../../contract/openapi/describe-api.js"),
      import("../../contract/openapi/describe-api.js"),
    ]);
    const document = describeApi({ profile, serverUrl });
    const description = { serverUrl, json: JSON.stringify(document), yaml: renderOpenApiYaml(document) };
    kept.set(profile, description);
    return description;
  };
}

/** As `paymentUrl`: "starts with `--public-url` if given, else with the address the request came to". */
function serverUrlOf(c: HttpContext, { options }: Sandbox): string {
  return options.publicUrl ?? new URL(c.req.url).origin;
}
