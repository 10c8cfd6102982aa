import type { Recorded, RecordedRequest } from "./recording.js";

export interface KnownId {
  /** Of the variable. */
  readonly name: string;
  /** Where the answer showed it. */
  readonly path: string;
  readonly source: RecordedRequest;
}

/** Identifier → where it came from. */
export type KnownIds = Map<string, KnownId>;

/** `txn_<uuid>` is also found as the plain UUID. */
const PREFIX = /^(?:txn|bat)_/;

/** The value with every known identifier in its texts replaced by its variable, and every `${` of its own kept as it is. */
export function substitute(value: unknown, ids: KnownIds): unknown {
  if (typeof value === "string") return substituteText(value, ids);
  if (Array.isArray(value)) return value.map((element) => substitute(element, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, substitute(member, ids)]));
}

function substituteText(text: string, ids: KnownIds): string {
  if (text === OWN_RECEIVER) return text;
  // Functions, since `$` means something in the text of a replacement.
  let result = text.replaceAll("${", () => "$${");
  for (const [id, { name }] of ids) result = result.replaceAll(id, () => `\${${name}}`);
  return result;
}

/** The one text that the recorder itself writes as a variable. */
const OWN_RECEIVER = "${receiver}";

/** The variables that something later refers to: only those are saved. */
export function usedNames(recorded: readonly Recorded[], ids: KnownIds): ReadonlySet<string> {
  const used = new Set<string>();
  const texts = recorded.map((item) =>
    item.kind === "request" ? JSON.stringify([item.path, item.body]) : JSON.stringify(item.data),
  );
  for (const [id, { name, source }] of ids) {
    const from = recorded.indexOf(source) + 1;
    const plain = id.replace(PREFIX, "");
    if (texts.slice(from).some((text) => text.includes(id) || text.includes(plain))) used.add(name);
  }
  return used;
}
