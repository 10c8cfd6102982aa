import { parseRequest } from "../../contract/parse.js";
import { openingRequest, setupOf } from "./open-company.js";
import { pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import { makeReady } from "./control-endpoint.js";
import type { ControlRoute } from "./control-route.js";
import { renderCompany } from "./render-control.js";
import { rotate, rotation } from "./rotate.js";

const query = listQuery({});

/** "One company is one world": which there are, one more, one fewer, and what opens its door. */
export const companiesRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/companies",
    company: "none",
    query: pagingParameters,
    handle: async ({ sandbox, query: given }) => {
      const page = parseRequest(query, given, "query");
      const shown = listOf(sandbox.opened, page, {}, ({ id }) => id);
      const companies = shown.data.flatMap((id) => sandbox.findCompany(id) ?? []);
      await Promise.all(companies.map(makeReady));
      return { ...shown, data: companies.map(renderCompany) };
    },
  },
  {
    method: "POST",
    path: "/companies",
    company: "none",
    success: 201,
    takes: "json",
    handle: ({ sandbox, body }) => {
      const opening = parseRequest(openingRequest(sandbox), body);
      return renderCompany(sandbox.open(setupOf(sandbox, opening)));
    },
  },
  {
    method: "DELETE",
    path: "/companies/:id",
    company: "path",
    success: 204,
    handle: ({ sandbox, company }) => sandbox.remove(company),
  },
  {
    method: "POST",
    path: "/companies/:id/rotate",
    company: "path",
    takes: "json",
    handle: (call) => rotate(call, parseRequest(rotation, call.body)),
  },
];
