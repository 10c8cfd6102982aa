import { expect, it } from "vitest";
import { type ApiWorld, useWorlds } from "../support/describe-api.js";
import { assertBooksAreRight } from "../support/books.js";
import fc, { runs } from "../support/fast-check.js";
import type { LooseJson } from "../support/world.js";

const OPENING = 60_000;
const numbers = {
  completes: "+2250102030405",
  fails: "+2250700000002",
  isLate: "+2250700000004",
  stays: "+2250700000003",
  refuses: "+2250700000007",
} as const;

interface Settings {
  readonly settlement: "immediate" | "manual" | { readonly after: string | number } | { readonly polls: number };
  readonly debit: "at-creation" | "on-completion";
  readonly insufficientBalance: "reject" | "fail";
  readonly duplicateReference: "conflict" | "allow";
}

interface Item {
  readonly amount: number;
  readonly msisdn: keyof typeof numbers;
  readonly reference: string;
}

interface TransferModel {
  readonly id: string;
  readonly totalAmount: number;
  readonly batchId: string | undefined;
  /** The status that was last read. */
  status: string;
}

interface Model {
  readonly settings: Settings;
  readonly references: Set<string>;
  readonly transfers: TransferModel[];
  /** What the control API added to the balance, in hundredths. */
  adjusted: number;
}

type Command = fc.AsyncCommand<Model, ApiWorld>;

const cents = (xof: number): number => Math.round(xof * 100);
/** 1 % rounded half up to a hundredth, in whole hundredths. */
const totalCentsOf = ({ amount }: Item): number => amount * 100 + amount;

/** The status that the contract expects for a transfer or a batch, from what is known before the request. */
class Send implements Command {
  readonly items: readonly Item[];
  readonly batch: boolean;
  constructor(items: readonly Item[], batch: boolean) {
    this.items = batch ? items : items.slice(0, 1);
    this.batch = batch;
  }
  check = () => true;
  async run(model: Model, { api }: ApiWorld): Promise<void> {
    const before = (await api("GET", "/v1/balance")).body.balance;
    const expected = this.expectedStatus(model, before);
    const requests = this.items.map((item) => ({ ...item, msisdn: numbers[item.msisdn], type: "transfer" }));
    const { status, body } = this.batch
      ? await api("POST", "/v1/transactions/batch", { transactions: requests })
      : await api("POST", "/v1/transactions", requests[0]);
    expect(status).toBe(expected);
    if (status !== 201) {
      expect((await api("GET", "/v1/balance")).body.balance).toBe(before);
      return;
    }
    for (const { reference } of this.items) model.references.add(reference);
    const created: LooseJson[] = this.batch ? body.transactions : [body];
    expect(created.map(({ status: shown }) => shown)).toEqual(this.items.map(() => "pending"));
    expect(created.map(({ totalAmount }) => cents(totalAmount))).toEqual(this.items.map(totalCentsOf));
    model.transfers.push(
      ...created.map(({ id, totalAmount, batchId }) => ({ id, totalAmount, batchId, status: "pending" })),
    );
  }
  expectedStatus({ settings, references }: Model, balance: number): number {
    if (this.items.some(({ msisdn }) => msisdn === "refuses")) return 422;
    const needed = this.items.reduce((sum, item) => sum + totalCentsOf(item), 0);
    if (settings.insufficientBalance === "reject" && needed > cents(balance)) return 422;
    const own = this.items.map(({ reference }) => reference);
    const taken = new Set(own).size < own.length || own.some((reference) => references.has(reference));
    return settings.duplicateReference === "conflict" && taken ? 409 : 201;
  }
  toString = () => `send ${this.batch ? "batch " : ""}${JSON.stringify(this.items)}`;
}

class Wait implements Command {
  readonly by: string;
  constructor(by: string) {
    this.by = by;
  }
  check = () => true;
  run = (_: Model, world: ApiWorld): Promise<void> => world.advance(this.by);
  toString = () => `wait ${this.by}`;
}

class Decide implements Command {
  readonly pick: number;
  readonly action: "complete" | "fail";
  constructor(pick: number, action: "complete" | "fail") {
    this.pick = pick;
    this.action = action;
  }
  check = ({ transfers }: Readonly<Model>) => transfers.length > 0;
  async run({ transfers }: Model, { control }: ApiWorld): Promise<void> {
    const transfer = transfers[this.pick % transfers.length]!;
    const pending = (await control("GET", "/transactions?status=pending&limit=1000")).body.data;
    const isPending = pending.some(({ id }: LooseJson) => id === transfer.id);
    const { status } = await control("POST", `/transactions/${transfer.id}/${this.action}`);
    if (!isPending) expect(status).toBe(422);
    else expect([200, 422]).toContain(status); // 422: the balance does not suffice to complete it
  }
  toString = () => `${this.action} #${this.pick}`;
}

class SetBalance implements Command {
  readonly balance: number;
  constructor(balance: number) {
    this.balance = balance;
  }
  check = () => true;
  async run(model: Model, { api, control }: ApiWorld): Promise<void> {
    const before = (await api("GET", "/v1/balance")).body.balance;
    expect((await control("PUT", "/balance", { balance: this.balance })).status).toBe(200);
    model.adjusted += cents(this.balance) - cents(before);
  }
  toString = () => `set the balance to ${this.balance}`;
}

/** Reads every transfer, and checks each one and their sums. */
class Look implements Command {
  check = () => true;
  async run(model: Model, world: ApiWorld): Promise<void> {
    for (const transfer of model.transfers) {
      const { body } = await world.api("GET", `/v1/transactions/${transfer.id}`);
      if (transfer.status !== "pending") expect(body.status).toBe(transfer.status); // a final status does not change
      expect(["pending", "completed", "failed"]).toContain(body.status);
      expect(body.failureReason === null).toBe(body.status !== "failed");
      expect(body.batchId).toBe(transfer.batchId);
      transfer.status = body.status;
    }
    await assertBooksAreRight(world);
    await this.assertMoney(model, world);
    await this.assertEvents(model, world);
    await this.assertBatches(model, world);
  }
  /** The balance is the opening balance minus completed transfers and minus the money held for pending ones. */
  async assertMoney({ transfers, settings, adjusted }: Model, { api, sandbox }: ApiWorld): Promise<void> {
    const sum = (status: string): number =>
      transfers
        .filter((one) => one.status === status)
        .reduce((total, { totalAmount }) => total + cents(totalAmount), 0);
    const held = cents((sandbox.defaultCompany.world.accounts.get("pending")?.amount ?? 0) / 10_000);
    if (settings.debit === "on-completion") expect(held).toBe(0);
    else if (settings.insufficientBalance === "reject") expect(held).toBe(sum("pending"));
    const { balance } = (await api("GET", "/v1/balance")).body;
    expect(cents(balance)).toBe(OPENING * 100 + adjusted - sum("completed") - held);
    expect(balance).toBeGreaterThanOrEqual(0);
  }
  /** Each transfer has one start event, and one end event if it has ended. */
  async assertEvents({ transfers }: Model, { control }: ApiWorld): Promise<void> {
    const { data } = (await control("GET", "/events?limit=1000")).body;
    for (const { id, status } of transfers) {
      const types = data.filter(({ resource }: LooseJson) => resource === id).map(({ type }: LooseJson) => type);
      expect(types).toEqual(["transaction.started", ...(status === "pending" ? [] : [`transaction.${status}`])]);
    }
  }
  /** A batch is completed only when all of its transactions are final. */
  async assertBatches({ transfers }: Model, { control }: ApiWorld): Promise<void> {
    for (const { id, status, totalAmount } of (await control("GET", "/batches?limit=1000")).body.data) {
      const own = transfers.filter(({ batchId }) => batchId === id);
      expect(status).toBe(own.some((one) => one.status === "pending") ? "processing" : "completed");
      expect(cents(totalAmount)).toBe(own.reduce((sum, one) => sum + cents(one.totalAmount), 0));
    }
  }
  toString = () => "look";
}

const open = useWorlds();

it("transfers and batches end once and move exactly their amounts, under every setting", async () => {
  const item = fc.record<Item>({
    amount: fc.constantFrom(5_000, 5_051, 9_999, 20_007),
    msisdn: fc.oneof(
      { weight: 4, arbitrary: fc.constant("completes" as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom("fails" as const, "isLate" as const, "stays" as const, "refuses" as const),
      },
    ),
    reference: fc.integer({ min: 0, max: 12 }).map((number) => `r${number}`),
  });
  const items = fc.array(item, { minLength: 1, maxLength: 3 });
  const commands = fc.commands(
    [
      fc.tuple(items, fc.boolean()).map((args) => new Send(...args)),
      fc.constantFrom("1s", "2s", "10m2s", "1h").map((by) => new Wait(by)),
      fc
        .tuple(fc.nat({ max: 9 }), fc.constantFrom("complete" as const, "fail" as const))
        .map((args) => new Decide(...args)),
      fc.constantFrom(0, 5_101.51, 30_000).map((balance) => new SetBalance(balance)),
      fc.constant(new Look()),
    ],
    { maxCommands: 30, size: "max" },
  );
  const settings = fc.record<Settings>({
    settlement: fc.constantFrom<Settings["settlement"]>(
      "immediate",
      "manual",
      { after: "2s" },
      { after: 0 },
      { polls: 2 },
    ),
    debit: fc.constantFrom("at-creation", "on-completion"),
    insufficientBalance: fc.constantFrom("reject", "fail"),
    duplicateReference: fc.constantFrom("conflict", "allow"),
  });
  await fc.assert(
    fc.asyncProperty(settings, commands, async (chosen, steps) => {
      const world = await open({ balance: OPENING, profile: { transfers: { ...chosen } } });
      const model: Model = { settings: chosen, references: new Set(), transfers: [], adjusted: 0 };
      await fc.asyncModelRun(() => ({ model, real: world }), [...steps, new Look()]);
      await world.close();
    }),
    { numRuns: runs(60) },
  );
}, 120_000);
