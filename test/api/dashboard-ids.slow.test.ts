import { expect, it } from "vitest";
import { pages } from "../../src/http/pages/dashboard/registry.js";
import { DASHBOARD } from "../support/dashboard.js";
import { openDesk } from "../support/desk.js";
import { transferRequest } from "../support/requests.js";

it("no page of the dashboard has two elements with one id", async () => {
  const desk = await openDesk();
  const { live } = desk;
  await live.receiverFor("charges/events", { status: 500 });
  const { id: charge } = await live.createCharge();
  const { id: transfer } = await live.createTransfer();
  const { id: batch } = await live.ok("POST", "/v1/transactions/batch", {
    transactions: [transferRequest({ reference: "item-1" })],
  });
  await live.control("POST", "/rules", { on: "transfer", then: { after: "1h" } });
  await live.control("POST", "/snapshots/before");
  await live.control("POST", `/charges/${charge}/pay`);
  await live.settle();
  await live.advance("10s");
  const [delivery] = live.deliveries();
  expect(delivery?.attempts).toHaveLength(2);
  const { entries } = live.sandbox.observationOf("company_sandbox").journal;
  const [request] = entries.values();
  const ids: Readonly<Record<string, string | undefined>> = {
    charges: charge,
    transfers: transfer,
    batches: batch,
    deliveries: delivery?.id,
    requests: request?.id,
    profile: "charges.ttl",
  };
  await desk.open("/clock");
  expect((await desk.act("freeze")).html).toContain('id="outcome-1"');

  for (const { path } of pages) {
    const id = ids[path.split("/")[1] ?? ""];
    const address = path === "" ? "/_sandbox" : DASHBOARD + path.replace(":id", id ?? "");
    const { status, html } = await desk.get(`${address}?outcome=1`);
    expect(status, path).toBe(200);
    const found = [...html.matchAll(/ id="([^"]*)"/g)].map(([, name]) => name);
    expect(found, path).toContain("outcome-1");
    const again = found.filter((name, index) => found.indexOf(name) !== index);
    expect(again, path).toEqual([]);
  }
});
