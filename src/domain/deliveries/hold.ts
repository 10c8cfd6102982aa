import type { Row } from "../../kernel/table.js";

/** What a rule (`reverse`) holds back of one resource's events. */
export interface Hold extends Row {
  /** {@link holdId} */
  readonly id: string;
  readonly ruleId: string;
  readonly resource: string;
  /** In the order in which they came to be owed. */
  readonly deliveryIds: readonly string[];
}

export function holdId(ruleId: string, resource: string): string {
  return `${ruleId}:${resource}`;
}
