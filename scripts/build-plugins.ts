import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/** Resolves `import style from "./style.css?raw"` to the file's text, as Vite and Vitest do. */
export function rawFiles(): Plugin {
  return {
    name: "raw-files",
    async resolveId(source, importer) {
      if (!source.endsWith("?raw")) return null;
      const file = await this.resolve(source.slice(0, -"?raw".length), importer);
      return file && `${file.id}?raw`;
    },
    load(id) {
      if (!id.endsWith("?raw")) return null;
      return { code: readFileSync(id.slice(0, -"?raw".length), "utf8"), moduleType: "text" };
    },
  };
}

/** Writes the licences of the bundled packages, which must be part of every copy. */
export function licenses(): Plugin {
  return {
    name: "licenses",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const sections = [...new Set(folders)].sort().map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
        return `${name} ${version}\n\n${text}\n`;
      });
      const source = ["The files in this folder contain code of these packages.\n", ...sections].join("\n---\n\n");
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source });
    },
  };
}

/**
 * Removes the chunks of the previous build only after the new files are written, so that a program that starts during the build finds its files.
 */
export function removeOldChunks(): Plugin {
  return {
    name: "remove-old-chunks",
    writeBundle({ dir = "" }, bundle) {
      for (const name of readdirSync(join(dir, "chunks"))) {
        if (!Object.hasOwn(bundle, `chunks/${name}`)) rmSync(join(dir, "chunks", name));
      }
    },
  };
}
