import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { profileOf } from "../../src/domain/profile/alternatives.js";
import { parseProfile } from "../../src/domain/profile/parse-profile.js";
import fc from "../support/fast-check.js";
import {
  type CombinedRoundTrip,
  type RoundTrip,
  type Verdict,
  allAlternatives,
  openRoundTrips,
} from "../support/round-trip.js";

const page = "docs/calibrate.md";
const alternatives = allAlternatives();
/** Why no recording of a shipped scenario shows a setting. */
const reasons: Readonly<Record<string, string>> = {
  "auth.companyHeader": "where tokens are hidden, another id looks like another company",
  "transfers.unknownRecipient": "a test number explains it too",
  "batch.maxItems": "no shipped scenario sends so large a batch",
  "batch.finalStatus": "only the control API shows it",
  "customers.unlisted": "the service may know the number",
  "webhooks.retry": "gaps below a second are not distinguished",
  "webhooks.timeout": "needs a receiver that answers too late",
  "webhooks.insecureTls": "needs a receiver with a certificate that cannot be verified",
  "server.bodyLimit": "needs a recording by the proxy: the sandbox does not keep a body that it refuses",
  "testNumbers.failure": "other test numbers fail too",
};
const trips: RoundTrip[] = [];
const combined: CombinedRoundTrip[] = [];
const PROFILES = { numRuns: 10, seed: 1 };

/** For each alternative, records a service that differs in it alone while the shipped scenarios are replayed; then services that differ in several. */
beforeAll(async () => {
  const open = await openRoundTrips();
  for (const alternative of alternatives) trips.push(await open.ofAlternative(alternative));
  for (const several of fc.sample(severalNamed(), PROFILES)) combined.push(await open.ofProfile(several));
  await open.close();
}, 1_800_000);

/** Settings that make most requests and subscriptions fail, so that other settings have no effect. */
const hiding: ReadonlySet<string> = new Set(["rateLimit", "webhooks.allow"]);

/** Profiles of several alternatives that are each found alone, and do not conflict. */
function severalNamed() {
  const pathOf = ({ alternative }: RoundTrip): string => alternative.setting.path;
  const named = trips.filter((trip) => trip.verdict === "named" && !hiding.has(pathOf(trip)));
  return fc
    .uniqueArray(fc.constantFrom(...named), { selector: pathOf, minLength: 2, maxLength: 4 })
    .filter((several) => parseProfile(profileOf(several.map(({ alternative }) => alternative))).ok);
}

it("never names the wrong value or setting", () => {
  expect(trips.filter(({ verdict }) => verdict === "wrong").map(({ said }) => said)).toEqual([]);
});

it("leaves a value open only for a known reason", () => {
  const open = trips.filter(({ verdict }) => verdict === "open").map(({ alternative }) => alternative.setting.path);
  expect([...new Set(open)].toSorted()).toEqual(Object.keys(reasons).toSorted());
});

it("names all settings of ten profiles with several of them, if the scenarios show them", () => {
  expect(combined).toHaveLength(PROFILES.numRuns);
  expect(combined.filter(({ given }) => Object.keys(given).length >= 2).length).toBeGreaterThan(5);
  for (const { given, found, unexplained, said } of combined) expect([found, unexplained], said).toEqual([given, []]);
});

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
  const named = trips.filter(({ verdict }) => verdict === "named").length;
  const paths = [...new Set(trips.map(({ alternative }) => alternative.setting.path))];
  const row = (path: string): string => {
    const cell = (counted: Verdict): string =>
      trips
        .filter(({ verdict, alternative }) => verdict === counted && alternative.setting.path === path)
        .map(({ alternative }) => `\`${JSON.stringify(alternative.after)}\``)
        .join(", ");
    const reason = cell("open") === "" ? "" : (reasons[path] ?? "");
    return `| \`${path}\` | ${cell("named")} | ${cell("open")} | ${reason} |`.replaceAll(/ {2,}/g, " ");
  };
  return [
    `${named} of ${trips.length} values are named, and no other value in the place of one.`,
    "",
    "| Setting | Named | Open | Why |",
    "|---|---|---|---|",
    ...paths.map(row),
  ].join("\n");
}
