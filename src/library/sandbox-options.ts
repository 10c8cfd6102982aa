import type { ProfileInput } from "../domain/profile/profile-input.js";
import type { RuleInput } from "./rules-handle.js";

/** What can be chosen for one company. */
export interface CompanyOptions {
  /**
   * Names it: company id `company_<name>`, access token `at_<name>`, secret key `secret_<name>`. Letters, digits, `.`, `_`, `~` and `-`. Made up unless
   * given.
   */
  readonly name?: string;
  /** `running`, `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: Clock;
  /** XOF, at least 0. */
  readonly balance?: number;
  /** Settings over the sandbox's own. */
  readonly profile?: ProfileInput;
  /** Rules beside the sandbox's own. */
  readonly rules?: readonly RuleInput[];
}

/** What can be chosen for a sandbox in this process. Nothing is read from files or the environment unless it is named here. */
export interface SandboxOptions {
  /** `running` (default), `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: Clock;
  /** XOF, at least 0. Default 10 000 000. */
  readonly balance?: number;
  /** What the contract leaves open: settings, or the path of a profile file. */
  readonly profile?: ProfileInput | string;
  /** A whole number that makes identifiers and names repeat: the same story gives the same bytes. */
  readonly seed?: number;
  /** How its world misbehaves from the start, and again after a reset; of every company. */
  readonly rules?: readonly RuleInput[];
  /** Paths of fixtures files: customers, charges and so on to begin with. */
  readonly fixtures?: string | readonly string[];
  /** Any unseen access token opens a company of its own on first use. Default false. */
  readonly autoProvision?: boolean;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where others reach it, an absolute http or https URL; payment links begin with it. */
  readonly publicUrl?: string;
  /** The bearer token that the control API asks for. Default none. */
  readonly adminToken?: string;
  /** Answers without the `x-sandbox` headers. Default false. */
  readonly productionHeadersOnly?: boolean;
}

type Clock = "running" | "frozen" | (string & {}) | Date;
