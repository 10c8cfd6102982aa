import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { RecordedReceivers } from "../../src/calibration/replay/recorded-receivers.js";
import { Bindings } from "../../src/calibration/replay/bindings.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

it("keeps of the webhooks that pass through a proxy neither their bodies nor long ids", () => {
  const receivers = new RecordedReceivers(new Bindings(), []);
  const before = heapMiB();
  for (let index = 0; index < 200; index++) {
    const id = `${index}${"x".repeat(index % 2 === 0 ? 10 : 200_000)}`;
    const text = JSON.stringify({ topic: "charges/events", data: { id, status: "paid", note: "y".repeat(200_000) } });
    receivers.foresee({
      kind: "webhook",
      exchange: { file: null, index, method: "POST", path: "/_webhooks" },
      at: index,
      headers: [],
      url: "http://127.0.0.1:9/hooks",
      topic: "charges/events",
      body: JSON.parse(text),
      text,
      signature: undefined,
      status: 200,
    });
  }
  expect(heapMiB() - before).toBeLessThan(10);
  expect(receivers.sent).toEqual([]);
});
