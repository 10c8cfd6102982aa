/** Sells an order, and pays the seller for it. Weakness: it does so on every event of the charge. */
import { fail, insist, pass, payoutOf, receive, sell } from "./lib.mjs";

const events = await receive(["charges/events"]);
await sell("order-1");
await pass("2h");
if (events.length === 0) fail("nothing was sold");
for (const [at, { data }] of events.entries())
  await insist("POST", "/v1/transactions", payoutOf(`${data.externalId}-${at}`, 9_000));
