import { Ajv } from "ajv";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const names =
  "afterRequest beforeRequest browser cache content cookie creator entry har header log page pageTimings postData query request response timings".split(
    " ",
  );

/** The errors of an archive under the JSON schema of HAR 1.2 (the npm package har-schema); empty when it is valid. */
export function problemsOfHar(archive: unknown): readonly string[] {
  const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
  for (const name of names) ajv.addSchema(JSON.parse(JSON.stringify(require(`har-schema/lib/${name}.json`))));
  const validate = ajv.getSchema("har.json#");
  if (validate === undefined) throw new Error("har-schema has no har.json");
  void validate(archive);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
