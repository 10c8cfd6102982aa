import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createProxyServer } from "httpxy";
import type { TestProject } from "vitest/node";
import { describeApi } from "../../src/contract/openapi/describe-api.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where Prism listens, when the API suite goes through it, and the header that names the sandbox behind it. */
    readonly prism?: { readonly url: string; readonly upstreamHeader: string };
  }
}

/** Prism is not a dependency: it needs 190 packages, one of which reports its installation. */
const prism = "@stoplight/prism-cli@5.12.0";
const upstreamHeader = "x-upstream";

/** Starts Prism as a proxy that validates what the API suite receives: `npm run test:prism`. Every sandbox is behind it. */
export default async function startPrism(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-prism-"));
  await writeFile(join(folder, "openapi.json"), JSON.stringify(describeApi()));

  let requests = 0;
  const proxy = createProxyServer();
  const upstream = createServer((request, response) => {
    requests += 1;
    const { [upstreamHeader]: target, ...headers } = request.headers;
    void proxy.web(Object.assign(request, { headers }), response, { target: String(target) });
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

  const args = ["--yes", prism, "proxy", join(folder, "openapi.json"), upstreamUrl, "--port", "0"];
  const env = { ...process.env, npm_config_ignore_scripts: "true", NO_COLOR: "1" };
  const child = spawn("npx", args, { detached: true, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    const url = /Prism is listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    project.provide("prism", { url, upstreamHeader });
    break;
  }
  child.stdout.resume();

  return async () => {
    if (child.pid !== undefined) process.kill(-child.pid);
    await ended;
    upstream.close();
    await rm(folder, { recursive: true, force: true });
    if (requests > 0) return;
    process.exitCode = 1;
    throw new Error("No request went through Prism.");
  };
}
