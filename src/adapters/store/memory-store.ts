import { Low, Memory } from "lowdb";
import type { Store } from "./store.js";

/** lowdb over its memory adapter: nothing outlives the process, and nothing has to be waited for. */
export function createMemoryStore<Data>(data: Data): Store<Data> {
  const low = new Low<Data>(new Memory(), data);
  return {
    data: low.data,
    keeps: false,
    position: 0,
    note: () => undefined,
    durable: () => undefined,
    writable: () => undefined,
    close: async () => undefined,
  };
}
