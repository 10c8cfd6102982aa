import { describe, expect, it } from "vitest";
import { replayAll } from "../support/scenarios.js";
import { own, parseTexts } from "./isolated.js";

describe("many scenarios at the same time", () => {
  it("are isolated: fifty, each in its own company", async () => {
    const fifty = await parseTexts(...Array.from({ length: 50 }, (_, index) => own(index)));
    const { counts, failures } = await replayAll(fifty, { workers: 50 });
    expect(failures).toBe("");
    expect(counts.passed).toBe(50);
  });
});
