import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { root } from "./markdown.js";

export interface ShellOptions {
  /** The address that replaces http://127.0.0.1:4010. */
  readonly url: string;
  /** Other addresses of the page, and their replacements. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `cwd` is a project that has installed the package: npx and curl are not replaced. */
  readonly installed?: boolean;
}

/**
 * Runs commands of the documentation in one bash, with replaced addresses. `npx sandbox` and `npx business-payments-sandbox` run the command of
 * this repository. Resolves with the output. Rejects at the first command that fails, and at the first error answer to curl.
 */
export async function runShell(commands: string, options: ShellOptions): Promise<string> {
  const { adapt, env, cwd, prelude } = prepareShell(options);
  const child = spawn("bash", ["-c", `${prelude}\n${adapt(commands)}`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`The commands ended with ${code} after they had printed:\n${stdout}${stderr}`);
  return stdout;
}

/** Addresses and environment of the commands, and a `prelude` to run before them. */
export function prepareShell({ url, instead = {}, cwd = root, ...more }: ShellOptions) {
  const helper = "examples/curl/api.sh";
  const addresses = Object.entries({ "http://127.0.0.1:4010": url, [helper]: root + helper, ...instead });
  return {
    adapt: (page: string) => addresses.reduce((whole, [address, other]) => whole.replaceAll(address, other), page),
    env: { PATH: process.env["PATH"] ?? "", SANDBOX_URL: url, NODE: process.execPath, ROOT: root, ...more.env },
    cwd,
    prelude: more.installed === true ? "" : PRELUDE,
  };
}

const PRELUDE = `
set -euo pipefail
curl() { command curl --fail-with-body -sS "$@" && echo; }
npx() {
  if [[ $1 != sandbox && $1 != business-payments-sandbox ]]; then echo "not ours: npx $*" >&2 && return 1; fi
  "$NODE" "$ROOT/bin/sandbox.js" "\${@:2}"
}`;
