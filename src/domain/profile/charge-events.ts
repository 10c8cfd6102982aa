import * as z from "zod";
import type { ChargeEvent } from "./profile.js";
import { listing, oneOf, sentence, suggestion } from "./setting-schemas.js";

/** The changes of a charge that a webhook can tell about, in the order of a charge's life. */
export const CHARGE_EVENTS = [
  "paid",
  "dropped",
  "refunded",
  "refunded_partially",
] as const satisfies readonly ChargeEvent[];

/** A list of them, text with commas between, or `none`; the output names each once. */
export function chargeEvents(): z.ZodType<readonly ChargeEvent[], string | readonly ChargeEvent[]> {
  const expected = `a list of ${listing(CHARGE_EVENTS)}, or such text with commas between`;
  const fromText = z.string({ error: expected }).transform((written, context): readonly ChargeEvent[] => {
    if (written.trim() === "none") return [];
    const names = written.split(",").map((name) => name.trim());
    for (const name of names) {
      if (!isChargeEvent(name)) return sentence(context, notAnEvent(name));
    }
    return unique(names.filter(isChargeEvent));
  });
  const fromList = z.array(oneOf(...CHARGE_EVENTS), { error: expected }).transform(unique);
  return z.union([fromText, fromList], { error: expected });
}

function isChargeEvent(name: string): name is ChargeEvent {
  return CHARGE_EVENTS.some((event) => event === name);
}

function notAnEvent(name: string): string {
  const given = JSON.stringify(name.slice(0, 60));
  return `${given} is not one of ${CHARGE_EVENTS.join(", ")}${suggestion(name, CHARGE_EVENTS)}`;
}

function unique(events: readonly ChargeEvent[]): readonly ChargeEvent[] {
  return [...new Set(events)];
}
