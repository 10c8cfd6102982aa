/** Correct. Starts payouts under their own references; another process learns how they end. */
import { fail, insist, payoutOf } from "./lib.mjs";

for (const [worker, amount] of [
  ["awa", 150_000],
  ["kouassi", 90_000],
]) {
  const { status } = await insist("POST", "/v1/transactions", payoutOf(`salary-${worker}`, amount));
  if (status !== 201 && status !== 409) fail(`${worker} is refused`);
}
