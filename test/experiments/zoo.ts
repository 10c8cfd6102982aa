/** A program, and what `sandbox explore` must find in it. */
export interface Specimen {
  readonly program: string;
  readonly options: readonly string[];
  /** The faults of each point, by verdict. */
  readonly table: Readonly<Record<string, Verdicts>>;
}

type Verdicts = Readonly<Partial<Record<"unsafe" | "lost" | "hung" | "crashed" | "noticed" | "safe", string>>>;

/** Faults after which the work was done, and the client does not know it. */
const DONE = "answer-lost 500-after answer-cut slow";
/** Faults after which nothing was done, and the client does not know it. */
const NOT_DONE = "request-lost 500-before 503";
const READ = "request-lost 500-before 429";

const safe = (...faults: string[]): Verdicts => ({ safe: faults.join(" ") });

/** A request that is sent again under the same reference. */
const idempotent = safe(DONE, NOT_DONE, "429");
/** A payout whose outcome the program leaves to others. */
const started = safe(DONE, NOT_DONE, "429 outcome-failed outcome-pending outcome-late");
const read = safe(READ);
const finalRead = safe(READ, "stale");
/** For the last webhook, which cannot come after another one. */
const lastWebhook = safe("twice ack-lost never forged-first body-cut");
/** For a last webhook that a request causes immediately. */
const lastOwnWebhook = safe("twice ack-lost before-answer never forged-first body-cut");
const reads = { "getTransaction#1": read, "getTransaction#2": finalRead };
/** A program that lost the answer to a charge has no id, and says so. */
const charge: Verdicts = { noticed: DONE, safe: `${NOT_DONE} 429` };
const payment: Verdicts = { safe: `${DONE} ${NOT_DONE} 429 outcome-late`, noticed: "outcome-failed outcome-pending" };
/** A payout that the program cannot read, because its id was lost. */
const payout: Verdicts = { safe: `${NOT_DONE} 429 outcome-late`, noticed: `${DONE} outcome-failed outcome-pending` };

const NO_SUBSCRIPTIONS = ["--skip", "createWebhook"];
const NO_SALE = ["--skip", "createWebhook", "createCharge", "payCharge"];

/** Programs with one weakness each. */
const weak: readonly Specimen[] = [
  {
    program: "new-reference.mjs",
    options: [],
    table: {
      // If nothing was done, nothing is paid twice, but the program cannot know that.
      "createTransaction#1": {
        unsafe: `${DONE} ${NOT_DONE}`,
        safe: "429 outcome-late",
        noticed: "outcome-failed outcome-pending",
      },
      ...reads,
    },
  },
  {
    program: "gives-up.py",
    options: ["--check", `python3 ${import.meta.dirname}/programs/books.py`],
    table: {
      "createTransaction#1": {
        unsafe: "500-after",
        lost: "500-before 503",
        safe: "answer-lost answer-cut slow request-lost 429 outcome-late",
        noticed: "outcome-failed outcome-pending",
      },
      "getTransaction#1": finalRead,
    },
  },
  {
    program: "pays-another-way.py",
    options: [],
    table: {
      "createTransaction#1": {
        unsafe: DONE,
        safe: `${NOT_DONE} 429 outcome-late`,
        noticed: "outcome-failed outcome-pending",
      },
      ...reads,
    },
  },
  {
    program: "ships-on-every-event.mjs",
    options: NO_SUBSCRIPTIONS,
    table: {
      "createCharge#1": charge,
      "payCharge#1": { safe: `${DONE} ${NOT_DONE} 429 outcome-late`, lost: "outcome-failed outcome-pending" },
      "charges/events#1": {
        unsafe: "twice ack-lost",
        safe: "before-answer forged-first body-cut",
        noticed: "never",
      },
      "createTransaction#1": started,
    },
  },
  {
    program: "counts-twice.py",
    options: NO_SALE,
    table: {
      "charges/events#1": {
        unsafe: "twice ack-lost",
        safe: "before-answer forged-first body-cut",
        noticed: "never",
      },
      "createTransaction#1": payout,
      ...reads,
    },
  },
  {
    program: "never-rechecks.mjs",
    options: [],
    table: {
      "createTransaction#1": {
        lost: "outcome-pending",
        safe: `${NOT_DONE} 429 outcome-late`,
        noticed: `${DONE} outcome-failed`,
      },
      "getTransaction#1": finalRead,
    },
  },
  {
    program: "crashes-on-429.py",
    options: [],
    table: {
      "createTransaction#1": {
        crashed: "429",
        safe: `${NOT_DONE} outcome-late`,
        noticed: `${DONE} outcome-failed outcome-pending`,
      },
      ...reads,
    },
  },
  {
    program: "waits-for-ever.mjs",
    options: ["--timeout", "3s"],
    table: {
      "createTransaction#1": {
        hung: "slow",
        safe: `${NOT_DONE} 429 outcome-late`,
        noticed: "answer-lost 500-after answer-cut outcome-failed outcome-pending",
      },
      ...reads,
    },
  },
  {
    program: "trusts-order.py",
    options: NO_SALE,
    table: {
      "charges/events#1": {
        unsafe: "twice-late after-next",
        safe: "twice ack-lost before-answer never forged-first body-cut",
      },
      "charges/events#2": lastOwnWebhook,
      "refundCharge#1": idempotent,
      "getCharge#1": read,
    },
  },
  {
    program: "refunds-twice.mjs",
    options: ["--skip", "createCharge", "payCharge"],
    table: {
      "refundCharge#1": { unsafe: `${DONE} ${NOT_DONE}`, safe: "429" },
      "getCharge#1": read,
    },
  },
];

const correct: readonly Specimen[] = [
  {
    program: "pays-once.mjs",
    options: [],
    table: {
      "createWebhook#1": idempotent,
      "createWebhook#2": idempotent,
      "createTransaction#1": {
        safe: `${DONE} ${NOT_DONE} 429 outcome-late`,
        noticed: "outcome-failed outcome-pending",
      },
      "transactions/completed#1": lastWebhook,
      "getTransaction#1": finalRead,
    },
  },
  {
    program: "pays-batch.py",
    options: NO_SUBSCRIPTIONS,
    table: {
      "createBatch#1": { safe: `${DONE} ${NOT_DONE} 429 outcome-late`, noticed: "outcome-failed outcome-pending" },
      "transactions/completed#1": safe("twice twice-late ack-lost never forged-first body-cut"),
      "transactions/completed#2": lastWebhook,
      "getTransaction#1": finalRead,
      "getTransaction#2": finalRead,
    },
  },
  {
    program: "starts-only.mjs",
    options: [],
    table: { "createTransaction#1": started, "createTransaction#2": started },
  },
  {
    program: "pays-side-by-side.mjs",
    options: [],
    table: Object.fromEntries([1, 2, 3].map((n) => [`createTransaction#${n}`, started])),
  },
  {
    program: "pays-again-after-failure.py",
    options: [],
    table: {
      "createTransaction#1": {
        safe: `${NOT_DONE} 429 outcome-failed outcome-late`,
        noticed: `${DONE} outcome-pending`,
      },
      ...reads,
    },
  },
  {
    program: "ships-once.py",
    options: NO_SUBSCRIPTIONS,
    table: {
      "createCharge#1": charge,
      "payCharge#1": payment,
      "charges/events#1": lastOwnWebhook,
      "getCharge#1": read,
      "createTransaction#1": payout,
      ...reads,
    },
  },
  {
    program: "refunds-once.mjs",
    options: ["--skip", "createCharge", "payCharge"],
    table: { "refundCharge#1": idempotent, "getCharge#1": read, "getCharge#3": read },
  },
];

export const zoo = { weak, correct };
