import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { root } from "../support/markdown.js";

const run = promisify(execFile);
const env = { ...process.env, npm_config_ignore_scripts: "true" };
const composeLinter = "dclint@3.1.0";
const models = "kubernetes-models@4.5.1";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-containers-"));
  await writeFile(join(folder, "package.json"), '{ "private": true }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(["docker-compose", "scale-out"])(
  "examples/%s/compose.yaml has no finding of dclint, its form aside",
  async (name) => {
    const formats = ["service-keys-order", "services-alphabetical-order", "require-quotes-in-ports"];
    // It is built and named, so that both containers can be started again without a build.
    const rules = Object.fromEntries([...formats, "no-build-and-image"].map((rule) => [rule, 0]));
    await writeFile(join(folder, "dclint.json"), JSON.stringify({ rules }));
    const options = ["--config", join(folder, "dclint.json"), "--max-warnings", "0", "--formatter", "json"];
    const { stdout } = await run("npx", ["--yes", composeLinter, ...options, `examples/${name}/compose.yaml`], {
      cwd: root,
      env,
    }).catch((failure: { stdout: string }) => failure);
    expect(JSON.parse(stdout)).toMatchObject([{ errorCount: 0, warningCount: 0, messages: [] }]);
  },
);

async function readResources(path: string) {
  const text = await readFile(`${root}examples/${path}`, "utf8");
  return parseAllDocuments(text).map((document) => document.toJS());
}

describe("manifests", () => {
  it.each(["kubernetes/sandbox.yaml", "scale-out/kubernetes.yaml"])(
    "examples/%s is valid by the schemas of Kubernetes",
    async (path) => {
      await run("npm", ["install", "--no-audit", "--no-fund", models], { cwd: folder, env });
      const load = createRequire(join(folder, "package.json"));
      const resources = await readResources(path);
      for (const resource of resources) {
        const { [resource.kind]: Model } = load(`kubernetes-models/${resource.apiVersion}`);
        expect(() => new Model(resource).validate()).not.toThrow();
        expect(() => new Model({ ...resource, spec: 1, data: 1, stringData: 1 }).validate()).toThrow(
          /spec|data|stringData/,
        );
      }
    },
  );

  it("has probes, a read-only root, and a store on a volume that one pod holds", async () => {
    const resources = await readResources("kubernetes/sandbox.yaml");
    expect(resources.map(({ kind }) => kind)).toEqual(["Secret", "PersistentVolumeClaim", "Deployment", "Service"]);
    const [, claim, deployment] = resources;
    const { replicas, strategy, template } = deployment.spec;
    const [container] = template.spec.containers;
    expect({ replicas, strategy }).toEqual({ replicas: 1, strategy: { type: "Recreate" } });
    for (const [probe, asks] of Object.entries({
      startupProbe: "live",
      readinessProbe: "ready",
      livenessProbe: "live",
    }))
      expect(container[probe].httpGet).toEqual({ path: `/_sandbox/health/${asks}`, port: "http" });
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container.args).toContain("file:/data/sandbox.json");
    expect(container.volumeMounts).toEqual([{ name: "data", mountPath: "/data" }]);
    expect(template.spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  });
});

describe("Node 18", () => {
  it("learns which version is needed", async () => {
    const failure = await run("npx", ["--yes", "node@18", "bin/sandbox.js", "--version"], { cwd: root }).catch(
      (error: unknown) => error,
    );
    const { engines } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
    expect(engines.node).toBe(">=20.19");
    expect(failure).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^sandbox: Node 20\.19 or later is needed, and this is Node 18\.\d+\.\d+\.\n/m),
    });
  });
});
