import { Hono, type MiddlewareHandler } from "hono";
import { describeUnknownPath } from "../../contract/unknown-path.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { describeProblem, respond } from "../api/answer.js";
import { addApiRoutes, isForApi, refuseRoute } from "../api/routes.js";
import { addOpenApiRoutes } from "../control/openapi-routes.js";
import { addPageRoutes } from "./page-routes.js";
import { type HttpEnv, wantsPage } from "../shared/env.js";
import { logRequest, logRequests } from "../shared/log-request.js";
import type { AppExtensions } from "./control-app.js";
import { createInProcessFetch } from "./in-process-fetch.js";
import { answerRefused } from "./malformed.js";

/** Everything the sandbox answers over HTTP: the API under test, the control API, the pages for people, and 404 in the contract's shape for the rest. */
export function createApp(sandbox: Sandbox, extensions: AppExtensions = {}): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  addApiRoutes(app, sandbox);
  for (const path of ["/openapi.json", "/openapi.yaml"]) app.use(path, logRequests(sandbox));
  addOpenApiRoutes(app, sandbox);
  addPageRoutes(app, sandbox);
  app.get("/", leadTo("./_sandbox"));
  app.get("/_sandbox/", leadTo("../_sandbox"));
  const ask = createInProcessFetch(() => app);
  const control = lazily(async () =>
    (await import("./control-app.js")).createControlApp(sandbox, { ...extensions, ask }),
  );
  app.all("/_sandbox/*", async (c) => (await control()).fetch(c.req.raw, c.env));
  app.notFound(async (c) => {
    const refused = c.env?.refused;
    if (refused !== undefined) return answerRefused(sandbox, refused);
    const startedAt = sandbox.system.monotonic();
    const answer = refuseRoute(c, sandbox, "route_not_found", describeUnknownPath(c.req.method, c.req.path));
    if (!isForApi(c)) await logRequest(c, sandbox, startedAt, answer);
    return answer;
  });
  app.onError((error, c) => respond(sandbox, undefined, describeProblem(sandbox, undefined, c.req.path, error)));
  return app;
}

/** Requests to a sandbox of this process. */
export function fetchTo(sandbox: Sandbox): (request: Request) => Promise<Response> {
  const app = createApp(sandbox);
  return createInProcessFetch(() => app);
}

/** Calls `make` when the result is first needed, and again only if that failed: a module cannot be read while no file descriptor is free. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Redirects people to a page. Programs get the 404 of the contract. */
function leadTo(page: string): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (!wantsPage(c)) return next();
    c.header("vary", "accept");
    return c.redirect(page + new URL(c.req.url).search, 302);
  };
}
