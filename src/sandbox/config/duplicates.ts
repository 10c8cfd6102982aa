import type { Source, SourcePath } from "../../adapters/files/source.js";
import { isMsisdn, msisdnKey } from "../../domain/values/msisdn.js";
import { isObject } from "../../kernel/json.js";
import type { FileProblems } from "./file-problems.js";
import { identityOf } from "./config-schema.js";
import { quote } from "../../kernel/text.js";

/** A mapping in a file. */
interface Place {
  readonly source: Source;
  readonly path: SourcePath;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A name that is to be unique, and where it stands. */
interface Claim {
  readonly source: Source;
  readonly path: SourcePath;
  readonly name: string;
}

/**
 * Names that are there twice: of companies and tokens in all files together, of records in a company's own lists and the shared ones. Looks at
 * what is written and passes over what is no text, so that it finds them whatever else is wrong.
 */
export function findDuplicates(sources: readonly Source[], problems: FileProblems): void {
  const files = sources.flatMap((source) => placeAt(source, [], source.value));
  const companies = files.flatMap((file) => membersOf(file, "companies"));
  report(
    problems,
    "companyId",
    companies.flatMap((company) => claimsOf(company, "companyId")),
  );
  report(problems, "access token", withoutRepeatedIds(companies).flatMap(claimTokens));
  for (const { name, list, key, normalise, mayRepeatShared } of uniqueRecords) {
    const claims = (place: Place): Claim[] =>
      membersOf(place, list).flatMap((record) => claimsOf(record, key, normalise));
    const shared = files.flatMap(claims);
    report(problems, name, shared);
    for (const company of companies) report(problems, name, claims(company), mayRepeatShared === true ? [] : shared);
  }
}

interface UniqueRecord {
  readonly name: string;
  readonly list: string;
  readonly key: string;
  readonly normalise?: (written: string) => string;
  /** A company's own record takes the place of a shared one. */
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

/** Reports every claim of a name that was claimed before, or is among those that `taken` claims. */
function report(problems: FileProblems, what: string, claims: readonly Claim[], taken: readonly Claim[] = []): void {
  const first = new Map<string, Claim>();
  for (const claim of taken) if (!first.has(claim.name)) first.set(claim.name, claim);
  for (const claim of claims) {
    const earlier = first.get(claim.name);
    if (earlier === undefined) first.set(claim.name, claim);
    else
      problems.add(
        claim.source,
        claim.path,
        `The ${what} ${quote(claim.name)} is taken: ${whereIs(earlier, claim)} has it`,
      );
  }
}

function whereIs(earlier: Claim, claim: Claim): string {
  const { file, line, column } = earlier.source.positionOf(earlier.path);
  return earlier.source === claim.source ? `line ${line}` : `${file}:${line}:${column}`;
}

function claimsOf(
  { source, path, value }: Place,
  key: string,
  normalise = (written: string): string => written,
): Claim[] {
  const name = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof name === "string" ? [{ source, path: [...path, key], name: normalise(name) }] : [];
}

/** A company that is there twice has its token twice as well, which would be said for nothing. */
function withoutRepeatedIds(companies: readonly Place[]): Place[] {
  const ids = new Set<unknown>();
  return companies.filter(({ value: { companyId } }) => {
    const isRepeated = companyId !== undefined && ids.has(companyId);
    ids.add(companyId);
    return !isRepeated;
  });
}

/** The tokens that a company names, or the one that follows from its id. */
function claimTokens(company: Place): Claim[] {
  const { source, path, value } = company;
  const named = ["accessToken", "accessTokens"].filter((key) => Object.hasOwn(value, key));
  if (named.length === 0) {
    return claimsOf(company, "companyId", (id) => identityOf(id).tokens[0]?.token ?? id);
  }
  return named.flatMap((key) => {
    const given = value[key];
    const entries = Array.isArray(given)
      ? given.map((entry, index) => ({ entry, at: [key, index] }))
      : [{ entry: given, at: [key] }];
    return entries.flatMap(({ entry, at }): Claim[] => {
      const entryPath = [...path, ...at];
      if (typeof entry === "string") return [{ source, path: entryPath, name: entry }];
      return placeAt(source, entryPath, entry).flatMap((dated) => claimsOf(dated, "token"));
    });
  });
}

function membersOf({ source, path, value }: Place, list: string): Place[] {
  const members = Object.hasOwn(value, list) ? value[list] : undefined;
  return Array.isArray(members)
    ? members.flatMap((member, index) => placeAt(source, [...path, list, index], member))
    : [];
}

function placeAt(source: Source, path: SourcePath, value: unknown): Place[] {
  return isObject(value) ? [{ source, path, value }] : [];
}
