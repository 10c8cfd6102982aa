import { describeApi, renderOpenApiYaml } from "../../contract/openapi/describe-api.js";
import { parseChoice } from "../shared/values.js";
import { type FormatFlags, type Verb, addClosing, formatOf, jsonFormat } from "../shared/help.js";
import { printData, printJson } from "../shared/output.js";

export const verb: Verb = (command) => {
  command
    .description("Prints the API, its webhooks and its error bodies as OpenAPI 3.1.")
    .option("--format <format>", "yaml or json (default: yaml)")
    .addOption(jsonFormat())
    .action(async (flags: FormatFlags) => openapi(formatOf(flags)));
  addClosing(
    command,
    `Examples:
  sandbox openapi > openapi.yaml
  sandbox openapi --format json`,
  );
};

function openapi(formatFlag: string = "yaml"): void {
  const format = parseChoice("--format", formatFlag, ["yaml", "json"]);
  const document = describeApi();
  if (format === "json") printJson(document);
  else printData(renderOpenApiYaml(document));
}
