import type { Hono } from "hono";
import type { HttpContext, HttpEnv } from "../../shared/env.js";
import type { DashboardDeps } from "./create-dashboard.js";

/** The dashboard's paths, in an app whose base path is `/_sandbox`. The dashboard is loaded by the first request for one of its pages. */
export function addDashboardRoutes(app: Hono<HttpEnv>, deps: DashboardDeps): void {
  const load = async () => (await import("./create-dashboard.js")).createDashboard(deps);
  let loaded: ReturnType<typeof load> | undefined;
  const answer = async (c: HttpContext): Promise<Response> => {
    const dashboard = await (loaded ??= load());
    return dashboard.fetch(c.req.raw, c.env);
  };
  app.get("/", answer);
  app.on(["GET", "POST"], ["/dashboard", "/dashboard/*"], answer);
}
