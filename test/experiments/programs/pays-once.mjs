/** Correct. Pays a salary under one reference: a 409 means an earlier attempt, and the program waits for the outcome. */
import { fail, insist, outcomeOf, pass, payoutOf, receive } from "./lib.mjs";

const events = await receive(["transactions/completed", "transactions/failed"]);
const { status, body } = await insist("POST", "/v1/transactions", payoutOf("salary-awa"));
await pass("15m");
const outcome = status === 201 ? await outcomeOf(body.id) : events.at(-1)?.data.status;
if (outcome !== "completed") fail(`not paid: ${outcome ?? "nothing is known of it"}`);
