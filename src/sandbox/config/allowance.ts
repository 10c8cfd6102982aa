import * as z from "zod";
import { nearest } from "../../kernel/messages/suggest.js";
import { type Finding, findingKinds } from "../findings/finding.js";

/** An entry of an allow-list, for deliberate negative tests: KIND, or KIND:RESOURCE for findings that name the resource. */
export const allowance = z
  .string({ error: "must be KIND or KIND:RESOURCE, a kind of finding" })
  .refine((entry) => Object.hasOwn(findingKinds, kindIn(entry)) && !entry.endsWith(":"), {
    error: ({ input }) => {
      const meant = nearest(kindIn(String(input)), Object.keys(findingKinds));
      const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
      return `must be KIND or KIND:RESOURCE, with a kind of finding such as double-payout${hint}`;
    },
  });

export function isAllowed(finding: Finding, allowances: readonly string[]): boolean {
  return allowances.some((entry) => {
    const kind = kindIn(entry);
    if (kind !== finding.kind) return false;
    return entry === kind || namesResource(finding, entry.slice(kind.length + 1));
  });
}

/** The entries that match none of these findings. */
export function unmatched(allowances: readonly string[], findings: readonly Finding[]): readonly string[] {
  return allowances.filter((entry) => !findings.some((finding) => isAllowed(finding, [entry])));
}

function kindIn(entry: string): string {
  return entry.split(":", 1)[0] ?? "";
}

/**
 * Whether the requests of the finding have the id, reference, externalId or number as a whole word. The URL of a receiver is searched for in `why` instead,
 * which has ordinary words too.
 */
function namesResource({ why, requests }: Finding, resource: string): boolean {
  const texts = requests.flatMap(({ path, summary }) => [path, summary]);
  return (/^https?:\/\//.test(resource) ? [why] : texts).some((text) => hasWord(text, resource));
}

function hasWord(text: string, word: string): boolean {
  const parts = text.split(word);
  const ends = /[\p{L}\p{N}_-]$/u;
  const begins = /^[\p{L}\p{N}_-]/u;
  return parts.some((part, at) => at > 0 && !begins.test(part) && !ends.test(parts[at - 1] ?? ""));
}
