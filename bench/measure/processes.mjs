/** The programs that are compared, as processes on a core of their own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Servers on one core, whoever asks them on another. Without `taskset`, or with a single core, the system decides. */
export const isPinned = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;
export const SERVER_CORE = "0";
export const CLIENT_CORE = "1";

/** Puts this process on the core of those who ask. */
export function pinClient() {
  if (isPinned) spawnSync("taskset", ["-a", "-c", "-p", CLIENT_CORE, String(process.pid)]);
}

/** As `npm start`, without a line for each change: the floors write none either. */
const quiet = ["start", "--port", "0", "--log", "json", "--log-level", "warn"];

/** What to run: each says on its first line where it listens, as JSON. */
export const programs = {
  plain: [at("../floors/plain.mjs")],
  hono: [at("../../reports/bench/hono.mjs")],
  sandbox: [at("../../bin/sandbox.js"), ...quiet],
};

/**
 * Runs `node` with these arguments until it is stopped; `url` is in the first line that it writes.
 *
 * @param {readonly string[]} args
 * @param {{ probed?: boolean, env?: Record<string, string>, core?: string }} [options] `probed`: it can be asked for its usage, which takes a little
 * memory; `core`: the servers' if not given
 */
export async function startServer(args, { probed = true, env = {}, core = SERVER_CORE } = {}) {
  const probe = probed ? ["--import", new URL("usage-probe.mjs", import.meta.url).href] : [];
  const stdio = ["ignore", "pipe", "inherit", ...(probed ? ["ipc"] : [])];
  const child = spawnNode([...probe, ...args], { stdio, env: { ...process.env, ...env } }, core);
  const ended = once(child, "exit");
  const { url } = JSON.parse(await firstLine(child));
  return {
    url,
    pid: child.pid,
    /** CPU time since it began, µs, and its resident memory, MB. */
    async usage() {
      child.send("usage");
      const [usage] = await once(child, "message");
      return usage;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`${args[0]} ended with ${code ?? signal}.`);
    },
  };
}

/** CPU time of all of a process's threads since it began, ms. Linux tells it of any process; elsewhere it is 0. */
export function cpuMsOf(pid) {
  if (process.platform !== "linux") return 0;
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return times.reduce((sum, ns) => sum + Number(ns), 0) / 1e6;
}

/** Runs `node` to its end, and returns what it wrote as JSON. */
export async function runNode(args) {
  const child = spawnNode(args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}.`);
  return JSON.parse(said);
}

/** On the servers' core, if on no other. */
export function spawnNode(args, options, core = SERVER_CORE) {
  const node = [process.execPath, ...args];
  const [command, ...rest] = isPinned ? ["taskset", "-c", core, ...node] : node;
  return spawn(command, rest, options);
}

/** @param {import("node:child_process").ChildProcess} child */
export function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`It ended with ${code} before it listened.`)));
    child.stdout.on("data", (chunk) => {
      if (text.includes("\n")) return;
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}
