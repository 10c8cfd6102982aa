import { describeProfile } from "../../domain/profile/describe-profile.js";
import { renderProfileMarkdown } from "../../domain/profile/render-profile-doc.js";
import { parseChoice } from "../values.js";
import { printData, printJson } from "../output.js";
import { renderProfileYaml } from "../profile-yaml.js";

/** `sandbox profile`: every open point of the contract, its choice and alternatives. */
export function profile(formatFlag: string = "md"): void {
  switch (parseChoice("--format", formatFlag, ["md", "yaml", "json"])) {
    case "md":
      // The note for who maintains the page is nothing to a reader at a terminal.
      return printData(renderProfileMarkdown().replace(/<!--[^>]*-->\n\n/, ""));
    case "yaml":
      return printData(renderProfileYaml());
    case "json":
      return printJson(describeProfile({}));
  }
}
