import { Hono } from "hono";
import type { Sandbox } from "../sandbox/sandbox.js";
import { answerProblem } from "./api/answer.js";
import { refuseRoute } from "./api/refuse-route.js";
import { addApiRoutes } from "./api/routes.js";
import { addControlRoutes } from "./control-on-demand.js";
import type { ScenarioReplayer } from "./control/scenario-routes.js";
import type { HttpEnv } from "./env.js";
import { logRequest, logRequests } from "./log-request.js";
import { addOpenApiRoutes } from "./openapi-routes.js";
import { answerMalformed } from "./refuse-malformed.js";

/** What the sandbox can do beside its own: put in by who puts it together. */
export interface AppExtensions {
  readonly replayer?: ScenarioReplayer;
}

/** Everything the sandbox answers over HTTP: the API under test, the control API, and 404 in the contract's shape for the rest. */
export function createApp(sandbox: Sandbox, extensions: AppExtensions = {}): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  addApiRoutes(app, sandbox);
  for (const path of ["/openapi.json", "/openapi.yaml"]) app.use(path, logRequests(sandbox));
  addOpenApiRoutes(app, sandbox);
  addControlRoutes(app, sandbox, extensions.replayer);
  app.notFound((c) => {
    const malformed = c.env?.malformed;
    if (malformed !== undefined) return answerMalformed(sandbox, malformed);
    const startedAt = sandbox.system.monotonic();
    const answer = refuseRoute(c, sandbox, "route_not_found", `There is no ${c.req.method} ${c.req.path} here`);
    if (!c.req.path.startsWith("/v1/")) logRequest(c, sandbox, startedAt, answer);
    return answer;
  });
  app.onError((error, c) => answerProblem(sandbox, undefined, c.req.path, error));
  return app;
}
