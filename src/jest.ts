/** A setup file for Jest (`setupFilesAfterEnv`): fails a test file on findings of its sandboxes, and on rules that never fired. */
import { watchSuite } from "./library/suite-gate.js";

declare function afterAll(task: () => void): void;

afterAll(watchSuite());
