import { resumeDeliveries } from "../../sandbox/redeliver.js";
import { dumpState } from "../../sandbox/state-dump.js";
import { restoreState } from "../../sandbox/state-restore.js";
import type { ControlRoute } from "./control-route.js";

/** A state holds every record of a company, which is more than a request ever has to say. */
const STATE_BYTES_MAX = 256 * 1024 * 1024;

/** "the company's whole state out · in", also from another process and into another company. */
export const stateRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/state", company: "selected", handle: ({ company }) => dumpState(company) },
  {
    method: "PUT",
    path: "/state",
    company: "selected",
    takes: "json",
    bodyLimit: STATE_BYTES_MAX,
    // An advance that is under way ends with 422: its company's time is another now.
    handle: ({ sandbox, company, body, gate }) => {
      const restored = sandbox.replace(company, restoreState(company, body));
      const answer = dumpState(restored);
      resumeDeliveries(restored, gate);
      return answer;
    },
  },
];
