import { isBuiltin } from "node:module";
import { parseSync } from "oxc-parser";

/**
 * The same module with its imports of Node's own modules as `require`. Who imports one has Node make a module of it first, which reads all that it
 * exports: `import "node:http"` loads `WebSocket`, and with it 20 ms of undici (Node 24), `import "node:fs"` its streams. `require` of it does not.
 *
 * @param {string} code
 */
export function requireBuiltins(code) {
  const { module } = parseSync("chunk.js", code);
  let rest = code;
  // From the end, so that what is still to come stays where it is.
  for (const { start, end, moduleRequest, entries } of module.staticImports.toReversed()) {
    if (!isBuiltin(moduleRequest.value)) continue;
    const required = `require(${JSON.stringify(moduleRequest.value)});`;
    // An import without a name is of the whole, as default or as namespace.
    const wholes = entries.flatMap(({ importName, localName }) => (importName.name === null ? localName.value : []));
    const members = entries.flatMap(({ importName: { name }, localName }) =>
      name === null ? [] : `${name}:${localName.value}`,
    );
    const targets = members.length === 0 ? wholes : [...wholes, `{${members.join()}}`];
    const statements =
      targets.length === 0 ? required : targets.map((target) => `const ${target}=${required}`).join("");
    rest = rest.slice(0, start) + statements + rest.slice(end);
  }
  return rest;
}
