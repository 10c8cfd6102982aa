import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { VERSION } from "../../kernel/version.js";
import { selectCompany } from "./control-endpoint.js";
import { noBody } from "./control-fields.js";
import { parseRequest } from "../../contract/parse.js";
import type { ControlRoute } from "./control-route.js";

/** The sandbox as a whole: whether it lives, and back to the start. */
export const sandboxRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/health",
    company: "none",
    handle: ({ sandbox }) => ({
      status: "ok",
      version: VERSION,
      uptimeMs: Math.round(sandbox.system.monotonic() - sandbox.startedAt),
    }),
  },
  {
    method: "POST",
    path: "/reset",
    company: "none",
    takes: "json",
    handle: ({ sandbox, body, companyId }) => {
      parseRequest(noBody, body);
      if (companyId === "*") sandbox.resetAll();
      else sandbox.reset(selectCompany(sandbox, companyId));
      const reset = companyId === "*" ? sandbox.companies : [selectCompany(sandbox, companyId)];
      return { reset: reset.map(({ id }) => id) };
    },
  },
  {
    method: "POST",
    path: "/sign",
    company: "selected",
    takes: "bytes",
    handle: ({ bytes, company: { profile, record } }) => ({
      header: profile.webhooks.signatureHeader,
      signature: signBody(bytes, record.identity.secretKey),
    }),
  },
];
