import type { Store } from "../../src/adapters/store/store.js";
import type { StoredSandbox } from "../../src/sandbox/state/company-record.js";
import { createStoredSandbox } from "../../src/sandbox/state/store-format.js";
import { gate, type Gate } from "./live.js";

/** A store that a test can hold. While it is held, no answer is sent. */
export interface HeldStore extends Store<StoredSandbox> {
  /** Makes answers wait, in the order of their requests. The returned function releases the n-th. */
  hold(): (index: number) => void;
  /** Resolves once that many answers wait. */
  held(count: number): Promise<void>;
}

export function createHeldStore(): HeldStore {
  let holding = false;
  const gates: Gate[] = [];
  const waiting: (() => void)[] = [];
  return {
    data: createStoredSandbox(),
    position: 0,
    flushes: 0,
    lost: new AbortController().signal,
    note: () => undefined,
    writable: () => undefined,
    close: async () => undefined,
    discard: async () => undefined,
    durable() {
      if (!holding) return undefined;
      const held = gate();
      gates.push(held);
      for (const wake of waiting.splice(0)) wake();
      return held.opened;
    },
    hold() {
      holding = true;
      return (index) => {
        holding = false;
        gates[index]?.open();
      };
    },
    async held(count) {
      while (gates.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
