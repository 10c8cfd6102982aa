/** Correct. Refunds a part of an order, and reads the charge before it tries again. */
import { fail, insist, isUnclear, pass, sell, tryCall } from "./lib.mjs";

const { id } = await sell("order-1");
const read = async () => (await insist("GET", `/v1/charges/${id}`)).body;
if ((await read()).status !== "paid") fail("not paid");
for (let attempt = 1; (await read()).refunded === 0; attempt++) {
  if (attempt > 5) fail("not refunded");
  const answer = await tryCall("POST", `/v1/charges/${id}/refund`, { amount: 4_000 });
  if (isUnclear(answer)) await pass("10s");
}
