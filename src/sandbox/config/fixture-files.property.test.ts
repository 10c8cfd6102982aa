import { expect, it } from "vitest";
import fc, { runs } from "../../../test/support/fast-check.js";
import { useFixtureTexts } from "../../../test/support/fixture-texts.js";

const { problemsOf } = useFixtureTexts();

it("any text is either fixtures or a list of problems with positions", async () => {
  const key = fc.constantFrom(
    "companies",
    "customers",
    "charges",
    "companyId",
    "msisdn",
    "generate",
    "amount",
    "status",
    "externalId",
    "metadata",
    "createdAt",
    "profile",
    "accessTokens",
    "__proto__",
    "refunded",
  );
  const word = fc.oneof(
    fc.constantFrom<unknown>(
      "paid",
      "due",
      "-1h",
      "0700000010",
      "a",
      1,
      -1,
      0.5,
      null,
      true,
      "2026-01-15",
      "refunded_partially",
    ),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      word,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, tree, { maxKeys: 5 }), async (value) => {
      for (const problem of await problemsOf(JSON.stringify(value, null, 1)))
        expect(problem).toMatch(/^a\.yaml:\d+:\d+: \S/);
    }),
    { numRuns: runs(300) },
  );
});
