// The image's health check: asks the sandbox, wherever it listens and whether with TLS. Its port and certificate may be in a flag, a
// variable or a file, so the sockets of the process are looked at.
import { readFile, readdir, readlink } from "node:fs/promises";

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");

const [wanted = "/app/bin/sandbox.js"] = process.argv.slice(2);
const LISTENING = "0A";
const none = () => [];

const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
const addresses = (await Promise.all(pids.map(addressesOf))).flat();
const answers = await Promise.all(
  addresses.flatMap((address) => ["http", "https"].map((scheme) => isHealthy(`${scheme}://${address}`))),
);
process.exit(answers.includes(true) ? 0 : 1);

/** Where a sandbox listens; nothing for other programs. */
async function addressesOf(pid) {
  const [, program] = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
  if (program !== wanted) return [];
  const files = await readdir(`/proc/${pid}/fd`).catch(none);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
  const sockets = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((table) => readFile(`/proc/${pid}/net/${table}`, "utf8").catch(() => "")),
  );
  return tables
    .flatMap((table) => table.trim().split("\n").slice(1))
    .flatMap((line) => {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      const [address = "", port = ""] = local.split(":");
      return state === LISTENING && sockets.has(inode) ? [`${hostOf(address)}:${Number.parseInt(port, 16)}`] : [];
    });
}

/** Of the little-endian hexadecimal form; all addresses include the loopback. */
function hostOf(address) {
  if (/^0+$/.test(address)) return "127.0.0.1";
  const bytes = Buffer.from(address, "hex");
  return bytes.length === 4
    ? bytes.reverse().join(".")
    : `[${bytes.swap32().toString("hex").match(/.{4}/g).join(":")}]`;
}

async function isHealthy(url) {
  const response = await fetch(`${url}/_sandbox/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return response?.ok === true && (await response.json()).status === "ok";
}
