import { describeApi } from "../../contract/openapi/describe-api.js";
import { renderOpenApiYaml } from "../../contract/openapi/render-openapi-yaml.js";
import { parseChoice } from "../values.js";
import { printData, printJson } from "../output.js";

/** `sandbox openapi`: the API with the defaults of the profile. */
export function openapi(formatFlag: string = "yaml"): void {
  const format = parseChoice("--format", formatFlag, ["yaml", "json"]);
  const document = describeApi();
  if (format === "json") printJson(document);
  else printData(renderOpenApiYaml(document));
}
