import type { Sandbox } from "../../../sandbox/sandbox.js";
import { answerJson } from "../../api/answer.js";
import { refuseRoute } from "../../api/refuse-route.js";
import type { HttpContext } from "../../shared/env.js";
import { findStanding, timeLeft, versionOf } from "./standing.js";

/** GET /checkout/:chargeId/status, for the page's script: whether the page has become another, and how the time runs. */
export async function tellStatus(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const standing = await findStanding(c, sandbox);
  if (standing === undefined) return refuseRoute(c, sandbox, "route_not_found", `There is no charge at ${c.req.path}`);
  const { company } = standing;
  const body = {
    version: versionOf(standing),
    leftMs: timeLeft(standing),
    isRunning: company.clock.mode === "running" && !company.clock.pinned,
  };
  return answerJson(sandbox, company, 200, body, { "cache-control": "no-store" });
}
