import { expect, it } from "vitest";
import { create, repeat } from "../../../test/support/watched.js";
import { FINDINGS_MAX } from "./finding.js";

it("keeps the newest of too many, and reports each once", () => {
  const { findings, see, reported } = create();
  for (let index = 0; index < FINDINGS_MAX + 2; index++) for (const entry of repeat(index)) see(entry);
  expect(reported).toHaveLength(FINDINGS_MAX + 2);
  expect(findings.list()).toHaveLength(FINDINGS_MAX);
  expect(findings.list()[0]?.why).toContain('"a-2"');
  expect(findings.list().at(-1)?.why).toContain(`"a-${FINDINGS_MAX + 1}"`);
});
