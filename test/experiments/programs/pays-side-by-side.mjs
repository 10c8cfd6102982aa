/** Correct. Pays three salaries at a time. References, descriptions and the order of the requests differ in each run. */
import { randomUUID } from "node:crypto";
import { fail, insist, payoutOf } from "./lib.mjs";

const workers = ["+2250700000010", "+2250700000011", "+2250700000012"];
const answers = await Promise.all(
  workers.map((msisdn) => {
    const payout = payoutOf(`salary-${randomUUID()}`, 150_000, msisdn);
    return insist("POST", "/v1/transactions", { ...payout, description: `asked at ${performance.timeOrigin}` });
  }),
);
if (answers.some(({ status }) => status !== 201 && status !== 409)) fail("refused");
