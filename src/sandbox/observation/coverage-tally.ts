import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "../company/exchange.js";
import { type Coverage, type RuleCoverage, counted, keyOf, mergeCoverage, summarize } from "./coverage-report.js";
import type { World } from "../../domain/model/work.js";
import type { Charge } from "../../domain/model/charge.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { Rule } from "../../domain/model/rule.js";
import { type Topic, findTopic } from "../../domain/values/topic.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { Row, RowStore } from "../../kernel/table.js";
import type { Change } from "../../kernel/unit-of-work.js";
import { describeProfile } from "../../domain/profile/describe-profile.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import { ReadSettings, collectOutside } from "../../domain/profile/track-profile.js";
import { type Move, collectMoves } from "../../kernel/lifecycle.js";
import { Bug } from "../../kernel/problem.js";
import type { CompanyWatcher } from "../company/company-deps.js";
import { planCoverage } from "./coverage-plan.js";
import { renderThen } from "../state/rules.js";

/** What is counted under one profile. */
interface Sheet {
  readonly overrides: ProfileOverrides;
  /** By the keys of coverage-report.ts. */
  readonly operations: Counter;
  readonly transitions: Counter;
  readonly causes: Counter;
  /** Acknowledged. */
  readonly topics: Counter;
  readonly delivered: Counter;
  readonly settings: Counter;
}

/** Profiles of one company that are told apart; what is met under later ones is counted under the last. */
const SHEETS_MAX = 50;

/**
 * Counts what is met of one company's world. It is about the client and not about the world, so it outlives a reset: one sheet for each profile, since
 * the profile decides what can be met.
 */
export class CoverageTally implements CompanyWatcher {
  readonly #sheets = new Map<string, Sheet>();
  readonly #rules = new RuleTally();
  #overrides: ProfileOverrides = {};
  /** Undefined until something is met under these overrides. */
  #current: Sheet | undefined;

  /** Whether anything was counted. */
  get isUsed(): boolean {
    return [...this.#sheets.values()].some(isUsed);
  }

  /** What is met from now on is met under this profile. */
  adopt(overrides: ProfileOverrides): void {
    if (overrides === this.#overrides) return;
    this.#overrides = overrides;
    this.#current = undefined;
  }

  /** A request to the API under test and its answer. An answer that the client never read is not met. */
  see(exchange: Exchange): void {
    const sheet = this.#sheet();
    for (const setting of exchange.settings) sheet.settings.add(setting);
    count(sheet, exchange, 1);
    exchange.onLost(() => count(sheet, exchange, -1));
  }

  /** The moves that it makes, unless it throws, and the settings that it reads, unless a request counts them. */
  watch<T>(run: () => T): T {
    const sheet = this.#sheet();
    const moves: Move[] = [];
    const read = new ReadSettings();
    try {
      const result = collectMoves(moves, () => collectOutside(read, run));
      for (const { entity, from, action, to } of moves) sheet.transitions.add(`${entity} ${from} ${action} ${to}`);
      return result;
    } finally {
      for (const setting of read.paths) sheet.settings.add(setting);
    }
  }

  noteChanges(world: World, changes: readonly Change[]): void {
    const sheet = this.#sheet();
    readChanges(world, changes, {
      onFailure: (of, cause) => sheet.causes.add(keyOf.causes({ of, cause })),
      onAttempt: (topic, { status, error }) => {
        if (status !== null) sheet.delivered.add(topic);
        if (error === null) sheet.topics.add(topic);
      },
      onRule: (before, after) => this.#rules.note(before, after),
    });
  }

  /** `world` is the company's as it is now. */
  report({ rules }: Pick<World, "rules">): Coverage {
    const used = [...this.#sheets.values()].filter(isUsed);
    const sheets = used.length > 0 ? used : [emptySheet(this.#overrides)];
    const fired = this.#rules.report(rules.values());
    return mergeCoverage(sheets.map((sheet, at) => summarize({ ...itemsOf(sheet), rules: at === 0 ? fired : [] })));
  }

  #sheet(): Sheet {
    if (this.#current !== undefined) return this.#current;
    const key = JSON.stringify(this.#overrides);
    const isFull = this.#sheets.size >= SHEETS_MAX;
    const sheet =
      this.#sheets.get(key) ?? (isFull ? [...this.#sheets.values()].at(-1) : undefined) ?? emptySheet(this.#overrides);
    if (!isFull) this.#sheets.set(key, sheet);
    this.#current = sheet;
    return sheet;
  }
}

function count(sheet: Sheet, { operation, status, problem }: Exchange, by: 1 | -1): void {
  if (operation !== undefined) sheet.operations.add(keyOf.operations({ operation, status }), by);
  if (problem !== undefined) sheet.causes.add(keyOf.causes({ of: "request", cause: problem }), by);
}

function emptySheet(overrides: ProfileOverrides): Sheet {
  return {
    overrides,
    operations: new Counter(),
    transitions: new Counter(),
    causes: new Counter(),
    topics: new Counter(),
    delivered: new Counter(),
    settings: new Counter(),
  };
}

function isUsed({ overrides: _, ...counters }: Sheet): boolean {
  return Object.values(counters).some(({ isEmpty }) => !isEmpty);
}

function itemsOf(sheet: Sheet): Omit<Parameters<typeof summarize>[0], "rules"> {
  const parsed = parseProfile(sheet.overrides);
  if (!parsed.ok) throw new Bug(`A profile that was in force is wrong: ${JSON.stringify(parsed.problems)}`);
  const plan = planCoverage(parsed.profile);
  return {
    operations: plan.operations.map((item) => ({ ...item, ...counted(sheet.operations.of(keyOf.operations(item))) })),
    transitions: plan.transitions.map((item) => ({
      ...item,
      ...counted(sheet.transitions.of(keyOf.transitions(item))),
    })),
    causes: plan.causes.map((item) => ({ ...item, ...counted(sheet.causes.of(keyOf.causes(item))) })),
    topics: plan.topics.map(({ topic }) => ({
      topic,
      delivered: sheet.delivered.of(topic),
      ...counted(sheet.topics.of(topic)),
    })),
    openPoints: describeProfile(parsed.values).map(({ setting, value, default: byDefault }) => ({
      setting,
      value,
      isDefault: isDeepStrictEqual(value, byDefault),
      ...counted(sheet.settings.of(setting)),
    })),
  };
}

/** How often what came. */
export class Counter {
  readonly #counts = new Map<string, { count: number }>();

  add(key: string, by = 1): void {
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { count: by });
    else counted.count += by;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  of(key: string): number {
    return this.#counts.get(key)?.count ?? 0;
  }
}

/** Rules that are remembered; more than that are not the rules of a person. */
const RULES_MAX = 1000;

/** Each rule that there was and how often it applied, whatever became of it since. Two that say the same are one, as a reset makes them anew. */
export class RuleTally {
  readonly #known = new Map<string, { readonly rule: RuleCoverage; fired: number }>();

  /** A change of a rule: `before` undefined when it is new, `after` when it has gone. */
  note(before: Rule | undefined, after: Rule | undefined): void {
    const rule = after ?? before;
    if (rule === undefined) return;
    const row = this.#rowOf(rule);
    if (row !== undefined && after !== undefined) row.fired += after.fired - (before?.fired ?? 0);
  }

  /** With those of `present` that nothing ever happened to. */
  report(present: readonly Rule[]): readonly RuleCoverage[] {
    for (const rule of present) this.#rowOf(rule);
    return [...this.#known.values()].map(({ rule, fired }) => ({ ...rule, ...counted(fired) }));
  }

  #rowOf(rule: Rule): { fired: number } | undefined {
    const { name, on, match } = rule;
    const described = { name, on, match, then: renderThen(rule) };
    const key = keyOf.rules(described);
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.size >= RULES_MAX) return known;
    const row = { rule: { ...described, ...counted(0) }, fired: 0 };
    this.#known.set(key, row);
    return row;
  }
}

export interface ChangeReader {
  readonly onFailure: (of: "transfer" | "payment", cause: string) => void;
  readonly onAttempt: (topic: Topic, attempt: Attempt) => void;
  readonly onRule: (before: Rule | undefined, after: Rule | undefined) => void;
}

/** What a commit says of the outcome of transfers, payments and deliveries, and of rules. */
export function readChanges(world: World, changes: readonly Change[], reader: ChangeReader): void {
  for (const change of changes) {
    if (isOf(world.transfers, change)) readTransfer(change, reader);
    else if (isOf(world.charges, change)) readCharge(change, reader);
    else if (isOf(world.deliveries, change)) readDelivery(change, reader);
    else if (isOf(world.rules, change)) reader.onRule(change.before, change.after);
  }
}

/** A change's rows are those of the store that it was made in: the unit of work writes it so. */
export function isOf<T extends Row>(store: RowStore<T>, change: Change): change is Change<T> {
  return change.store === store;
}

function readTransfer({ before, after }: Change<Transfer>, { onFailure }: ChangeReader): void {
  if (before?.status === "pending" && after?.status === "failed") onFailure("transfer", after.failureReason ?? "");
}

/** The newest entry stands first. */
function readCharge({ before, after }: Change<Charge>, { onFailure }: ChangeReader): void {
  const entry = after?.entries[0];
  if (before === undefined || entry === undefined || entry.id === before.entries[0]?.id) return;
  if (entry.error !== null) onFailure("payment", entry.error);
}

function readDelivery({ before, after }: Change<Delivery>, { onAttempt }: ChangeReader): void {
  const attempt = after?.attempts.at(-1);
  if (after === undefined || attempt === undefined || after.attempts.length === (before?.attempts.length ?? 0)) return;
  const topic = findTopic(after.topic);
  if (topic !== undefined) onAttempt(topic, attempt);
}

interface Covered {
  readonly id: string;
  readonly world: Pick<World, "rules">;
}

/** What the clients of one sandbox met, by company. What a company's client met outlives its resets; when the company goes, it stays in the sum. */
export class CoverageBook {
  readonly #tallies = new Map<string, CoverageTally>();
  #gone: Coverage | undefined;

  /** Begins one when there is none. */
  tallyOf(companyId: string): CoverageTally {
    const found = this.#tallies.get(companyId) ?? new CoverageTally();
    this.#tallies.set(companyId, found);
    return found;
  }

  /** A request to the API under test and its answer. Nobody counts for a company that went meanwhile. */
  see(companyId: string, exchange: Exchange): void {
    this.#tallies.get(companyId)?.see(exchange);
  }

  of({ id, world }: Covered): Coverage {
    return this.tallyOf(id).report(world);
  }

  /** Of all that there are and were. A company in which nothing happened only counts when nothing did in any. */
  ofAll(companies: readonly Covered[]): Coverage {
    const used = companies.filter(({ id }) => this.tallyOf(id).isUsed);
    const parts = [...(this.#gone === undefined ? [] : [this.#gone]), ...used.map((company) => this.of(company))];
    return mergeCoverage(parts.length > 0 ? parts : companies.slice(0, 1).map((company) => this.of(company)));
  }

  /** The company goes. */
  leave(company: Covered): void {
    if (this.#tallies.get(company.id)?.isUsed === true) {
      this.#gone = mergeCoverage([...(this.#gone === undefined ? [] : [this.#gone]), this.of(company)]);
    }
    this.#tallies.delete(company.id);
  }
}
