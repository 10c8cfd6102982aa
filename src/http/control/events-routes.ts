import * as z from "zod";
import { parseRequest } from "../../contract/parse.js";
import type { DomainEvent } from "../../domain/model/events.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import type { Company } from "../../sandbox/company/company.js";
import { pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";
import { renderEvent } from "./render-control.js";

const eventsQuery = listQuery({ after: z.string().optional() });

/** "domain events, in order: {id, at, type, resource, data}". `after` is the id of the last one that was seen; empty: from the first. */
export const eventsRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/events",
    company: "selected",
    query: [...pagingParameters, "after"],
    handle: ({ company, query }) => {
      const { after = "", ...page } = parseRequest(eventsQuery, query, "query");
      const seen = after === "" ? 0 : getEvent(company, after).seq;
      const where = (event: DomainEvent): boolean => event.seq > seen;
      return listOf(company.world.events, page, { where }, (event) => renderEvent(event, company.profile));
    },
  },
];

function getEvent({ world: { events }, deps }: Company, id: string): DomainEvent {
  const found = events.get(id) ?? events.get(`evt_${id}`);
  if (found !== undefined) return found;
  const kept = `The last ${deps.limits.events} are kept; without after they come from the first`;
  throw new UsageError("not-found", `No event has the id ${quote(id)}. ${kept}.`);
}
