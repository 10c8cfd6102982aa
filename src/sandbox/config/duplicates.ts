import type { Source, SourcePath } from "../../adapters/files/source.js";
import { isMsisdn, msisdnKey } from "../../domain/values/msisdn.js";
import { isObject } from "../../kernel/messages/json.js";
import type { FileProblems } from "./file-problems.js";
import { identityOf } from "./config-schema.js";
import { isSecretPlace, quote } from "../../kernel/messages/text.js";

interface Place {
  readonly source: Source;
  readonly path: SourcePath;
  readonly value: unknown;
}

interface Claim extends Place {
  readonly name: string;
}

interface UniqueRecord {
  readonly name: string;
  readonly list: string;
  readonly key: string;
  readonly normalise?: (written: string) => string;
  /** A company's own record replaces a shared one. */
  readonly mayRepeatShared?: true;
}

const uniqueRecords: readonly UniqueRecord[] = [
  { name: "externalId", list: "charges", key: "externalId" },
  { name: "id", list: "charges", key: "id" },
  { name: "reference", list: "transactions", key: "reference" },
  { name: "id", list: "transactions", key: "id", normalise: (id) => id.replace(/^txn_/, "").toLowerCase() },
  {
    name: "msisdn",
    list: "customers",
    key: "msisdn",
    normalise: (msisdn) => (isMsisdn(msisdn) ? msisdnKey(msisdn) : msisdn),
    mayRepeatShared: true,
  },
];

/**
 * Reports names that occur twice: names of companies and tokens in all files together, names of records in the lists of a company and the shared lists.
 * Reads the raw values, so that it finds them whatever else is wrong.
 */
export function findDuplicates(sources: readonly Source[], problems: FileProblems): void {
  const files = sources.map((source): Place => ({ source, path: [], value: source.value }));
  const companies = files.flatMap((file) => placesAt(file, "companies", "*"));
  report(
    problems,
    "companyId",
    companies.flatMap((company) => claimsOf(placesAt(company, "companyId"))),
  );
  report(problems, "access token", withoutRepeatedIds(companies).flatMap(claimTokens));
  for (const { name, list, key, normalise, mayRepeatShared } of uniqueRecords) {
    const claims = (place: Place): Claim[] => claimsOf(placesAt(place, list, "*", key), normalise);
    const shared = files.flatMap(claims);
    report(problems, name, shared);
    for (const company of companies) report(problems, name, claims(company), mayRepeatShared === true ? [] : shared);
  }
}

/** Reports every claim of a name that was claimed before, or is in `taken`. */
function report(problems: FileProblems, what: string, claims: readonly Claim[], taken: readonly Claim[] = []): void {
  const first = new Map<string, Claim>();
  for (const claim of taken) if (!first.has(claim.name)) first.set(claim.name, claim);
  for (const claim of claims) {
    const earlier = first.get(claim.name);
    if (earlier === undefined) first.set(claim.name, claim);
    else {
      const { file, line, column } = earlier.source.positionOf(earlier.path);
      const where = earlier.source === claim.source ? `line ${line}` : `${file}:${line}:${column}`;
      const subject = isSecretPlace(claim.path) ? what : `${what} ${quote(claim.name)}`;
      problems.add(claim.source, claim.path, `The ${subject} is taken: ${where} has it`);
    }
  }
}

/** The values at a path of keys, where `*` stands for every item of a list. */
function placesAt(place: Place, ...steps: readonly string[]): Place[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [place];
  const { source, path, value } = place;
  if (step === "*") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => placesAt({ source, path: [...path, index], value: item }, ...rest));
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return [];
  return placesAt({ source, path: [...path, step], value: value[step] }, ...rest);
}

function claimsOf(places: readonly Place[], normalise = (written: string): string => written): Claim[] {
  return places.flatMap((place) =>
    typeof place.value === "string" ? [{ ...place, name: normalise(place.value) }] : [],
  );
}

/** Leaves out companies whose id occurred before: they repeat the token too, which needs no message of its own. */
function withoutRepeatedIds(companies: readonly Place[]): Place[] {
  const ids = new Set<string>();
  return companies.filter((company) => {
    const [claim] = claimsOf(placesAt(company, "companyId"));
    if (claim === undefined) return true;
    const isRepeated = ids.has(claim.name);
    ids.add(claim.name);
    return !isRepeated;
  });
}

/** The tokens that a company names, or the one that follows from its id. */
function claimTokens(company: Place): Claim[] {
  const named = [...placesAt(company, "accessToken"), ...placesAt(company, "accessTokens")];
  if (named.length === 0)
    return claimsOf(placesAt(company, "companyId"), (id) => identityOf(id).tokens[0]?.token ?? id);
  const entries = named.flatMap((place) => (Array.isArray(place.value) ? placesAt(place, "*") : [place]));
  return entries.flatMap((entry) => [...claimsOf([entry]), ...claimsOf(placesAt(entry, "token"))]);
}
