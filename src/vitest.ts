/** A setup file for Vitest (`setupFiles`): fails a test file on findings of its sandboxes, and on rules that never fired. */
import { afterAll } from "vitest";
import { watchSuite } from "./library/suite-gate.js";

afterAll(watchSuite());
