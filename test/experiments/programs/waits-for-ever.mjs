/** Pays a salary. Weakness: it has no time-out. */
import { call, fail, outcomeOf, payoutOf } from "./lib.mjs";

const request = ["POST", "/v1/transactions", payoutOf("salary-awa")];
let answer;
for (let attempt = 1; attempt <= 5 && (answer === undefined || answer.status >= 429); attempt++)
  answer = await call(...request, { timeoutMs: null }).catch(() => undefined);
if (answer?.status !== 201) fail("not known whether it is paid");
if ((await outcomeOf(answer.body.id)) !== "completed") fail("not paid");
