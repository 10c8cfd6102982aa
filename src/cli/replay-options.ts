import { UsageError } from "../kernel/problem.js";
import { type Gates, parseGates } from "./gates.js";
import { parseBaseUrl, parseChoice } from "./values.js";

/** The flags of `replay` as they were typed. */
export interface ReplayFlags {
  readonly target?: string;
  readonly token?: string;
  readonly company?: string;
  readonly secret?: string;
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly workers?: string;
  readonly shard?: string;
  readonly bail?: true;
  readonly reporter?: string;
  readonly out?: string;
  readonly seed?: string;
  readonly failOn?: string;
}

const REPORTERS = ["pretty", "junit", "json", "tap", "github"] as const;
export type ReporterName = (typeof REPORTERS)[number];

export interface ReplayOptions {
  readonly remote:
    | { readonly url: string; readonly token: string; readonly companyId: string; readonly secretKey: string }
    | undefined;
  readonly filter: RegExp | undefined;
  readonly tags: readonly string[];
  readonly workers: number;
  /** Counted from 1. */
  readonly shard: { readonly index: number; readonly count: number } | undefined;
  readonly bail: boolean;
  readonly reporter: ReporterName;
  readonly out: string | undefined;
  readonly seed: number | undefined;
  readonly gates: Gates;
  /** In GitHub Actions failures become annotations, beside whatever report was asked for. */
  readonly annotates: boolean;
}

const WORKERS_DEFAULT = 8;
const WORKERS_MAX = 1000;

/** Throws UsageError("command-line") for a flag that is wrong. */
export function parseReplayFlags(flags: ReplayFlags, env: NodeJS.ProcessEnv): ReplayOptions {
  return {
    remote: parseRemote(flags, env),
    filter: flags.filter === undefined ? undefined : parseRegex(flags.filter),
    tags: flags.tag ?? [],
    workers: flags.workers === undefined ? WORKERS_DEFAULT : parseWhole("--workers", flags.workers, 1, WORKERS_MAX),
    shard: flags.shard === undefined ? undefined : parseShard(flags.shard),
    bail: flags.bail === true,
    reporter: flags.reporter === undefined ? "pretty" : parseChoice("--reporter", flags.reporter, REPORTERS),
    out: flags.out,
    seed:
      flags.seed === undefined
        ? undefined
        : parseWhole("--seed", flags.seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    gates: parseGates(flags),
    annotates: env["GITHUB_ACTIONS"] === "true",
  };
}

function parseRemote({ target, token, company, secret }: ReplayFlags, env: NodeJS.ProcessEnv): ReplayOptions["remote"] {
  if (target === undefined) {
    const stray = Object.entries({ token, company, secret }).find(([, value]) => value !== undefined)?.[0];
    if (stray !== undefined)
      throw new UsageError(
        "command-line",
        `--${stray} goes with --target: without one each story has a company of its own.`,
      );
    return undefined;
  }
  const accessToken = token ?? env["SANDBOX_ACCESS_TOKEN"];
  if (accessToken === undefined)
    throw new UsageError("command-line", "--target needs --token, or SANDBOX_ACCESS_TOKEN.");
  return {
    url: parseBaseUrl("--target", target),
    token: accessToken,
    companyId: company ?? env["SANDBOX_COMPANY_ID"] ?? "",
    secretKey: secret ?? env["SANDBOX_SECRET_KEY"] ?? "",
  };
}

function parseRegex(text: string): RegExp {
  try {
    return new RegExp(text, "iu");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("command-line", `--filter must be a regular expression: ${why}.`);
  }
}

function parseShard(text: string): { index: number; count: number } {
  const parts = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const index = Number(parts?.[1]);
  const count = Number(parts?.[2]);
  if (parts !== null && index >= 1 && index <= count) return { index, count };
  throw new UsageError("command-line", `--shard must be i/n with i from 1 to n, such as 1/3, got "${text}".`);
}

function parseWhole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
  const range = min === Number.MIN_SAFE_INTEGER ? "" : ` from ${min} to ${max}`;
  throw new UsageError("command-line", `${flag} must be a whole number${range}, got "${text}".`);
}
