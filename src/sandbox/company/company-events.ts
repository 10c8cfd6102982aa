import type { DueItem } from "../../kernel/due-work.js";
import type { Move } from "../../kernel/lifecycle.js";
import type { Change } from "../../kernel/unit-of-work.js";
import type { DispatcherEvents } from "../delivery/dispatcher.js";
import type { Company } from "./company.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { DueKind } from "../../domain/model/work.js";

/** What happens in the companies of one sandbox. A reset puts another `Company` of the same id in the place of the first. */
export interface CompanyEvents extends DispatcherEvents {
  readonly changed: CompanyChange;
  /** A due item was handled. */
  readonly fired: { readonly company: Company; readonly item: DueItem<DueKind> };
  /** An attempt to deliver a webhook was recorded. `delivery` includes it. */
  readonly attempted: { readonly company: Company; readonly attempt: Attempt; readonly delivery: Delivery };
}

export interface CompanyChange {
  readonly company: Company;
  /** What a commit changed, oldest first. Empty when the clock, the profile or the snapshots changed, and when the company was closed. */
  readonly changes: readonly Change[];
  /** The transitions of lifecycles in it. */
  readonly moves: readonly Move[];
}
