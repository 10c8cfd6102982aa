import type { AuditEvent } from "../wire/check.js";
import { familyOf, type Step, stepOf } from "../wire/events.js";
import { openOrder, type OrderOptions } from "./orders.js";

/** The most events that one check on the wire needs. */
const READY = 4;

/**
 * Events of orders that the application knows, for the checks on the wire: it may answer 404 to events of other orders. Undefined when neither a command nor
 * a sandbox makes orders. `isShared` gives the same event each time, which is enough for requests that must be refused anyway.
 */
export function createKnownEvents(options: OrderOptions) {
  if (options.order === undefined && options.sandbox === undefined) return undefined;
  const ready: AuditEvent[] = [];
  const makeOf = async (step: Step) => ({ step, order: await openOrder(options, "first", familyOf(step), [step]) });
  const make = async (): Promise<AuditEvent> => {
    const { topic, prints } = options;
    // Whether the command makes charges or transfers is known only once it has made an order.
    const first = prints.family === undefined ? await makeOf(stepOf(topic ?? "")) : undefined;
    const step = topic === undefined && prints.family === "transfer" ? "completed" : stepOf(topic ?? "");
    const order = first?.step === step ? first.order : (await makeOf(step)).order;
    const text = await order.bodyOf({ step, subscription: 1 });
    return { text, value: JSON.parse(text) };
  };
  return async (isShared: boolean): Promise<() => AuditEvent> => {
    while (ready.length < READY) ready.push(await make());
    const [first] = ready;
    if (isShared && first !== undefined) return () => first;
    return () => {
      const next = ready.length > 1 ? ready.shift() : ready[0];
      if (next === undefined) throw new TypeError("There is no event.");
      return next;
    };
  };
}
