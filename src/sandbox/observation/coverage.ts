import { isDeepStrictEqual } from "node:util";
import { describeProfile } from "../../domain/profile/describe-profile.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import { collectOutside, ReadSettings } from "../../domain/profile/track-profile.js";
import type { World } from "../../domain/model/work.js";
import { collectMoves, type Move } from "../../kernel/lifecycle.js";
import { Bug } from "../../kernel/problem.js";
import type { Change } from "../../kernel/unit-of-work.js";
import type { CompanyWatcher } from "../company/company-deps.js";
import type { Exchange } from "../company/exchange.js";
import { planCoverage } from "./coverage-plan.js";
import { counted, type Coverage, keyOf, mergeCoverage, summarize } from "./coverage-report.js";
import { Counter } from "./counter.js";
import { readChanges } from "./read-changes.js";
import { RuleTally } from "./rule-tally.js";

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
