import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { type RoundTrip, type Verdict, allAlternatives, openRoundTrips } from "../support/round-trip.js";

const page = "docs/calibrate.md";
const alternatives = allAlternatives();
const trips: RoundTrip[] = [];

/** For each, a service that differs from the default in this alone is recorded while the shipped scenarios play. */
beforeAll(async () => {
  const open = await openRoundTrips();
  for (const alternative of alternatives) trips.push(await open.ofAlternative(alternative));
  await open.close();
}, 600_000);

it("docs/calibrate.md has the table of what is named; UPDATE_DOCS=1 writes it", () => {
  expect(trips).toHaveLength(alternatives.length);
  const text = readFileSync(page, "utf8");
  const rendered = text.replace(
    /(<!-- Generated from .*-->\n)[^]*?(<!-- \/Generated -->)/,
    (_, begin: string, end: string) => `${begin}\n${renderTable()}\n\n${end}`,
  );
  expect(rendered).toContain(renderTable());
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, rendered);
  expect(readFileSync(page, "utf8")).toBe(rendered);
});

function renderTable(): string {
  const count = (counted: Verdict): number => trips.filter(({ verdict }) => verdict === counted).length;
  const paths = [...new Set(trips.map(({ alternative }) => alternative.setting.path))];
  const row = (path: string): string => {
    const own = trips.filter(({ alternative }) => alternative.setting.path === path);
    const cell = (...verdicts: readonly Verdict[]): string =>
      own
        .filter(({ verdict }) => verdicts.includes(verdict))
        .map(({ alternative }) => `\`${JSON.stringify(alternative.after)}\``)
        .join(", ");
    return `| \`${path}\` | ${cell("named")} | ${cell("open", "missed")} | ${cell("wrong")} |`.replaceAll(
      / {2,}/g,
      " ",
    );
  };
  return [
    `${count("named")} of ${trips.length} values are named. In place of ${count("wrong")}, another value or setting is.`,
    "",
    "| Setting | Named | Not named | Another is named |",
    "|---|---|---|---|",
    ...paths.map(row),
  ].join("\n");
}
