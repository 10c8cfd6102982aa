import { quote } from "../../kernel/quote.js";
import type { EventType } from "../events.js";
import { refuse } from "../problem-codes.js";
import type { Work } from "../work.js";
import type { Charge } from "./charge.js";

/** GET /v1/charges/:id. 404: "Charge not found." */
export function getCharge(work: Pick<Work, "world">, id: string): Charge {
  return work.world.charges.get(id) ?? refuse("charge_not_found", `No charge has the id ${quote(id)}`);
}

export function emitCharge(work: Work, type: EventType, charge: Charge): void {
  work.emit({ type, resource: charge.id, subject: { kind: "charge", charge }, silent: charge.silent });
}
