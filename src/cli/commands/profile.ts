import { stringify } from "yaml";
import { type Setting, sourceOf } from "../../domain/profile/setting.js";
import { groupOf, settingGroups, settings } from "../../domain/profile/settings.js";
import { wrapText } from "../../kernel/messages/text.js";
import { describeProfile, renderProfileMarkdown } from "../../domain/profile/describe-profile.js";
import { parseChoice } from "../shared/values.js";
import { type FormatFlags, type Verb, addClosing, formatOf, jsonFormat } from "../shared/help.js";
import { printData, printJson } from "../shared/output.js";

export const verb: Verb = (command) => {
  command
    .description(
      "Lists every point that the contract leaves open: what the sandbox chose, the\nalternatives, and the contract's words.",
    )
    .option("--format <format>", "md, yaml (a file to change and use) or json (an array)\n(default: md)")
    .addOption(jsonFormat())
    .action(async (flags: FormatFlags) => profile(formatOf(flags)));
  addClosing(
    command,
    `Examples:
  sandbox profile
  sandbox profile --format yaml > profile.yaml
  sandbox start --profile profile.yaml`,
  );
};

function profile(formatFlag: string = "md"): void {
  switch (parseChoice("--format", formatFlag, ["md", "yaml", "json"])) {
    case "md":
      // Omits the note for maintainers of the docs page.
      return printData(renderProfileMarkdown().replace(/<!--[^>]*-->\n\n/, ""));
    case "yaml":
      return printData(renderProfileYaml());
    case "json":
      return printJson(describeProfile({}));
  }
}

/** A profile file with every default, and with alternatives and quotes of the contract in comments. */
function renderProfileYaml(): string {
  const groups = [...new Set(settings.map(({ path }) => groupOf(path)))];
  return `${TITLE}\n${groups.map(renderGroup).join("\n")}`;
}

const TITLE = `# What the contract leaves open, and what the sandbox chose. Change it, then: sandbox start --profile FILE
`;

function renderGroup(group: string): string {
  const members = settings.filter(({ path }) => groupOf(path) === group);
  if (!settingGroups.has(group)) return members.map((setting) => renderSetting(setting, group, "")).join("\n");
  const rendered = members.map((setting) => renderSetting(setting, setting.path.slice(group.length + 1), "  "));
  return `${group}:\n${rendered.join("\n")}`;
}

function renderSetting(setting: Setting, name: string, indent: string): string {
  const value = stringify(setting.default, { collectionStyle: "flow", lineWidth: 0 });
  const comment = commentOf(setting).map((line) => `${indent}# ${line}\n`);
  return `${comment.join("")}${indent}${name}: ${value}`;
}

function commentOf(setting: Setting): string[] {
  const others = setting.alternatives.map(({ value, effect, form }) => {
    const shown = form === true && typeof value === "string" ? value : JSON.stringify(value);
    return `- or ${shown}: ${effect}`;
  });
  return [setting.summary, ...others, sourceOf(setting)].flatMap((text) => wrapText(text, COMMENT_WIDTH, 2, ""));
}

const COMMENT_WIDTH = 94;
