import { Low, Memory } from "lowdb";
import type { Store, StoredSandbox } from "./store.js";

/** lowdb over its memory adapter: nothing outlives the process, and nothing has to be waited for. */
export function createMemoryStore<Company>(): Store<Company> {
  // A default of its own for each store: lowdb shares the object it is given.
  const low = new Low<StoredSandbox<Company>>(new Memory(), { schemaVersion: 1, companies: new Map() });
  return { data: low.data, durable: () => undefined };
}
