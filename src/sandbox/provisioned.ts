import type { Company } from "./company/company.js";
import type { CompanySetup } from "./state/fixture.js";
import { setupFor } from "./config/options.js";
import type { Sandbox } from "./sandbox.js";

/** RFC 6750 `b64token`, at a length that fits a header and an id. */
const PROVISIONABLE_TOKEN = /^[A-Za-z0-9._~+/-]{1,128}=*$/;

/** Companies that were opened by their tokens, the longest idle first. */
export class Provisioned {
  readonly #sandbox: Sandbox;
  readonly #ids = new Set<string>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** "any unseen token opens a fresh company on first use". Undefined for text that cannot be a token. */
  open(token: string): Company | undefined {
    const { options } = this.#sandbox;
    if (!options.autoProvision || !PROVISIONABLE_TOKEN.test(token)) return undefined;
    const setup = { ...setupFor(token), ...options.defaults, openedByToken: true };
    // `at_x` and `x` both name company_x: the second one does not get access to the first one's company.
    if (this.#sandbox.findCompany(setup.id) !== undefined) return undefined;
    this.#makeRoom();
    const company = this.#sandbox.open(setup);
    this.#ids.add(company.id);
    return company;
  }

  /** A company from the store. The first opened counts as the longest idle. */
  resume(id: string, { openedByToken = false }: CompanySetup): void {
    if (openedByToken) this.#ids.add(id);
  }

  use(id: string): void {
    if (this.#ids.delete(id)) this.#ids.add(id);
  }

  forget(id: string): void {
    this.#ids.delete(id);
  }

  /**
   * Removes, of the longer idle half, the first company with nothing pending, or else the first company. Those of the other half may have clients,
   * even if nothing is pending in them yet.
   */
  #makeRoom(): void {
    const most = this.#sandbox.options.limits.companies;
    // A store may hold more of them than the present limit.
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

function isAtRest({ world, dispatcher }: Company): boolean {
  return dispatcher.quiet && world.due.size === 0;
}
