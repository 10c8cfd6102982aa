import type { RuleSubject } from "../../domain/rules/match-rule.js";
import type { RequestFault } from "../../domain/model/rule.js";
import type { JournalEntry } from "./journal.js";

/** What a match over the journal looks at: what a `request` rule does, and what came of the request. What is undefined is not there. */
export type RequestSubject = RuleSubject<"request"> &
  Pick<JournalEntry, "operation" | "answer" | "problem" | "rule" | "fault" | "fate"> & {
    readonly status: number | undefined;
  };

export function subjectOf(entry: JournalEntry): RequestSubject {
  return new EntrySubject(entry);
}

/** Of thousands of entries a match looks at a member or two each: the others are not read. */
class EntrySubject implements RequestSubject {
  readonly #entry: JournalEntry;

  constructor(entry: JournalEntry) {
    this.#entry = entry;
  }

  get method(): string {
    return this.#entry.method;
  }

  get path(): string {
    return pathOf(this.#entry);
  }

  get query(): RequestSubject["query"] {
    return queryOf(this.#entry);
  }

  get headers(): RequestSubject["headers"] {
    return this.#entry.headers;
  }

  get body(): unknown {
    return this.#entry.body;
  }

  get operation(): RequestSubject["operation"] {
    return this.#entry.operation;
  }

  get status(): number | undefined {
    return statusOf(this.#entry);
  }

  get answer(): unknown {
    return this.#entry.answer;
  }

  get problem(): RequestSubject["problem"] {
    return this.#entry.problem;
  }

  get rule(): RequestSubject["rule"] {
    return this.#entry.rule;
  }

  get fault(): RequestSubject["fault"] {
    return this.#entry.fault;
  }

  get fate(): RequestSubject["fate"] {
    return this.#entry.fate;
  }
}

/** Without the query. */
export function pathOf({ path }: Pick<JournalEntry, "path">): string {
  const end = path.indexOf("?");
  return end === -1 ? path : path.slice(0, end);
}

/** Each parameter by its first value, as the API reads them. */
export function queryOf({ path }: Pick<JournalEntry, "path">): Readonly<Record<string, string>> {
  const begin = path.indexOf("?");
  if (begin === -1) return {};
  const parameters = [...new URLSearchParams(path.slice(begin))];
  return Object.fromEntries(parameters.reverse());
}

const endBeforeStatus: Readonly<Record<RequestFault, boolean>> = {
  reset: true,
  hang: true,
  empty: false,
  malformed: false,
};

/** Undefined when a rule broke the answer off before its first line. */
export function statusOf({ status, fault }: Pick<JournalEntry, "status" | "fault">): number | undefined {
  return fault !== undefined && endBeforeStatus[fault] ? undefined : status;
}
