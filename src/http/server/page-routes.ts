import type { Hono } from "hono";
import type { LostForms } from "../pages/checkout/answer-by-rule.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { methodNotAllowed } from "../api/routes.js";
import { onceStored } from "../shared/company.js";
import { type HttpEnv, closeConnection } from "../shared/env.js";
import { logRequests } from "../shared/log-request.js";

const PAGE = "/checkout/:chargeId";
const STATUS = `${PAGE}/status`;

/** The customer's payment page at `paymentUrl`, and what pages load. As in production, anyone with the link may use it: it needs no token. */
export function addPageRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  const lost: LostForms = new Map();
  for (const path of [PAGE, STATUS]) app.use(path, closeConnection, logRequests(sandbox), onceStored(sandbox));
  app.get(PAGE, async (c) => (await import("../pages/checkout/handlers.js")).showCheckout(c, sandbox));
  app.post(PAGE, async (c) => (await import("../pages/checkout/handlers.js")).takeCheckout(c, sandbox, lost));
  app.get(STATUS, async (c) => (await import("../pages/checkout/handlers.js")).showStatus(c, sandbox));
  app.all(PAGE, methodNotAllowed(sandbox, ["GET", "POST"]));
  app.all(STATUS, methodNotAllowed(sandbox, ["GET"]));
  // For an unknown name the control API answers its 404.
  app.get("/_sandbox/assets/:file", closeConnection, async (c, next) => {
    const { answerAsset } = await import("../pages/shared/assets.js");
    return answerAsset(c) ?? next();
  });
}
