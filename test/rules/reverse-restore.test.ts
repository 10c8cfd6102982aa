import { expect, it } from "vitest";
import { gate, startLive, startReceiver } from "../support/live.js";

it("what was released in reverse and not sent yet goes on in reverse after a restore", async () => {
  const live = await startLive();
  const opened = gate();
  const receiver = await startReceiver(async (_, index) => {
    if (index === 0) await opened.opened;
    return {};
  });
  await live.subscribe("charges/events", receiver.url);
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
  const told = receiver.received.map(({ body }) => body.data.status);
  expect(told).toEqual(["refunded", "refunded", "refunded_partially", "paid"]);
});
