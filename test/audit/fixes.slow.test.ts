import { describe, expect, it } from "vitest";
import { snippets } from "../../src/audit/checks/snippets.js";
import type { AuditReport } from "../../src/audit/report.js";
import { auditReceiver, auditSpecimen, mistakesIn } from "../support/audits.js";
import { startLive } from "../support/live.js";
import { createApi } from "../clients/client.js";
import { RunWatch } from "../../src/sandbox/run-report.js";
import type { AppEvent } from "./applications.js";
import { hmac, type Incoming, isGenuine, type Receive, SECRET, startReceiver, stillSystem, take } from "./receivers.js";
import type { Zoo } from "./zoo.js";

/** The function of a snippet, as a reader copies it. */
async function copied<F>(name: keyof typeof snippets, which: string): Promise<F> {
  const code = `${snippets[name].code.node}\nexport { ${which} };`;
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`))[which];
}

const fixOf = ({ checks }: AuditReport, id: string) => checks.find((check) => check.id === id);

const system = { ...stillSystem, sleep: (ms: number) => stillSystem.sleep(Math.min(ms, 5)) };

const printed = (body: Buffer): string => (take(body) === 400 ? "0" : JSON.stringify(JSON.parse(body.toString())));

const verifying =
  (isRight: (incoming: Incoming) => boolean): Receive =>
  (incoming) =>
    isRight(incoming) ? take(incoming.body) : 401;

const HEADER = "x-service-hmac-sha256";

describe("the snippet of a failed check, copied into the receiver,", { timeout: 30_000 }, () => {
  it.each<[id: string, wrong: Receive]>([
    ["signature-hex", verifying(({ body, headers }) => hmac(body, "hex") === headers[HEADER])],
    ["signature-reprinted", verifying(({ body, headers }) => hmac(printed(body)) === headers[HEADER])],
    ["signature-other-header", verifying(({ body, headers }) => isGenuine(body, headers["x-signature"]))],
    ["signature-missing", verifying(({ body, headers: { [HEADER]: header } }) => !header || isGenuine(body, header))],
    ["signature-wrong-secret", ({ body }) => take(body)],
    [
      "signature-topics",
      verifying(({ body, headers }) => body.includes(`"topic":"transaction`) || isGenuine(body, headers[HEADER])),
    ],
    ["valid-event", () => 401],
  ])("makes %s pass", async (id, wrong) => {
    const isGenuineCopied = await copied<(raw: Buffer, header: unknown, key: string) => boolean>("verify", "isGenuine");
    const receivers = [wrong, verifying(({ body, headers }) => isGenuineCopied(body, headers[HEADER], SECRET))];
    const [before, after] = await Promise.all(
      receivers.map(async (receive) => auditReceiver((await startReceiver(receive)).url, { system })),
    );
    expect(fixOf(before!, id)).toMatchObject({ verdict: "fail", snippet: "verify" });
    expect([after!.verdict, mistakesIn(after!)]).toEqual(["passed", []]);
  });
});

type Rows = Map<string, { externalId: string; status: string }>;

/** A shop with a row for each order; `move` handles the event of a charge. */
function shop(move: (rows: Rows, event: AppEvent) => void): Zoo {
  const rows: Rows = new Map();
  return {
    handle: (event) => {
      if (!event.topic.startsWith("charge")) return;
      if (!rows.has(event.reference)) rows.set(event.reference, { externalId: event.reference, status: "due" });
      move(rows, event);
    },
    state: () => [...rows.values()].map(({ externalId, status }) => ({ externalId, status })),
  };
}

describe("the snippet of a failed check, copied into the application,", { timeout: 30_000 }, () => {
  const believed = (status: (now: string, event: AppEvent) => string) => (rows: Rows, event: AppEvent) => {
    const row = rows.get(event.reference)!;
    row.status = status(row.status, event);
  };
  it.each<[id: string, wrong: (rows: Rows, event: AppEvent) => void]>([
    ["state-reversed", believed((_, { status }) => status)],
    [
      "state-dropped-after-paid",
      believed((now, { status }) =>
        now === "refunded" || (now === "dropped" && status === "due")
          ? now
          : status === "paid" && now !== "due"
            ? now
            : status,
      ),
    ],
  ])("makes %s pass", async (id, wrong) => {
    const moveOrder = await copied<(rows: Rows, charge: unknown) => void>("once", "moveOrder");
    const before = await auditSpecimen({ create: () => shop(wrong) });
    expect(fixOf(before, id)).toMatchObject({ verdict: "fail", snippet: "once" });
    const after = await auditSpecimen({
      create: () => shop((rows, event) => moveOrder(rows, { ...event, externalId: event.reference })),
    });
    expect([after.verdict, mistakesIn(after)]).toEqual(["passed", []]);
  });
});

/** Books money of charges; `isNew` says whether an event is to be handled, and `amountOf` what it is worth. */
function books(
  isNew: (event: AppEvent) => boolean | Promise<boolean>,
  amountOf = ({ status, amount }: AppEvent) => (status === "paid" ? amount : 0),
  more: Partial<Zoo> = {},
): Zoo {
  let [revenue, refunded] = [0, 0];
  return {
    handle: async (event) => {
      if (!event.topic.startsWith("charge") || !(await isNew(event))) return;
      revenue += amountOf(event);
      refunded += event.status.startsWith("refunded") ? 1 : 0;
    },
    state: () => ({ revenue, refunded }),
    ...more,
  };
}

/** The fix says: "the id, status and refunded amount … under a unique key". */
const keyOf = ({ id, status, refunded }: AppEvent): string => `${id} ${status} ${refunded}`;

function inserting(keys = new Set<string>()) {
  return (event: AppEvent): boolean => {
    const isInserted = !keys.has(keyOf(event));
    keys.add(keyOf(event));
    return isInserted;
  };
}

/** Looks the event up, handles it, and only then records it. */
function racing() {
  const keys = new Set<string>();
  return async (event: AppEvent): Promise<boolean> => {
    if (keys.has(keyOf(event))) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
    keys.add(keyOf(event));
    return true;
  };
}

function refundsBy(next: (before: number, event: AppEvent) => number): Zoo {
  const rows = new Map<string, { paid: number; refunded: number }>();
  const isNew = inserting();
  return {
    handle: (event) => {
      if (!event.topic.startsWith("charge") || event.status === "dropped" || !isNew(event)) return;
      const row = rows.get(event.id) ?? { paid: 0, refunded: 0 };
      rows.set(event.id, { paid: event.amount, refunded: next(row.refunded, event) });
    },
    state: () => [...rows.values()].reduce((sum, { paid, refunded }) => sum + paid - refunded, 0),
  };
}

describe("the fix of a failed check, applied as it stands,", { timeout: 30_000 }, () => {
  it.each<[id: string, words: string, wrong: () => Zoo, right: () => Zoo]>([
    [
      "state-duplicate",
      "Store the id, status and refunded amount of each event under a unique key",
      () => books(() => true),
      () => books(inserting()),
    ],
    [
      "state-simultaneous",
      "insert the id, status and refunded amount under a unique key, or update only where the status allows it. Go on only if a row changed",
      () => books(racing()),
      () => books(inserting()),
    ],
    [
      "state-late-duplicate",
      "Store every handled event in the database",
      () => {
        let last = "";
        return books((event) => last !== (last = keyOf(event)));
      },
      () => books(inserting()),
    ],
    [
      "state-second-subscription",
      "Identify an event by the id, status and refunded amount in its data.",
      () => {
        const bodies = new Set<string>();
        return books(({ topic, ...event }) => bodies.size < bodies.add(topic + keyOf({ topic, ...event })).size);
      },
      () => books(inserting()),
    ],
    [
      "state-refunds",
      "store the refunded amount of the event instead of the one before, if it is larger",
      () => refundsBy((before, { refunded }) => before + refunded),
      () => refundsBy((before, { refunded }) => (refunded > before ? refunded : before)),
    ],
    [
      "state-restart",
      "Store handled events in the database",
      () => {
        const memory = new Set<string>();
        return books(inserting(memory), undefined, { forget: () => memory.clear() });
      },
      () => books(inserting(), undefined, { forget: () => undefined }),
    ],
  ])("makes %s pass", async (id, words, wrong, right) => {
    const options = ({ forget }: Zoo) => (forget === undefined ? {} : { restart: forget });
    const before = await auditSpecimen({ create: wrong, options });
    expect(fixOf(before, id)).toMatchObject({ verdict: "fail", fix: expect.stringContaining(words) });
    const after = await auditSpecimen({ create: right, options });
    expect([after.verdict, after.reasons, mistakesIn(after)]).toEqual(["passed", [], []]);
  });

  it("makes an application pass that answers 404 to orders that it has not made", async () => {
    const create = (): Zoo => {
      const known = new Set<string>();
      const isNew = inserting();
      return {
        ...books((event) => isNew(event)),
        refuse: ({ id }) => (known.has(id) ? undefined : 404),
        order: () => {
          const id = `charge-${known.size}`;
          known.add(id);
          return { id, externalId: id };
        },
      };
    };
    const only = ["genuine", "forged", "state"];
    const topic = "charges/events";
    const before = await auditSpecimen({ create, options: () => ({ topic, only, order: undefined }) });
    expect(before.verdict).toBe("failed");
    expect(before.advice).toContainEqual(expect.stringContaining("--order"));
    expect(fixOf(before, "valid-event")).toMatchObject({ verdict: "fail", fix: expect.stringContaining("--order") });
    const after = await auditSpecimen({ create, options: () => ({ topic, only }) });
    expect([after.verdict, mistakesIn(after)]).toEqual(["passed", []]);
  });
});

describe("the fix of webhook-unacknowledged, applied as it stands,", () => {
  it.each<[words: string, wrong: (raw: Buffer, header: string) => boolean]>([
    [
      "Compare the header with the base64 of the HMAC-SHA256 of the raw body",
      (raw, header) => hmac(raw, "hex", "secret_sandbox") === header,
    ],
  ])("withdraws it: %s", async (words, wrong) => {
    const right = (raw: Buffer, header: string): boolean => hmac(raw, "base64", "secret_sandbox") === header;
    const fixes = [];
    for (const verify of [wrong, right]) {
      const live = await startLive();
      const watch = new RunWatch(live.sandbox, []);
      await createApi(live).listen(({ raw, headers }) => ({
        status: verify(raw, String(headers[HEADER])) ? 200 : 401,
      }));
      await live.createTransfer();
      await live.advance("2s");
      await live.settle();
      fixes.push(watch.report(true).findings.map(({ kind, fix }) => [kind, fix]));
    }
    expect(fixes[0]).toContainEqual(["webhook-unacknowledged", expect.stringContaining(words)]);
    expect(fixes[1]).toEqual([]);
  });
});
