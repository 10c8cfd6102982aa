import { expect, it } from "vitest";
import { longestStop } from "../../../test/support/loop-stops.js";
import { withoutGenerated } from "./effect.js";

it("finds generated parts of a name with a million letters without a long stop", async () => {
  const letters = "order".repeat(200_000);
  let name = "";
  const stopMs = await longestStop(async () => void (name = withoutGenerated(`${letters}-k3yf0r7`)));
  expect(name).toBe(`${letters}-…`);
  expect(stopMs).toBeLessThan(1_000);
});
