import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folderWith } from "./folder.js";

const hasNginx = spawnSync("nginx", ["-v"]).error === undefined;
/** Without nginx its tests are skipped, but in CI they fail. */
export const skipsNginx = !hasNginx && process.env["CI"] === undefined;

/** nginx with the configuration of examples/scale-out, in front of these addresses (`127.0.0.1:4010`), until the test ends. Resolves with its URL. */
export async function startNginx(replicas: readonly string[]): Promise<string> {
  if (!hasNginx) throw new Error("nginx is not installed");
  const folder = await folderWith({});
  const port = await freePort();
  const shipped = await readFile(new URL("../../examples/scale-out/nginx.conf", import.meta.url), "utf8");
  await writeFile(join(folder, "nginx.conf"), adapt(shipped, replicas, folder, port));
  const child = spawn("nginx", ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"]);
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
      if (log.includes("start worker process ")) resolve();
    });
    void ended.then(() => reject(new Error(`nginx ended: ${log}`)));
  });
  return `http://127.0.0.1:${port}`;
}

/** Adapts the shipped configuration to these replicas, this port and this folder. */
function adapt(shipped: string, replicas: readonly string[], folder: string, port: number): string {
  const servers = replicas.map((address) => `    server ${address} max_fails=0;\n`);
  const locations = replicas.map((address, at) => `    location /replica-${at}/ { proxy_pass http://${address}/; }\n`);
  const names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = names.map((name) => `  ${name}_temp_path ${folder}/${name};\n`);
  return shipped
    .replace(/worker_processes.*/, `worker_processes 1;\npid ${folder}/nginx.pid;`)
    .replace(/error_log.*/, "error_log stderr notice;")
    .replace("http {\n", `http {\n${temporary.join("")}`)
    .replace(/(?: {4}server replica.*\n)+/, servers.join(""))
    .replace(/(?: {4}location \/replica.*\n)+/, locations.join(""))
    .replace("listen 8080;", `listen 127.0.0.1:${port};`);
}

/** A port below 32768: connections use higher ones, so none takes this port while its owner restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
