import { toIso } from "../../kernel/time/instant.js";
import { type Mismatch, show } from "../../kernel/matchers.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import { type Redactor, SecretRedactor, redactPath } from "../../sandbox/observation/redact.js";
import { type NearMiss, pathOf, queryOf, statusOf } from "../../sandbox/observation/verify-requests.js";
import { shorten } from "../../kernel/messages/text.js";

/** Longer values and paths are cut: a diff is for reading. */
const SHOWN_CHARACTERS_MAX = 2_000;
/** Further differences are only counted: there may be thousands, each with a path of thousands of characters. */
const DIFFERENCES_MAX = 100;

/** A request and its answer as the journal shows them, without credentials. Absent values are null. */
export function renderRequest(entry: JournalEntry, deliveries: readonly string[], redactor: Redactor) {
  const { id, at, method, operation, headers, body, answer, problem, rule, fault, fate, settings } = entry;
  const own = withOwnToken(redactor, entry);
  const redacted = redactTarget(entry, own);
  return {
    id,
    at: toIso(at),
    method,
    path: pathOf(redacted),
    query: own.value(queryOf(redacted)),
    operation: operation ?? null,
    headers: own.headers(headers),
    body: own.value(body ?? null),
    status: statusOf(entry) ?? null,
    answer: own.value(answer ?? null),
    problem: problem ?? null,
    rule: rule === undefined ? null : { id: rule.id, name: rule.name === null ? null : own.text(rule.name) },
    fault: fault ?? null,
    fate,
    deliveries,
    settings,
  };
}

/** A request that did not match, and why: `diff` is for reading, `differences` for programs. */
export function renderNearMiss({ entry, mismatches }: NearMiss, redactor: Redactor) {
  const own = withOwnToken(redactor, entry);
  const target = redactTarget(entry, own);
  const differences = mismatches
    .slice(0, DIFFERENCES_MAX)
    .map((mismatch) => redactMismatch({ ...mismatch, actual: actualOf(mismatch, target) }, own));
  const left = mismatches.length - differences.length;
  const path = pathOf(target);
  const head = `${entry.id} ${entry.method} ${path}`;
  return {
    id: entry.id,
    method: entry.method,
    path,
    differences,
    diff: [head, ...differences.flatMap(renderDifference), ...(left > 0 ? [`  and ${left} more`] : [])].join("\n"),
  };
}

/** What was compared, of a path or query from the redacted target: a secret may contain the characters that separate parameters. */
function actualOf({ path, actual }: Mismatch, target: Pick<JournalEntry, "path">): unknown {
  if (path === "path") return pathOf(target);
  if (path === "query") return queryOf(target);
  const shown = path.startsWith("query.") ? queryOf(target)[path.slice("query.".length)] : undefined;
  return typeof actual === "string" ? (shown ?? actual) : actual;
}

type Difference = ReturnType<typeof redactMismatch>;

/** An absent value is null, as in a rendered request. */
function redactMismatch({ path, expected, actual }: Mismatch, redactor: Redactor) {
  const { text, value, headers } = redactor;
  // `headers.x` is one header. `headers` alone differs only from a matcher of all headers.
  const [root, name] = path.split(".", 2);
  const shown =
    root === "headers" && name !== undefined && typeof actual === "string" ? headers({ [name]: actual })[name] : actual;
  return {
    path: shorten(text(shorten(path, 2 * SHOWN_CHARACTERS_MAX)), SHOWN_CHARACTERS_MAX),
    expected: text(expected),
    actual: value(shown ?? null),
  };
}

function renderDifference({ path, expected, actual }: Difference): string[] {
  const [wanted, got] = [expected, show(actual)].map((text) => shorten(text, SHOWN_CHARACTERS_MAX));
  return [`  ${path}`, `    - expected ${wanted}`, `    + received ${got}`];
}

/** Redacts the whole path before it is split: a secret may contain the characters that separate the path from the query, or parameters from each other. */
function redactTarget({ path }: JournalEntry, redactor: Redactor): Pick<JournalEntry, "path"> {
  return { path: redactPath(path, redactor) };
}

/** Redacts an unknown token too, because it may be a credential of another deployment. */
export function withOwnToken(redactor: Redactor, { headers, problem }: JournalEntry): Redactor {
  const token = problem === "token_invalid" ? headers["authorization"]?.split(" ").at(-1) : undefined;
  return token === undefined ? redactor : new SecretRedactor([token], undefined, redactor);
}
