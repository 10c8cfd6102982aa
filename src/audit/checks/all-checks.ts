import type { Check } from "../check.js";
import { stateChecks } from "../state/state-checks.js";
import { forgedChecks } from "./forged.js";
import { genuineChecks } from "./genuine.js";
import { robustChecks } from "./robust.js";

/** In the order in which they run and are reported. */
export const allChecks: readonly Check[] = [...genuineChecks, ...forgedChecks, ...robustChecks, ...stateChecks];
