/** Pays a salary. Weakness: an attempt without a clear answer is repeated under a new reference. */
import { fail, isUnclear, outcomeOf, pass, payoutOf, tryCall } from "./lib.mjs";

for (let attempt = 1; attempt <= 5; attempt++) {
  const answer = await tryCall("POST", "/v1/transactions", payoutOf(`salary-awa-${attempt}`));
  if (answer?.status === 201) process.exit((await outcomeOf(answer.body.id)) === "completed" ? 0 : 1);
  if (!isUnclear(answer)) fail(`refused: ${answer.body.message}`);
  await pass("10s");
}
fail("not paid");
