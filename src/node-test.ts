/**
 * For `node --import business-payments-sandbox/node-test --test`: fails a test file on findings of its sandboxes, and on rules that never fired.
 *
 * It judges when the process ends. A hook that fails would keep later ones from running, which close what the tests have opened.
 */
import { watchSuite } from "./library/suite-gate.js";
import { messageOf } from "./kernel/messages/problem.js";

failAtExit(watchSuite());

function failAtExit(judge: () => void): void {
  process.once("exit", () => {
    try {
      judge();
    } catch (error) {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = 1;
    }
  });
}
