import { Hono } from "hono";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { AppExtensions } from "../app-extensions.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import { addDashboardRoutes } from "../pages/dashboard/dashboard-routes.js";
import { dropBodyOfHead } from "../shared/drop-body-of-head.js";
import { logRequests } from "../shared/log-request.js";
import { answerRefusal } from "./answer-control.js";
import { clockRoutes } from "./clock-routes.js";
import { companiesRoutes } from "./companies-routes.js";
import { createControlEndpoint } from "./control-endpoint.js";
import type { ControlRoute } from "./control-route.js";
import { coverageRoutes } from "./coverage-routes.js";
import { customersRoutes } from "./customers-routes.js";
import { deliveriesRoutes } from "./deliveries-routes.js";
import { eventsRoutes } from "./events-routes.js";
import { findingsRoutes } from "./findings-routes.js";
import { refuseForgery, requireAdminToken } from "./guards.js";
import { moneyRoutes } from "./money-routes.js";
import { paymentsRoutes } from "./payments-routes.js";
import { profileRoutes } from "./profile-routes.js";
import { requestsRoutes } from "./requests-routes.js";
import { rulesRoutes } from "./rules-routes.js";
import { sandboxRoutes } from "./sandbox-routes.js";
import { scenarioRoutes } from "./scenario-routes.js";
import { snapshotsRoutes } from "./snapshots-routes.js";
import { stateRoutes } from "./state-routes.js";
import { streamRoutes } from "./stream-routes.js";

const ownRoutes: readonly ControlRoute[] = [
  ...sandboxRoutes,
  ...companiesRoutes,
  ...clockRoutes,
  ...stateRoutes,
  ...snapshotsRoutes,
  ...moneyRoutes,
  ...customersRoutes,
  ...paymentsRoutes,
  ...eventsRoutes,
  ...deliveriesRoutes,
  ...requestsRoutes,
  ...findingsRoutes,
  ...coverageRoutes,
  ...profileRoutes,
  ...rulesRoutes,
];

/**
 * The control API, for whoever drives the sandbox: JSON in and out, "wrong input is 400, a wrong state 422", and always the error body in its full
 * shape, whatever `errors.shape` makes the API under test answer.
 *
 * The way of every call: forgeries (403), the dashboard's pages, admin token (401), path (404) and method (405), then as `createControlEndpoint` says.
 */
export function createControlApp(sandbox: Sandbox, { replayer, auditor }: AppExtensions = {}): Hono<HttpEnv> {
  const routes = [...ownRoutes, ...streamRoutes(), ...scenarioRoutes(replayer)];
  const app = new Hono<HttpEnv>().basePath("/_sandbox");
  app.use("*", dropBodyOfHead);
  app.use("*", logRequests(sandbox));
  app.use("*", refuseForgery(sandbox));
  addDashboardRoutes(app, { sandbox, ask: async (request) => app.fetch(request), scenarios: replayer, auditor });
  app.use("*", requireAdminToken(sandbox));
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path);
    for (const route of own) app.on(route.method, path, createControlEndpoint(sandbox, route));
    app.all(path, methodNotAllowed(sandbox, own));
  }
  app.all("*", notFound(sandbox));
  return app;
}

function methodNotAllowed(sandbox: Sandbox, own: readonly ControlRoute[]) {
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
