import type { Company } from "./company/company.js";
import type { CompanySetup } from "./state/fixture.js";
import { setupFor } from "./config/options.js";
import type { Sandbox } from "./sandbox.js";

/** RFC 6750 `b64token`, at a length that fits a header and an id. */
const PROVISIONABLE_TOKEN = /^[A-Za-z0-9._~+/-]{1,128}=*$/;

/** What opens a company for each access token that was not seen before. */
type Opener = Pick<Sandbox, "options" | "log" | "findCompany" | "open" | "remove">;

/** The companies that were opened by their tokens, the one that was idle for longest first. */
export class Provisioned {
  readonly #sandbox: Opener;
  readonly #ids = new Set<string>();

  constructor(sandbox: Opener) {
    this.#sandbox = sandbox;
  }

  /** "any unseen token opens a fresh company on first use". Undefined for what cannot be one. */
  open(token: string): Company | undefined {
    const { options } = this.#sandbox;
    if (!options.autoProvision || !PROVISIONABLE_TOKEN.test(token)) return undefined;
    const setup = { ...setupFor(token), ...options.defaults, openedByToken: true };
    // `at_x` and `x` both stand for company_x: the second to come is not let into the first one's world.
    if (this.#sandbox.findCompany(setup.id) !== undefined) return undefined;
    this.#makeRoom();
    const company = this.#sandbox.open(setup);
    this.#ids.add(company.id);
    return company;
  }

  /** A company that was there before this process. Which of them was idle for longest nobody knows: the one that was opened first. */
  resume(id: string, { openedByToken = false }: CompanySetup): void {
    if (openedByToken) this.#ids.add(id);
  }

  /** A request came to it. Of other companies nothing is noted. */
  use(id: string): void {
    if (this.#ids.delete(id)) this.#ids.add(id);
  }

  forget(id: string): void {
    this.#ids.delete(id);
  }

  /**
   * The first to go: of the half that was idle for longest the first in which nothing waits to happen, or else the first. Those of the other half may
   * have clients: in one that was opened just now nothing waits yet.
   */
  #makeRoom(): void {
    const most = this.#sandbox.options.limits.companies;
    // A store may have more of them than are kept now.
    while (this.#ids.size >= most && this.#forgetIdlest(most));
  }

  #forgetIdlest(most: number): boolean {
    const companies = [...this.#ids].flatMap((id) => this.#sandbox.findCompany(id) ?? []);
    const idlest = companies.slice(0, Math.ceil(companies.length / 2)).find(isAtRest) ?? companies[0];
    if (idlest === undefined) return false;
    const message = `${most} companies were opened by their tokens: the one that was idle for longest goes`;
    this.#sandbox.log.write("info", "company-forgotten", { company: idlest.id, message });
    this.#sandbox.remove(idlest);
    return true;
  }
}

/** Neither a delivery nor a timer is left. */
function isAtRest({ world, dispatcher }: Company): boolean {
  return dispatcher.quiet && world.due.size === 0;
}
