import { Hono } from "hono";
import { type HttpContext, type HttpEnv, dropBodyOfHead } from "../shared/env.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { createDashboard } from "../pages/dashboard/create-dashboard.js";
import { logRequests } from "../shared/log-request.js";
import { describeProblem, respond } from "../api/answer.js";
import { type ScenarioReplayer, behaviourRoutes, scenarioRoutes } from "../control/behaviour-routes.js";
import { clockRoutes } from "../control/clock-routes.js";
import { companiesRoutes } from "../control/companies-routes.js";
import { deliveriesRoutes } from "../control/deliveries-routes.js";
import { observationRoutes } from "../control/observation-routes.js";
import { paymentsRoutes } from "../control/payments-routes.js";
import { stateRoutes } from "../control/state-routes.js";
import { streamRoutes } from "../control/stream-routes.js";
import { answerRefusal, createControlEndpoint } from "../control/control-endpoint.js";
import type { ControlRoute } from "../control/control-route.js";
import { Guesses } from "../shared/guesses.js";
import { refuseForgery, requireAdminToken } from "../control/guards.js";

/** What the sandbox can do in addition: its caller supplies it, because scenarios are a ring beside this one. */
export interface AppExtensions {
  readonly replayer?: ScenarioReplayer;
}

/** Of pages and what they load, which are read. */
const NOT_OF_PAGES = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const ownRoutes: readonly ControlRoute[] = [
  ...companiesRoutes,
  ...clockRoutes,
  ...stateRoutes,
  ...paymentsRoutes,
  ...deliveriesRoutes,
  ...observationRoutes,
  ...behaviourRoutes,
];

/**
 * The control API, which drives the sandbox: JSON in and out, "wrong input is 400, a wrong state 422", and always the error body in its full
 * shape, whatever `errors.shape` makes the API under test answer.
 *
 * The order: forgeries (403), the dashboard's pages, admin token (401), path (404), method (405), then `createControlEndpoint`.
 */
export function createControlApp(sandbox: Sandbox, { replayer }: AppExtensions = {}): Hono<HttpEnv> {
  const routes = [...ownRoutes, ...streamRoutes(), ...scenarioRoutes(replayer)];
  const app = new Hono<HttpEnv>().basePath("/_sandbox");
  app.use("*", dropBodyOfHead);
  app.use("*", logRequests(sandbox));
  app.use("*", refuseForgery(sandbox));
  const guesses = new Guesses(sandbox.system);
  const ask = async (request: Request): Promise<Response> => app.fetch(request);
  const dashboard = createDashboard({ sandbox, ask, scenarios: replayer, guesses });
  const answerPage = (c: HttpContext): Response | Promise<Response> => dashboard.fetch(c.req.raw, c.env);
  app.get("/", answerPage);
  app.on(["GET", "POST"], ["/dashboard", "/dashboard/*"], answerPage);
  app.use("*", requireAdminToken(sandbox, guesses));
  for (const path of ["/", "/assets/:file"]) app.on(NOT_OF_PAGES, path, methodNotAllowed(sandbox, [{ method: "GET" }]));
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path);
    for (const route of own) app.on(route.method, path, createControlEndpoint(sandbox, route));
    app.all(path, methodNotAllowed(sandbox, own));
  }
  app.all("*", notFound(sandbox));
  app.onError((error, c) => respond(sandbox, undefined, describeProblem(sandbox, undefined, c.req.path, error)));
  return app;
}

function methodNotAllowed(sandbox: Sandbox, own: readonly Pick<ControlRoute, "method">[]) {
  const allow = own.map(({ method }) => method).join(", ");
  return (c: HttpContext): Response => {
    const message = `${c.req.method} is not a method of this path; it has ${allow}`;
    return answerRefusal(sandbox, undefined, c.req.path, { status: 405, messages: [message], headers: { allow } });
  };
}

function notFound(sandbox: Sandbox) {
  return (c: HttpContext): Response => {
    const messages = [`There is no ${c.req.method} ${c.req.path} here`];
    return answerRefusal(sandbox, undefined, c.req.path, { status: 404, messages });
  };
}
