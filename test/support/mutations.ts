import { readdirSync, readFileSync } from "node:fs";
import { parseSource } from "../../src/adapters/files/source.js";
import { operators } from "../../src/kernel/matchers.js";
import { givenSchema } from "../../src/scenarios/file/scenario-schema.js";
import { companionKeys, stepSchemas } from "../../src/scenarios/file/step-schemas.js";
import fc from "./fast-check.js";

/** Keys with a meaning in scenarios. */
const scenarioWords = [
  ...Object.keys(stepSchemas),
  ...companionKeys,
  ...Object.keys(operators),
  ...Object.keys(givenSchema.shape),
  "steps",
  "given",
  "name",
  "tags",
  "times",
  "within",
  "every",
  "topic",
  "data",
  "count",
  "by",
  "to",
  "toNext",
  "__proto__",
  "constructor",
  "status",
];

const texts = fc.constantFrom(
  "",
  "GET /v1/balance",
  "10ms",
  "${uuid}",
  "${",
  "${a.b[0]}",
  "${faker.person.x}",
  "$${a}",
  "body.id",
  "other.yaml",
  "2026-01-15T09:00:00Z",
  "charges/events",
  "freeze",
  "(",
);
const leaf = fc.oneof(texts, fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21), fc.jsonValue({ maxDepth: 1 }));

/** Keys and values of scenarios, for the wrong places. */
const { value: scenarioValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...scenarioWords), tie("value"), { maxKeys: 4 }),
  ),
}));

// Without scenarios that wait: a mutation might wait for a long time.
const files = readdirSync("scenarios").filter(
  (file) => file.endsWith(".yaml") && !["clock.yaml", "settlement-awaited.yaml"].includes(file),
);
const scenarios = files.map((file) => parseSource(readFileSync(`scenarios/${file}`, "utf8"), file).value);

/** A shipped scenario with one value replaced by another. */
export const mutations = fc
  .tuple(fc.constantFrom(...scenarios), fc.nat(), scenarioValue)
  .map(([scenario, at, other]) => {
    const text = JSON.stringify(scenario);
    const places = text.match(/[,:[]/g)?.length ?? 1;
    let index = 0;
    return JSON.parse(text, (_, member: unknown) => (index++ === at % places ? other : member)) as unknown;
  });
