import { expect, it } from "vitest";
import { calibrate } from "../../src/index.js";
import { recordWith, sellOne } from "../support/calibrate.js";
import { playwright, write } from "./archive.js";

it("reads a body that is nested deeper than any of the API as text", async () => {
  const deep = Buffer.from('{"data":'.repeat(50_000) + "1" + "}".repeat(50_000));
  const [first, ...others] = await recordWith({ http: { createdStatus: 200 } }, sellOne);
  const odd = { ...first!, body: deep, answer: { ...first!.answer!, body: deep } };
  const file = await write({ entries: [odd, ...others].map(playwright) });
  const report = await calibrate([file], { only: ["http"] });
  expect(report.drift).toMatchObject([{ pointer: "/body", kind: "type" }]);
});
