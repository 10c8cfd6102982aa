import { isObject } from "../../kernel/messages/json.js";
import { REDACTED } from "../../sandbox/observation/redact.js";
import type { Entry } from "./entry.js";
import { groupBy } from "../../kernel/collections.js";
import { idInPath, idsIn } from "./resources.js";

/** The entries of each company, and those whose company is not known. */
export interface Companies<Item> {
  readonly groups: readonly (readonly Item[])[];
  readonly unnamed: readonly Item[];
}

/** Groups by the access token when it is not hidden, else by `X-Company-Id`, else by the charge, transfer or subscription that an entry is about. */
export function groupByCompany<Item extends { readonly entry: Entry }>(items: readonly Item[]): Companies<Item> {
  const named = namedCompanies(items.map(({ entry }) => entry));
  const companies = [...new Set(named.values())];
  if (companies.length < 2) return { groups: [items], unnamed: [] };
  const owners = new Map<string, string>();
  for (const [entry, company] of named) {
    for (const key of resourcesOf(entry)) if (!owners.has(key)) owners.set(key, company);
  }
  const companyOf = (entry: Entry): string | undefined =>
    named.get(entry) ?? owners.get(resourcesOf(entry).find((key) => owners.has(key)) ?? "");
  const byCompany = groupBy(items, ({ entry }) => companyOf(entry));
  return { groups: companies.map((company) => byCompany.get(company) ?? []), unnamed: byCompany.get(undefined) ?? [] };
}

/** The company of each request that names one: the id with which it succeeded, or the token. */
function namedCompanies(entries: readonly Entry[]): Map<Entry, string> {
  const ids = new Set<string>();
  const byToken = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "webhook" || entry.companyId === undefined || (entry.answer?.status ?? 500) >= 300) continue;
    const { companyId: id } = entry;
    ids.add(id);
    const token = tokenOf(entry);
    if (token !== undefined && !byToken.has(token)) byToken.set(token, id);
  }
  const named = entries.flatMap((entry): [Entry, string][] => {
    if (entry.kind === "webhook") return [];
    const token = tokenOf(entry);
    const { companyId: id } = entry;
    if (token !== undefined) return [[entry, byToken.get(token) ?? token]];
    return id !== undefined && ids.has(id) ? [[entry, id]] : [];
  });
  return new Map(named);
}

/** The access token; undefined when it is hidden, or the service does not know it. */
function tokenOf(entry: Entry): string | undefined {
  if (entry.kind === "webhook" || entry.answer?.status === 401) return undefined;
  return entry.authorization?.includes(REDACTED) === true ? undefined : entry.authorization;
}

/** The ids of what an entry is about, and the URL of a webhook or a new subscription. */
function resourcesOf(entry: Entry): string[] {
  if (entry.kind === "webhook") return [...idsIn(entry.body["data"]), entry.url];
  const body = entry.answer?.body;
  const url = entry.operation === "createWebhook" && isObject(body) ? String(body["url"]) : undefined;
  const named = [idInPath(entry.path), ...idsIn(body), url];
  return named.filter((name) => name !== undefined);
}
