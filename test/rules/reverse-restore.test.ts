import { expect, it } from "vitest";
import { gate, startLive } from "../support/live.js";

it("a restore continues the reverse order of released events that were not sent", async () => {
  const live = await startLive();
  const opened = gate();
  const receiver = await live.receiverFor("charges/events", async (_, index) => {
    if (index === 0) await opened.opened;
    return {};
  });
  await live.control("POST", "/rules", { on: "delivery", then: { reverse: true } });
  const { id } = await live.createCharge();
  await live.ok("POST", `/v1/charges/${id}/pay`);
  await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1_000 });
  await live.ok("POST", `/v1/charges/${id}/refund`);
  await receiver.waitFor(1);
  const { body: state } = await live.control("GET", "/state");
  await live.control("PUT", "/state", state);
  opened.open();
  await live.settle();
  const sent = receiver.received.map(({ body }) => body.data.status);
  expect(sent).toEqual(["refunded", "refunded", "refunded_partially", "paid"]);
});
