import * as z from "zod";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { toIso } from "../../kernel/time/instant.js";
import type { JsonBounds } from "../../kernel/messages/json.js";
import { VERSION } from "../../kernel/version.js";
import type { Snapshot } from "../../sandbox/state/company-record.js";
import { readSnapshot, removeSnapshot, saveSnapshot } from "../../sandbox/state/snapshots.js";
import { JSON_BOUNDS } from "../shared/read-body.js";
import { type ControlRoute, listRoute, noBody, pageQuery, route, sandboxRoute } from "./control-route.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX, assertStateFits, dumpState } from "../../sandbox/state/state.js";

/**
 * A state may have any number of members, and is deeper than a request: the body that a rule answers with is nested some levels deeper in a state
 * than in the request that made the rule.
 */
export const STATE_BOUNDS: JsonBounds = {
  depth: JSON_BOUNDS.depth + 10,
  members: Number.MAX_SAFE_INTEGER,
  valueBytes: STATE_VALUE_BYTES_MAX,
};

/**
 * Calls about the sandbox as a whole; about a company's whole state, also from another process and into another company; and about snapshots: states
 * that the sandbox keeps for its user, each under a name.
 */
export const stateRoutes: readonly ControlRoute[] = [
  // The calls of /health need no token.
  sandboxRoute("GET /health", { access: "anyone" }, ({ sandbox }) => ({
    status: "ok",
    version: VERSION,
    uptimeMs: Math.round(sandbox.system.monotonic() - sandbox.startedAt),
  })),
  sandboxRoute("GET /health/live", { access: "anyone" }, () => ({ status: "ok" })),
  sandboxRoute("GET /health/ready", { access: "anyone" }, ({ sandbox, refuse }) => {
    if (!sandbox.isStopping && !sandbox.store.lost.aborted) return { status: "ok" };
    return refuse({ status: 503, messages: ["The sandbox stops: send requests elsewhere"] });
  }),
  sandboxRoute("GET /metrics", {}, ({ sandbox }) => {
    const headers = { "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8" };
    return new Response(sandbox.metrics.render(sandbox), { headers });
  }),
  sandboxRoute("POST /reset", { company: "all", body: noBody }, ({ sandbox, company }) => {
    if (company !== undefined) return { reset: [sandbox.reset(company).id] };
    sandbox.resetAll();
    return { reset: sandbox.companies.map(({ id }) => id) };
  }),
  route("POST /sign", { takesBytes: true }, ({ bytes, company: { profile, record } }) => ({
    header: profile.webhooks.signatureHeader,
    signature: signBody(bytes, record.identity.secretKey),
  })),
  route("GET /state", {}, ({ company }) => {
    assertStateFits(company.record, "Failed to write the state");
    return dumpState(company);
  }),
  route(
    "PUT /state",
    { body: z.unknown(), bodyLimit: STATE_BYTES_MAX, bounds: STATE_BOUNDS },
    ({ sandbox, company, body, gate }) => sandbox.putState(company, body, gate),
  ),
  listRoute("/snapshots", pageQuery, ({ company }) => ({ rows: company.record.snapshots, render: renderSnapshot })),
  route("POST /snapshots/:id", { success: 201, body: noBody }, ({ company, id }) =>
    renderSnapshot(saveSnapshot(company, id)),
  ),
  route("PUT /snapshots/:id", { body: noBody }, ({ sandbox, company, id, gate }) =>
    sandbox.putState(company, readSnapshot(company, id), gate),
  ),
  route("GET /snapshots/:id", {}, ({ company, id }) => readSnapshot(company, id)),
  route("DELETE /snapshots/:id", {}, ({ company, id }) => removeSnapshot(company, id)),
];

/** `savedAt` is real time, `now` the company's time, `size` the bytes of the state as JSON. */
function renderSnapshot({ id, savedAt, now, bytes }: Snapshot) {
  return { name: id, savedAt: toIso(savedAt), now: toIso(now), size: bytes };
}
