import type { Identity } from "../state/company-record.js";
import { chain, createRedactor, type Guarded, type Redactor, redactorOf, textsOf } from "./redact.js";

/** A redactor of some of the secrets. */
interface Part {
  readonly texts: readonly string[];
  readonly redactor: Redactor;
}

/** Secrets that are known though nobody has them any more, before all is made anew. */
const STALE_MAX = 20_000;

/**
 * As `redactorOf`, for many lines over a long time: always of the credentials as they are. One of thousands of companies takes a tenth of a second to make, so
 * new secrets have a part of their own, which is joined with others once those are no larger: each secret is gone through a few times in all.
 */
export function createLineRedactor(guarded: Guarded): () => Redactor {
  const seen = new WeakSet<Identity>();
  let known = new Set<string>();
  let parts: Part[] = [{ texts: [], redactor: createRedactor([]) }];
  let retirements = -1;
  let current: Redactor | undefined;

  const beginAnew = (): void => {
    const texts = [...guarded.companies.flatMap(({ record }) => textsOf(record.identity)), ...guarded.retired.texts];
    known = new Set(texts);
    parts = [{ texts, redactor: redactorOf(guarded) }];
  };
  const learn = (fresh: readonly string[]): void => {
    let texts = fresh;
    while (parts.length > 1 && (parts.at(-1)?.texts.length ?? 0) <= texts.length)
      texts = [...(parts.pop()?.texts ?? []), ...texts];
    parts.push({ texts, redactor: createRedactor(texts) });
    for (const text of fresh) known.add(text);
  };
  return () => {
    const unseen = guarded.companies.map(({ record }) => record.identity).filter((identity) => !seen.has(identity));
    if (current !== undefined && unseen.length === 0 && guarded.retired.count === retirements) return current;
    for (const identity of unseen) seen.add(identity);
    // Whoever came and went between two lines is among those that are retired.
    const retired = guarded.retired.count === retirements ? [] : [...guarded.retired.texts];
    retirements = guarded.retired.count;
    const fresh = [...unseen.flatMap(textsOf), ...retired].filter((text) => !known.has(text));
    if (current === undefined || known.size > STALE_MAX) beginAnew();
    else if (fresh.length > 0) learn([...new Set(fresh)]);
    current = parts.map(({ redactor }) => redactor).reduce(chain);
    return current;
  };
}
