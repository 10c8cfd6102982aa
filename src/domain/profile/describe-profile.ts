import { groupBy } from "../../kernel/collections.js";
import type { Json } from "../../kernel/messages/json.js";
import { type Alternative, type Setting, sourceOf } from "./setting.js";
import { type ProfileValues, groupOf, settings } from "./settings.js";
import { isObject } from "../../kernel/messages/json.js";

/** One row of `sandbox profile` and of GET /_sandbox/profile. */
export type DescribedSetting = ReturnType<typeof describeProfile>[number];

/** Every open point of the contract with its choice, in the table's order. */
export function describeProfile(values: ProfileValues) {
  return settings.map((setting) => ({
    setting: setting.path,
    summary: setting.summary,
    value: valueAt(values, setting.path) ?? setting.default,
    default: setting.default,
    alternatives: setting.alternatives.map(({ value, effect }) => ({ value, effect })),
    question: setting.question,
    contract: setting.contract,
  }));
}

function valueAt(values: ProfileValues, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((value, name) => (isObject(value) ? value[name] : undefined), values);
}

/** The whole of docs/profile.md. A test compares the two, so the page cannot fall behind the table. */
export function renderProfileMarkdown(): string {
  const groups = groupBy(settings, ({ path }) => groupOf(path));
  return [INTRO, ...[...groups].map(([group, members]) => renderGroup(group, members))].join("\n\n") + "\n";
}

const INTRO = `# The profile

<!-- Generated from src/domain/profile. Run UPDATE_DOCS=1 npx vitest run test/docs to write it anew. -->

[The contract](fidelity.md) leaves many points open. Each is a setting here, with its default, its alternatives, the words of the
contract, and the question to the provider. [Fidelity](fidelity.md#what-is-a-choice) lists them all on one page.

## How to change it

Values are nested by group. Durations are \`10s\`, \`1h30m\`, \`PT1H\` or a number of milliseconds. A value is replaced whole; of
\`transfers.fee\` and \`charges.fee\`, members that are not given take their defaults. \`null\` returns a setting, or a whole group, to its default.

For every company, with \`npx business-payments-sandbox start --profile profile.yaml\`:

\`\`\`yaml
transfers:
  settlement: immediate
charges:
  ttl: 10m
rateLimit: { requests: 10, per: 1s }
\`\`\`

For one company, when it is opened:

\`\`\`sh
curl -X POST http://127.0.0.1:4010/_sandbox/companies \\
  -H 'content-type: application/json' \\
  -d '{"companyId": "company_slow", "profile": {"transfers": {"settlement": {"after": "1h"}}}}'
\`\`\`

For one company, at run time:

\`\`\`sh
curl -X PATCH 'http://127.0.0.1:4010/_sandbox/profile?company=company_sandbox' \\
  -H 'content-type: application/json' \\
  -d '{"transfers": {"settlement": "manual"}, "charges": {"ttl": null}}'
\`\`\`

\`npx business-payments-sandbox profile\` and \`GET /_sandbox/profile\` list the settings with the values in use. \`npx business-payments-sandbox validate profile.yaml\`
names everything wrong with a file, with line and column.`;

function renderGroup(group: string, members: readonly Setting[]): string {
  // A setting without a group has only the group's heading.
  const bodies = members.map((setting) =>
    (setting.path === group ? [] : [`### ${setting.path}`]).concat(renderSetting(setting)),
  );
  return [`## ${group}`, ...bodies.flat()].join("\n\n");
}

function renderSetting(setting: Setting): string {
  return [
    setting.summary,
    [`- Default: ${code(setting.default)}`, ...setting.alternatives.map(renderAlternative)].join("\n"),
    `> ${sourceOf(setting)}`,
    `Ask the provider: ${setting.question}`,
  ].join("\n\n");
}

/** Words for a kind of value are prose; values are code. */
function renderAlternative({ value, effect, form }: Alternative): string {
  return `- Or ${form === true && typeof value === "string" ? value : code(value)}: ${effect}`;
}

function code(value: Json): string {
  return `\`${JSON.stringify(value)}\``;
}
