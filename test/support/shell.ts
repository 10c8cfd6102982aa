import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { root } from "./markdown.js";

export interface ShellOptions {
  /** The sandbox in the place of http://127.0.0.1:4010. */
  readonly url: string;
  /** Other addresses of the page, and their replacements. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `cwd` is a project that has installed the package: npx and curl are what they are there. */
  readonly installed?: boolean;
}

/**
 * Runs commands of the documentation in one bash, exactly as they are written but for addresses. It ends at the first that fails, also at an answer
 * of curl that is an error. `npx sandbox` is the command of this repository, as it is in a clone, and so is
 * `npx business-payments-sandbox`, as it is in a project that has installed the package. Resolves with what was printed, rejects when a
 * command failed.
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

/** How commands of the documentation are run here: with these addresses, this environment, and `prelude` before them. */
export function prepareShell({ url, instead = {}, cwd = root, ...more }: ShellOptions) {
  const addresses = Object.entries({ "http://127.0.0.1:4010": url, ...instead });
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
