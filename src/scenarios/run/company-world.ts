import { memberOf } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { toIso } from "../../kernel/time/instant.js";
import type { Company } from "../../sandbox/company/company.js";
import { setupFor } from "../../sandbox/config/options.js";
import { FINDINGS_MAX, type Finding } from "../../sandbox/findings/finding.js";
import type { Redactor } from "../../sandbox/observation/redact.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { describeRule } from "../../sandbox/state/rules.js";
import type { Given } from "../file/scenario.js";
import type { Received, Receiver } from "./receiver.js";
import { type Answer, type Outgoing, readAnswer, type ScenarioWorld, type Seen } from "./world.js";

/** Calls the sandbox without a socket. */
export type Fetch = (request: Request) => Response | Promise<Response>;

export interface WorldParts {
  readonly sandbox: Sandbox;
  readonly fetch: Fetch;
  readonly receiver: Receiver;
  /** The scenario's name. The path of its receiver and the names of its other companies contain it. */
  readonly name: string;
  /** Ends the scenario's requests early. */
  readonly signal?: AbortSignal | undefined;
}

/** The most companies that a scenario opens besides its own: each takes memory, and a signature of a webhook is compared with those of all. */
export const OTHERS_MAX = 100;

type OtherCompany = ReturnType<ScenarioWorld["other"]>;

/** Runs a scenario in a company of this sandbox. */
export class CompanyWorld implements ScenarioWorld {
  readonly companyId: string;
  readonly #parts: WorldParts;
  readonly #given: Given | undefined;
  readonly #inbox: ReturnType<Receiver["open"]>;
  /** Keyed by the names that the scenario gives them. */
  readonly #others = new Map<string, OtherCompany>();
  /** Of companies that the scenario has reset or removed. */
  readonly #earlierFindings: Finding[] = [];
  readonly #stopListening: () => void;

  /** With `given` the company is the scenario's own, and other companies that it opens begin like it. */
  constructor(parts: WorldParts, companyId: string, given?: Given) {
    this.companyId = companyId;
    this.#parts = parts;
    this.#given = given;
    this.#inbox = parts.receiver.open(parts.name, () =>
      this.#companies().map(({ record, profile }) => ({
        secretKey: record.identity.secretKey,
        header: profile.webhooks.signatureHeader.toLowerCase(),
      })),
    );
    this.#stopListening = parts.sandbox.events.on("forgets", ({ company }) => {
      const limit = FINDINGS_MAX - this.#earlierFindings.length;
      if (limit <= 0 || ![this, ...this.#others.values()].some(({ companyId }) => companyId === company.id)) return;
      // A scenario is not a client, so what it does not check is not a mistake of a client.
      const where = ({ endsRun }: { readonly endsRun: boolean }) => !endsRun;
      const { rows } = parts.sandbox.observationOf(company.id).findings.rows.page({ limit, where });
      this.#earlierFindings.push(...rows.map(({ finding }) => finding));
    });
  }

  get token(): string {
    return this.#company.record.identity.tokens[0]?.token ?? "";
  }

  get secretKey(): string {
    return this.#company.record.identity.secretKey;
  }

  get url(): string {
    return this.#parts.sandbox.publicUrl;
  }

  get receiverUrl(): string {
    return this.#inbox.url;
  }

  get redactor(): Redactor {
    return this.#parts.sandbox.redactor;
  }

  get frozen(): boolean {
    return this.#company.clock.mode === "frozen";
  }

  get testNumbers(): ScenarioWorld["testNumbers"] {
    return this.#company.profile.testNumbers;
  }

  now(): string {
    return toIso(this.#company.now());
  }

  received(): readonly Received[] {
    return this.#inbox.received;
  }

  async send({ method, path, headers, body }: Outgoing): Promise<Answer> {
    const { sandbox, fetch, signal } = this.#parts;
    const { adminToken } = sandbox.options;
    // Without a socket, calls would not let other work have its turn.
    await sandbox.system.yieldToEventLoop();
    // Links in answers begin with the address of the request, which is therefore ${url}.
    const url = new URL(new URL(sandbox.publicUrl).origin + path);
    const isControl = path.startsWith("/_sandbox");
    if (isControl && !url.searchParams.has("company")) url.searchParams.set("company", this.companyId);
    const admin = isControl && adminToken !== undefined ? { authorization: `Bearer ${adminToken}` } : undefined;
    // The body is bytes, because a Request would add a content type to a text.
    const content = body === undefined ? {} : { body: new TextEncoder().encode(body) };
    const init = { method, headers: { ...admin, ...headers }, ...(signal && { signal }), ...content };
    return readAnswer(await fetch(new Request(url, init)));
  }

  async control(method: string, path: string, body?: unknown): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers: Outgoing["headers"] = json === undefined ? {} : { "content-type": "application/json" };
    const answer = await this.send({ method, path, headers, body: json });
    if (answer.status < 300) return answer;
    const message = memberOf(answer.body, "message");
    const messages = Array.isArray(message) ? message.map(String) : [];
    throw new UsageError("input", messages.length > 0 ? messages : `${method} ${path} answered ${answer.status}.`);
  }

  other(name: string): OtherCompany {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    if (this.#others.size >= OTHERS_MAX)
      throw new UsageError("input", `A scenario may have at most ${OTHERS_MAX} other companies (\`as\`).`);
    const { sandbox } = this.#parts;
    const setup = identityOf(sandbox, `${this.#parts.name}-${name}`);
    const { balance, frozenAt, profile } = this.#given ?? sandbox.options.defaults;
    const fixtures = this.#given?.shared ?? sandbox.options.defaults.fixtures;
    sandbox.open({ ...setup, balance, frozenAt, profile, fixtures, ofScenario: true });
    const opened = {
      token: setup.tokens[0]?.token ?? "",
      companyId: setup.id,
      secretKey: setup.secretKey,
      get frozen() {
        return sandbox.findCompany(setup.id)?.clock.mode === "frozen";
      },
    };
    this.#others.set(name, opened);
    return opened;
  }

  async settle(): Promise<void> {
    const present = [...this.#others.values()].filter(
      ({ companyId }) => this.#parts.sandbox.findCompany(companyId) !== undefined,
    );
    for (const { companyId } of [this, ...present])
      await this.control("POST", `/_sandbox/settle?company=${encodeURIComponent(companyId)}`);
  }

  seen(): Seen {
    const companies = this.#companies();
    return {
      findings: [
        ...this.#earlierFindings,
        ...companies.flatMap(({ id }) => this.#parts.sandbox.observationOf(id).findings.list()),
      ],
      allowed: [],
      rulesNeverFired: companies.flatMap(({ world }) =>
        world.rules.values().flatMap((rule) => (rule.fired === 0 ? this.redactor.text(describeRule(rule)) : [])),
      ),
    };
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#inbox.close();
    const { sandbox } = this.#parts;
    const others = [...this.#others.values()].map(({ companyId }) => companyId);
    for (const id of this.#given === undefined ? others : [this.companyId, ...others]) {
      const company = sandbox.findCompany(id);
      if (company === undefined) continue;
      // A scenario is not a client, so what it does not check is not a mistake of a client.
      sandbox.remove(company, { endsRun: false });
      // Many scenarios may end at once, for example when their clients leave.
      await sandbox.system.yieldToEventLoop();
    }
  }

  /** Found anew each time, because the scenario may replace the company's state. */
  get #company(): Company {
    const found = this.#parts.sandbox.findCompany(this.companyId);
    if (found === undefined)
      throw new UsageError("state", `The company ${this.companyId} of this scenario was removed.`);
    return found;
  }

  /** The scenario's company and the others, without those that were removed. */
  #companies(): readonly Company[] {
    const ids = [this, ...this.#others.values()].map(({ companyId }) => companyId);
    return ids.flatMap((id) => this.#parts.sandbox.findCompany(id) ?? []);
  }
}

/** The id and credentials of a scenario's company. With tenancy a token drives its company, so nobody must guess it. */
export function identityOf({ options, ids }: Sandbox, name: string): ReturnType<typeof setupFor> {
  const identity = setupFor(tokenOf(name));
  if (!options.tenancy) return identity;
  return { ...identity, tokens: [{ token: ids.short("at"), expiresAt: null }], secretKey: ids.short("secret") };
}

/** A token from any name, encoded for a header. */
export function tokenOf(name: string): string {
  return `at_${encodeURIComponent(name)}`;
}
