import * as z from "zod";
import { parseRequest } from "../../contract/parse.js";
import { redactCoverage, renderCoverageMarkdown } from "../../sandbox/observation/render-coverage.js";
import { respond } from "../api/answer.js";
import { makeReady, selectCompany } from "./control-endpoint.js";
import { word } from "./control-fields.js";
import type { ControlRoute } from "./control-route.js";

const coverageQuery = z.object({ format: word(["json", "md"]).default("json") });

/** What the client under test met of the contract and what it never met. `?company=*`: all companies' clients together. */
export const coverageRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/coverage",
    company: "none",
    query: ["format"],
    async handle({ sandbox, companyId, query }) {
      const { format } = parseRequest(coverageQuery, query, "query");
      const company = companyId === "*" ? undefined : selectCompany(sandbox, companyId);
      for (const one of company === undefined ? sandbox.companies : [company]) await makeReady(one);
      const { coverage: book } = sandbox;
      const seen = company === undefined ? book.ofAll(sandbox.companies) : book.of(company);
      const coverage = redactCoverage(seen, sandbox.redactor);
      if (format === "json") return coverage;
      const headers = { "content-type": "text/markdown; charset=utf-8" };
      return respond(sandbox, company, {
        status: 200,
        body: undefined,
        text: renderCoverageMarkdown(coverage),
        headers,
      });
    },
  },
];
