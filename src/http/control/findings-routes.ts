import { parseRequest } from "../../contract/parse.js";
import { pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";

const findingsQuery = listQuery({});

/** "What is seen is judged": `{kind, severity, why, fix, requests: [{id, method, path, summary}]}`, oldest first. */
export const findingsRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/findings",
    company: "selected",
    query: pagingParameters,
    handle: ({ sandbox, company, query }) => {
      const { findings } = sandbox.observationOf(company.id);
      return listOf(findings.rows, parseRequest(findingsQuery, query, "query"), {}, ({ finding }) => finding);
    },
  },
];
