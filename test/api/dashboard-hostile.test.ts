import { describe, expect, it } from "vitest";
import { visit } from "../support/dashboard.js";
import { startLive } from "../support/live.js";

describe("the dashboard under what nobody sends by good will", () => {
  it.each([
    ["addRule", { rule: "[".repeat(100_000) + "]".repeat(100_000) }],
    ["setting", { setting: ".".repeat(100_000), value: "1" }],
  ])("refuses what %s has nested too deep", async (name, fields) => {
    const live = await startLive();
    const visitor = visit(live.app);
    await visitor.get("/_sandbox/dashboard/rules");
    expect((await visitor.act(name, fields)).text).toContain("is nested deeper than 200 levels");
  });
  it("takes the state constructor for a word like any other", async () => {
    const live = await startLive();
    await live.control("PUT", "/customers/+2250700000099", { firstName: "A", lastName: "B", kycStatus: "constructor" });
    const { html } = await visit(live.app).get("/_sandbox/dashboard/customers");
    expect(html).toContain('<span class="pill plain">constructor</span>');
  });
});
