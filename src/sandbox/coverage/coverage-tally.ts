import { isDeepStrictEqual } from "node:util";
import { AUDIT_RULE, type Rule } from "../../domain/model/rule.js";
import type { World } from "../../domain/model/work.js";
import { describeProfile } from "../../domain/profile/describe-profile.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import { SettingReads } from "../../domain/profile/track-profile.js";
import { findTopic } from "../../domain/values/topic.js";
import { Bug } from "../../kernel/messages/problem.js";
import { isChangeOf } from "../../kernel/records/unit-of-work.js";
import type { CompanyChange, CompanyWatcher } from "../company/company-deps.js";
import type { Exchange } from "../company/exchange.js";
import { renderThen } from "../state/rules.js";
import { isPlannedFailure, planCoverage } from "./coverage-plan.js";
import {
  type Coverage,
  OWN_BYTES_MAX,
  OWN_MAX,
  type RuleCoverage,
  counted,
  keyOf,
  mergeCoverage,
  summarize,
} from "./coverage-report.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

interface Sheet {
  readonly overrides: ProfileOverrides;
  /** How often each item was covered, by its key from coverage-report.ts. */
  readonly counts: Readonly<Record<CountedKind, Map<string, number>>>;
}

const countedKinds = ["operation", "transition", "cause", "delivered", "acknowledged", "setting"] as const;
type CountedKind = (typeof countedKinds)[number];

/** The most profiles of one company that are counted separately, within {@link OWN_BYTES_MAX} together. Later ones are counted under the last of these. */
const SHEETS_MAX = 50;

/**
 * Counts which parts of the contract one company's client covers, through resets of the company. Each profile has its own counts (a sheet), because the
 * profile decides what can be covered.
 */
export class CoverageTally implements CompanyWatcher {
  readonly #sheets = new Map<string, Sheet>();
  readonly #rules = new Map<string, { readonly rule: RuleCoverage; fired: number }>();
  #rulesBytes = 0;
  #overrides: ProfileOverrides = {};
  /** The sheet of `#overrides`; undefined until something is counted. */
  #current: Sheet | undefined;
  readonly #reads: SettingReads;

  constructor(reads = new SettingReads()) {
    this.#reads = reads;
  }

  get isUsed(): boolean {
    return [...this.#sheets.values()].some(isUsed);
  }

  adopt(overrides: ProfileOverrides): void {
    this.#overrides = overrides;
    this.#current = undefined;
  }

  /** Counts a request to the API under test and its answer, unless the client never read the answer. */
  see(exchange: Exchange): void {
    const sheet = this.#sheet();
    for (const setting of exchange.settings) add(sheet, "setting", setting);
    addExchange(sheet, exchange, 1);
    exchange.onLost(() => addExchange(sheet, exchange, -1));
  }

  /** Counts the transitions that `run` makes, unless it throws, and the settings that it reads, unless a request counts them. */
  watch<T>(run: () => T): T {
    const sheet = this.#sheet();
    const read = new Set<string>();
    try {
      return this.#reads.collectOutside(read, run);
    } finally {
      for (const setting of read) add(sheet, "setting", setting);
    }
  }

  noteChanges({ company: { world }, changes, moves }: CompanyChange): void {
    const sheet = this.#sheet();
    for (const { entity, from, action, to } of moves) add(sheet, "transition", `${entity} ${from} ${action} ${to}`);
    const addCause = (of: "transfer" | "payment", cause: string): void => {
      if (isPlannedFailure(of, cause)) add(sheet, "cause", keyOf.causes({ of, cause }));
    };
    const ruleUses = new Map<string, { rule: Rule; fired: number }>();
    for (const change of changes) {
      if (isChangeOf(world.transfers, change)) {
        const { before, after } = change;
        if (before?.status === "pending" && after?.status === "failed") addCause("transfer", after.failureReason ?? "");
      } else if (isChangeOf(world.charges, change)) {
        // The newest entry is the first.
        const [before, after] = [change.before?.entries[0], change.after?.entries[0]];
        const isNew = change.before !== undefined && after !== undefined && after.id !== before?.id;
        if (isNew && after.error !== null) addCause("payment", after.error);
      } else if (isChangeOf(world.deliveries, change)) {
        const { before, after } = change;
        const attempt = after?.attempts.at(-1);
        const isNew = attempt !== undefined && after?.attempts.length !== (before?.attempts.length ?? 0);
        const topic = findTopic(after?.topic ?? "");
        if (!isNew || topic === undefined) continue;
        if (attempt.status !== null) add(sheet, "delivered", topic);
        if (attempt.error === null) add(sheet, "acknowledged", topic);
      } else if (isChangeOf(world.rules, change)) {
        const { before, after } = change;
        const rule = after ?? before;
        if (rule === undefined) continue;
        const uses = after === undefined ? 0 : after.fired - (before?.fired ?? 0);
        ruleUses.set(rule.id, { rule, fired: (ruleUses.get(rule.id)?.fired ?? 0) + uses });
      }
    }
    // Each rule once: it may apply to thousands of webhooks, and rendering it takes long.
    for (const { rule, fired } of ruleUses.values()) {
      const row = this.#ruleRow(rule);
      if (row !== undefined) row.fired += fired;
    }
  }

  /** `world`: the company's present records. */
  report(world: Pick<World, "rules">): Coverage {
    const ruleItems = this.#ruleItems(world);
    const used = [...this.#sheets.values()].filter(isUsed);
    const sheets = used.length > 0 ? used : [createSheet(this.#overrides)];
    return mergeCoverage(sheets.map((sheet, at) => summarize({ ...itemsOf(sheet), rules: at === 0 ? ruleItems : [] })));
  }

  /** Like `report` with the rules alone, for an unused company. */
  reportRules(world: Pick<World, "rules">): Coverage {
    const rules = this.#ruleItems(world);
    return summarize({ operations: [], transitions: [], causes: [], topics: [], openPoints: [], rules });
  }

  #ruleItems({ rules }: Pick<World, "rules">): readonly RuleCoverage[] {
    for (const rule of rules.values()) this.#ruleRow(rule);
    return [...this.#rules.values()].map(({ rule, fired }) => ({ ...rule, ...counted(fired) }));
  }

  #sheet(): Sheet {
    if (this.#current !== undefined) return this.#current;
    const key = JSON.stringify(this.#overrides);
    const isFull = this.#sheets.size >= SHEETS_MAX || [...this.#sheets.keys()].join("").length >= OWN_BYTES_MAX;
    const last = isFull ? [...this.#sheets.values()].at(-1) : undefined;
    const sheet = this.#sheets.get(key) ?? last ?? createSheet(this.#overrides);
    if (last === undefined) this.#sheets.set(key, sheet);
    this.#current = sheet;
    return sheet;
  }

  /** The row of a rule. Equal rules share one, since a reset creates them again. Undefined for a rule of the audit, and when there are too many. */
  #ruleRow(rule: Rule): { fired: number } | undefined {
    const { name, on, match } = rule;
    if (name === AUDIT_RULE) return undefined;
    const described = { name, on, match, then: renderThen(rule) };
    const key = keyOf.rules(described);
    const known = this.#rules.get(key);
    if (known !== undefined || this.#rules.size >= OWN_MAX) return known;
    if (this.#rulesBytes + key.length > OWN_BYTES_MAX) return undefined;
    this.#rulesBytes += key.length;
    const row = { rule: { ...described, ...counted(0) }, fired: 0 };
    this.#rules.set(key, row);
    return row;
  }
}

function createSheet(overrides: ProfileOverrides): Sheet {
  const counts = Object.fromEntries(countedKinds.map((kind) => [kind, new Map<string, number>()]));
  return { overrides, counts: counts as Sheet["counts"] };
}

function add({ counts }: Sheet, kind: CountedKind, key: string, by = 1): void {
  counts[kind].set(key, (counts[kind].get(key) ?? 0) + by);
}

function addExchange(sheet: Sheet, { operation, status, problem }: Exchange, by: 1 | -1): void {
  if (operation !== undefined) add(sheet, "operation", keyOf.operations({ operation, status }), by);
  if (problem !== undefined) add(sheet, "cause", keyOf.causes({ of: "request", cause: problem }), by);
}

function isUsed({ counts }: Sheet): boolean {
  return countedKinds.some((kind) => counts[kind].size > 0);
}

function itemsOf({ overrides, counts }: Sheet): Omit<Parameters<typeof summarize>[0], "rules"> {
  const parsed = parseProfile(overrides);
  if (!parsed.ok) throw new Bug(`A profile that was in force is wrong: ${JSON.stringify(parsed.problems)}`);
  const plan = planCoverage(parsed.profile);
  const count = (kind: CountedKind, key: string): number => counts[kind].get(key) ?? 0;
  return {
    operations: plan.operations.map((item) => ({ ...item, ...counted(count("operation", keyOf.operations(item))) })),
    transitions: plan.transitions.map((item) => ({
      ...item,
      ...counted(count("transition", keyOf.transitions(item))),
    })),
    causes: plan.causes.map((item) => ({ ...item, ...counted(count("cause", keyOf.causes(item))) })),
    topics: plan.topics.map(({ topic }) => ({
      topic,
      delivered: count("delivered", topic),
      ...counted(count("acknowledged", topic)),
    })),
    openPoints: describeProfile(parsed.values).map(({ setting, value, default: byDefault }) => ({
      setting,
      value,
      isDefault: isDeepStrictEqual(value, byDefault),
      ...counted(count("setting", setting)),
    })),
  };
}
