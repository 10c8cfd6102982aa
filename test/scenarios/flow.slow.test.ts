import { describe, expect, it } from "vitest";
import { parseText } from "../support/scenarios.js";

describe("use", () => {
  it("is limited, in depth and in number", async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}.yaml`, `steps: [{ use: ${index + 1}.yaml }]`]),
    );
    await expect(parseText(`steps: [{ use: 0.yaml }]`, chain)).rejects.toThrow(
      /^19\.yaml:1:16: .*more than 20 levels deep$/,
    );
    const doubling = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [
        `${index}.yaml`,
        index === 14 ? "steps: [{ settle: }]" : `steps: [{ use: ${index + 1}.yaml }, { use: ${index + 1}.yaml }]`,
      ]),
    );
    await expect(parseText(`steps: [{ use: 0.yaml }]`, doubling)).rejects.toThrow(
      /used more than 1000 times in one scenario/,
    );
    const long = { "0.yaml": JSON.stringify({ steps: Array.from({ length: 1000 }, () => ({ settle: true })) }) };
    const often = JSON.stringify({ steps: Array.from({ length: 200 }, () => ({ use: "0.yaml" })) });
    await expect(parseText(often, long)).rejects.toThrow(
      /^0\.yaml:1:\d+: With the files that it uses the scenario has more than 100000 steps$/,
    );
  });
});
