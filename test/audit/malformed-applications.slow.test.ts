import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { sendOnWire } from "../../src/audit/wire/send-on-wire.js";
import { createDeferred } from "../../src/kernel/events.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { serveHttp } from "../support/listen.js";
import { longestStop } from "../support/loop-stops.js";
import { askTwice, expensiveAnswers, malformedAnswers } from "../support/malformed-answers.js";
import { startRawReceiver } from "../support/raw-receiver.js";

const STOP_MAX_MS = 100;

async function audit(url: string, timeoutMs = 150) {
  const options = { url: new URL(url), timeoutMs, system: systemClock, secret: "" };
  const { answer, error } = await sendOnWire(options, { headers: [], body: Buffer.from("{}"), sent: "an event" });
  return error ?? `status ${answer?.status}`;
}

describe("a request of an audit, which may run in a sandbox, ends with a reason and blocks nothing", () => {
  it.each(malformedAnswers)("after %s", async (_, answer) => {
    const { outcome, stopMs } = await askTwice(audit, answer);
    expect(outcome).not.toMatch(/^(?:status 2|status undefined|$)/);
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });

  it.each(expensiveAnswers)("after %s", async (_, answer) => {
    const { outcome, stopMs } = await askTwice((url) => audit(url, 10_000), answer);
    expect(outcome).toBe("status 200");
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });
});

describe("the search for a stack trace", () => {
  const auditOf = async (answer: string) => {
    const url = await serveHttp((_, response) => response.writeHead(401).end(answer));
    return runAudit({ url, secret: "secret_sandbox", system: systemClock, only: ["valid-event"] });
  };

  it.each([
    ["of Node", "Error: no\n    at take (/app/hook.js:12:5)"],
    [
      "of Node, in JSON",
      JSON.stringify({ stack: "Error: no\n    at async Hook.take [as post] (file:///app/hook.mjs:12:5)" }),
    ],
    ["of Node, without a function", "Error: no\n    at file:///app/hook.mjs:12:5"],
    ["of Python", 'Traceback (most recent call last):\n  File "app.py", line 3, in <module>'],
    ["of Python, without its first line", '  File "/app/a b.py", line 3, in take'],
    ["of Java", "java.lang.IllegalStateException\r\n\tat com.shop.Hook.take(Hook.java:12)\r\n"],
    [".NET", "   at Shop.Hook.Take(String body) in C:\\shop\\Hook.cs:line 12"],
    ["of PHP", "#0 C:\\Program Files (x86)\\shop\\hook.php(12): take()"],
    ["of PHP, with its heading", "Stack trace:\n#0 {main}"],
    ["of an uncaught error", "<b>Fatal error</b>: Uncaught InvalidArgumentException: no"],
  ])("finds one %s", async (_, answer) => {
    expect((await auditOf(answer)).notes.join("\n")).toContain("An answer shows a stack trace");
  });

  it("finds none in a sentence", async () => {
    expect((await auditOf("Refused at the door: 3 (of 4)")).notes.join("\n")).not.toContain("stack trace");
  });

  it.each([
    ["brackets and numbers", `${"at ".repeat(400)}${"(".repeat(1000)}${":1".repeat(1000)}`],
    ["colons", `\n at ${":".repeat(4000)}`],
    ["empty lines", "\n".repeat(4096)],
    ["spaces", " ".repeat(4096)],
    ["frames of PHP", `${"#0 ".repeat(500)}${"(1".repeat(1200)}`],
    ["files", `  ${'File "'.repeat(300)}${'", line '.repeat(250)}`],
  ])("takes no time for an answer of %s", async (_, answer) => {
    expect(await longestStop(() => auditOf(answer))).toBeLessThan(100);
  });
});

it("disconnects a receiver that switches protocols and stays connected", async () => {
  const cut = createDeferred();
  const receiver = await startRawReceiver((socket) => {
    socket.on("close", () => cut.resolve());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  expect(await audit(receiver.url)).toBe("status 101");
  await cut.promise;
});
