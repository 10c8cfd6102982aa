/** The built program as a process of its own that says what it takes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** @param {readonly string[]} flags of `sandbox start` */
export async function startMeasured(flags, cwd = at("..")) {
  const node = ["--expose-gc", "--import", new URL("probe.mjs", import.meta.url).href];
  const start = [at("../bin/sandbox.js"), "start", "--port", "0", "--log", "json", ...flags];
  const child = spawn(process.execPath, [...node, ...start], { cwd, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said = (said + chunk).slice(-10_000)));
  const ended = once(child, "exit");
  const url = await listening(child, () => said);
  return {
    url,
    /** What it takes now, and its event loop's delays since the last question. */
    async sample() {
      child.send("sample");
      const [sampled] = await once(child, "message");
      return sampled;
    },
    /** Delays are counted from now on. */
    forgetDelays: () => child.send("reset"),
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      if (code !== 0) throw new Error(`The sandbox ended with ${code}:\n${said}`);
      return said;
    },
  };
}

function listening(child, said) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`The sandbox ended with ${code}:\n${said()}`)));
    child.stdout.on("data", (chunk) => {
      if (text.includes("\n")) return;
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))).url);
    });
  });
}

/** `npm run bench:soak -- --requests 20000`: the numbers that were given, over those that stand. */
export function numbersGiven(defaults) {
  const given = { ...defaults };
  const words = process.argv.slice(2);
  for (let index = 0; index < words.length; index += 2) {
    const name = words[index]?.replace(/^--/, "") ?? "";
    const value = Number(words[index + 1]);
    if (!Object.hasOwn(defaults, name) || !(value > 0))
      throw new Error(`There are --${Object.keys(defaults).join(", --")}, each with a number above 0.`);
    given[name] = value;
  }
  return given;
}

/** Rows of a Markdown table. */
export function printTable(heads, rows) {
  console.log(`| ${heads.join(" | ")} |\n|${heads.map(() => "---:").join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
