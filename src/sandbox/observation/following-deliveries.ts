import type { World } from "../../domain/model/work.js";
import type { Journal, JournalEntry } from "./journal.js";

/**
 * The ids of the deliveries that followed each of these requests, in the order in which they came to be owed: those of its own work, then those of
 * the charges and transactions that it made, as far as no other request's work owed them: what time brought, what was done by hand.
 */
export function followingDeliveries(
  { deliveries }: Pick<World, "deliveries">,
  { entries }: Pick<Journal, "entries">,
  of: readonly JournalEntry[],
): (entry: JournalEntry) => readonly string[] {
  const created = new Set(of.flatMap((entry) => entry.created));
  const later = new Map<string, string[]>();
  if (created.size > 0) {
    const owed = new Set(entries.values().flatMap((entry) => entry.owed));
    for (const { id, resource } of deliveries.values()) {
      if (!created.has(resource) || owed.has(id)) continue;
      const ids = later.get(resource) ?? [];
      ids.push(id);
      later.set(resource, ids);
    }
  }
  return (entry) => [...entry.owed, ...entry.created.flatMap((id) => later.get(id) ?? [])];
}
