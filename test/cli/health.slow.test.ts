import { execFile, spawn } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { folderWith } from "../support/folder.js";
import { root } from "../support/markdown.js";
import { selfSigned } from "../support/self-signed.js";

/** The image's health check, run beside a sandbox as it runs in a container. */
const isHealthy = (program: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(process.execPath, [`${root}docker/health.mjs`, program], (error) => resolve(error === null));
  });

it.each([
  ["another port", ["--port", "0"], {}],
  ["a port in a variable, on all addresses", ["--host", "0.0.0.0"], { SANDBOX_PORT: "0" }],
  ["another address of the loopback", ["--port", "0", "--host", "127.0.0.2"], {}],
  ["IPv6", ["--port", "0", "--host", "::1"], {}],
  ["an admin token", ["--port", "0", "--admin-token", "secret-of-the-admin"], {}],
  ["TLS", ["--port", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem"], {}],
  ["TLS in a file", ["--config", "tls.yaml"], {}],
])("the health check of the image is right with %s", async (_, args, env: Readonly<Record<string, string>>) => {
  const folder = await folderWith({
    "cert.pem": selfSigned.cert,
    "key.pem": selfSigned.key,
    "tls.yaml": "port: 0\ntlsCert: cert.pem\ntlsKey: key.pem\n",
  });
  // Other tests run sandboxes too: this one has a path of its own.
  const app = await folderWith({});
  await symlink(`${root}bin`, join(app, "bin"));
  await symlink(`${root}dist`, join(app, "dist"));
  await symlink(`${root}package.json`, join(app, "package.json"));
  const program = join(app, "bin/sandbox.js");
  expect(await isHealthy(program)).toBe(false);

  const child = spawn(process.execPath, [program, "start", "--log", "json", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout)) if (line.includes('"listening"')) break;
  expect(await isHealthy(program)).toBe(true);
  child.kill("SIGSTOP");
  expect(await isHealthy(program)).toBe(false);
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  await ended;
  expect(await isHealthy(program)).toBe(false);
});
