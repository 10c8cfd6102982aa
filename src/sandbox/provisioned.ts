import { UsageError } from "../kernel/messages/problem.js";
import { createIdSource } from "../kernel/records/ids.js";
import { RecentMap } from "../kernel/records/recent-map.js";
import type { Company } from "./company/company.js";
import type { CompanySetup } from "./state/fixture.js";
import { setupFor } from "./config/options.js";
import type { Sandbox } from "./sandbox.js";

/** RFC 6750 `b64token`, at a length that fits a header and an id. */
const PROVISIONABLE_TOKEN = /^[A-Za-z0-9._~+/-]{1,128}={0,2}$/;

/** Shorter tokens can be guessed. */
export const TENANT_TOKEN_MIN = 20;

/**
 * The most idle companies that are removed at once, which one request may do twice: a thousand must not hold it up, and the coverage of one may take
 * 0.15 s. The next requests remove the others.
 */
export const REMOVED_MAX = 2;

/** The most replaced tokens that are remembered. */
const REPLACED_MAX = 1_000;

interface Use {
  /** Real time, ms of the machine's monotonic clock. */
  readonly at: number;
  /** Who opened the company, with tenancy; undefined after a restart. */
  readonly address: string | undefined;
}

/** Companies that were opened by their tokens, the longest idle first. */
export class Provisioned {
  readonly #sandbox: Sandbox;
  readonly #uses = new Map<string, Use>();
  /** Replaced tokens and the ids of their companies. Such a token has stopped working, so it opens no company. */
  readonly #replaced = new RecentMap<string, string>(REPLACED_MAX);
  /** Has no seed, so that nobody can guess the next token. */
  readonly #ids = createIdSource(undefined, "tenants");

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** With auto-provision, opens a company for a token that no company has. Undefined for text that cannot be a token, and when the company's id is taken. */
  open(token: string): Company | undefined {
    const { options } = this.#sandbox;
    if (!options.autoProvision || !PROVISIONABLE_TOKEN.test(token) || this.#replaced.has(token)) return undefined;
    // `at_x` and `x` both name company_x: the second token gets no access to the company of the first, which may also be closed to be moved.
    if (this.#sandbox.store.data.companies.has(setupFor(token).id)) return undefined;
    this.#makeRoom();
    return this.#open(setupFor(token), undefined);
  }

  /**
   * Opens a company for a client at this address, with the client's token or a new one. The company's id does not contain the token. Throws
   * UsageError("input") when the token is too short or has other characters, and UsageError("busy") when there are too many companies.
   */
  openFor(address: string, token: string = this.#ids.short("at")): Company {
    if (token.length < TENANT_TOKEN_MIN || !PROVISIONABLE_TOKEN.test(token)) {
      const form = `at least ${TENANT_TOKEN_MIN} letters, digits and . _ ~ + / -`;
      throw new UsageError("input", `An access token for a new company must have ${form}; without one it gets one`);
    }
    this.dropIdle();
    const { companies, companiesPerAddress } = this.#sandbox.options.limits;
    const own = [...this.#uses.values()].filter((use) => use.address === address).length;
    const [count, where] =
      own >= companiesPerAddress ? [companiesPerAddress, "from your address"] : [companies, "in this sandbox"];
    if (own >= companiesPerAddress || this.#uses.size >= companies)
      throw new UsageError(
        "busy",
        `There are ${count} open companies ${where}, which is the most. Idle ones are dropped`,
      );
    const tokens = [{ token, expiresAt: null }];
    return this.#open({ id: this.#ids.short("company"), tokens, secretKey: this.#ids.short("secret") }, address);
  }

  #open(identity: Pick<CompanySetup, "id" | "tokens" | "secretKey">, address: string | undefined): Company {
    const { options } = this.#sandbox;
    const company = this.#sandbox.open({ ...identity, ...options.defaults, openedByToken: true });
    this.#uses.set(company.id, { at: this.#sandbox.system.monotonic(), address });
    return company;
  }

  /** Takes up a company from the store. Of these, the first opened counts as the longest idle. */
  resume(id: string, { openedByToken = false }: CompanySetup): void {
    if (openedByToken) this.#uses.set(id, { at: this.#sandbox.system.monotonic(), address: undefined });
  }

  use(id: string): void {
    const use = this.#uses.get(id);
    if (use === undefined) return;
    this.#uses.delete(id);
    this.#uses.set(id, { ...use, at: this.#sandbox.system.monotonic() });
  }

  /** Notes the tokens that a company had before it got others. */
  replace({ id, tokens }: Pick<CompanySetup, "id" | "tokens">): void {
    for (const { token } of tokens) this.#replaced.add(token, id);
  }

  /** The company is closed, perhaps to be moved. */
  close(id: string): void {
    this.#uses.delete(id);
  }

  /** The company is gone. */
  forget(id: string): void {
    for (const [token, company] of this.#replaced) if (company === id) this.#replaced.delete(token);
  }

  /** Removes companies that were not used for as long as the limit says, at most {@link REMOVED_MAX}. */
  dropIdle(): void {
    const since = this.#sandbox.system.monotonic() - this.#sandbox.options.limits.idle;
    let left = REMOVED_MAX;
    for (const [id, { at }] of this.#uses) {
      if (at > since || left-- === 0) return;
      this.#remove(id, "it was not used for as long as limits.idle says");
    }
  }

  /**
   * Removes the longest idle company with nothing pending in the longer idle half, or else the longest idle company. The companies of the other half may
   * have clients, even if nothing is pending in them yet.
   */
  #makeRoom(): void {
    this.dropIdle();
    const most = this.#sandbox.options.limits.companies;
    // A store may hold more companies than the present limit.
    while (this.#uses.size >= most) {
      const ids = [...this.#uses.keys()];
      const idlest = ids.slice(0, Math.ceil(ids.length / 2)).find((id) => this.#isAtRest(id)) ?? ids[0] ?? "";
      this.#remove(idlest, `${most} companies were opened by their tokens: the one that was idle for longest goes`);
    }
  }

  #remove(id: string, message: string): void {
    const company = this.#sandbox.findCompany(id);
    this.#uses.delete(id);
    if (company === undefined) return;
    this.#sandbox.log.write("info", "company-forgotten", { company: id, message });
    this.#sandbox.remove(company);
  }

  #isAtRest(id: string): boolean {
    const company = this.#sandbox.findCompany(id);
    return company?.dispatcher.quiet === true && company.world.due.size === 0;
  }
}
