import { parseRequest } from "../../contract/parse.js";
import { toIso } from "../../kernel/instant.js";
import type { Snapshot } from "../../sandbox/state/company-record.js";
import { readSnapshot, removeSnapshot, saveSnapshot } from "../../sandbox/state/snapshots.js";
import { noBody, pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";

const query = listQuery({});

/** "save · restore · read · remove": states that the sandbox keeps for its user, each under a name. A company has its own. */
export const snapshotsRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/snapshots",
    company: "selected",
    query: pagingParameters,
    handle: ({ company, query: given }) =>
      listOf(company.record.snapshots, parseRequest(query, given, "query"), {}, renderSnapshot),
  },
  {
    method: "POST",
    path: "/snapshots/:id",
    company: "selected",
    success: 201,
    takes: "json",
    handle: ({ company, id, body }) => {
      parseRequest(noBody, body);
      return renderSnapshot(saveSnapshot(company, id));
    },
  },
  {
    method: "PUT",
    path: "/snapshots/:id",
    company: "selected",
    takes: "json",
    handle: ({ sandbox, company, id, body, gate }) => {
      parseRequest(noBody, body);
      return sandbox.putState(company, readSnapshot(company, id), gate);
    },
  },
  {
    method: "GET",
    path: "/snapshots/:id",
    company: "selected",
    handle: ({ company, id }) => readSnapshot(company, id),
  },
  {
    method: "DELETE",
    path: "/snapshots/:id",
    company: "selected",
    success: 204,
    handle: ({ company, id }) => removeSnapshot(company, id),
  },
];

/** `savedAt` is real time, `now` the company's, `size` the bytes of the state as JSON. */
function renderSnapshot({ id, savedAt, now, bytes }: Snapshot) {
  return { name: id, savedAt: toIso(savedAt), now: toIso(now), size: bytes };
}
