import { expect, it } from "vitest";
import { sentTo, withRule } from "../support/delivery-rules.js";
import { type LooseJson, openWorld } from "../support/world.js";

it("a state of a version without nth and without holds of single events is accepted", async () => {
  const { live, receiver } = await withRule({ reverse: true, truncate: 5_000 });
  await live.createTransfer();
  const { body: state } = await live.control("GET", "/state");
  const drop = (rows: LooseJson[], ...names: string[]) =>
    rows.forEach((row) => names.forEach((name) => delete row[name]));
  drop(state.rules, "matched");
  drop(state.holds, "eventId", "left");
  drop(
    state.deliveries.map(({ effect }: LooseJson) => effect),
    "loseAnswers",
    "attempts",
  );
  await live.control("POST", "/reset");
  expect((await live.control("PUT", "/state", state)).status).toBe(200);
  await live.advance("2s");
  expect(sentTo(receiver)).toEqual(["completed", "started"]);
});

it("a state with a rule that could never match, which is refused now, is accepted", async () => {
  const { control } = openWorld();
  await control("POST", "/rules", { on: "transfer", match: { msisdn: "0700000010" }, then: { outcome: "failed" } });
  const { body: state } = await control("GET", "/state");
  state.rules[0].rule.match.msisdn = 700000010;
  expect((await control("PUT", "/state", state)).status).toBe(200);
});
