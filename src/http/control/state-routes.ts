import type { JsonBounds } from "../../kernel/json.js";
import { dumpState } from "../../sandbox/state/state.js";
import { JSON_BOUNDS } from "../shared/read-body.js";
import type { ControlRoute } from "./control-route.js";

/** A state holds every record of a company, which is more than a request ever has to say. */
const STATE_BYTES_MAX = 256 * 1024 * 1024;

/** As many members as fit in. The body that a rule answers with stands some levels deeper in a state than in the request that made the rule. */
const STATE_BOUNDS: JsonBounds = { depth: JSON_BOUNDS.depth + 10, members: Number.MAX_SAFE_INTEGER };

/** "the company's whole state out · in", also from another process and into another company. */
export const stateRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/state", company: "selected", handle: ({ company }) => dumpState(company) },
  {
    method: "PUT",
    path: "/state",
    company: "selected",
    takes: "json",
    bodyLimit: STATE_BYTES_MAX,
    bounds: STATE_BOUNDS,
    handle: ({ sandbox, company, body, gate }) => sandbox.putState(company, body, gate),
  },
];
