import { expect, it } from "vitest";
import { type ApiWorld, useWorlds } from "../support/describe-api.js";
import { assertBooksAreRight } from "../support/books.js";
import fc, { runs } from "../support/fast-check.js";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const TTL_MS = 3_600_000;
const FAILS = "+2250700000002";

interface ChargeModel {
  readonly id: string;
  readonly createdAt: number;
  readonly amount: number;
  status: string;
  paid: number;
  refunded: number;
  attempts: number;
  /** `type status amount`, newest first. */
  entries: string[];
  /** What webhooks and the event log must report, oldest first. */
  events: string[];
}

interface Settings {
  readonly further: "allowed" | "refused";
  readonly failedAttempt: "stay" | "drop";
  readonly credit: "full" | "net";
}

interface Model {
  readonly settings: Settings;
  now: number;
  balance: number;
  readonly charges: Map<string, ChargeModel>;
}

type Command = fc.AsyncCommand<Model, ApiWorld>;

/** The existing charge that `pick` chooses. */
function choose({ charges }: Model, pick: number): ChargeModel {
  const all = [...charges.values()];
  return all[pick % all.length]!;
}

class Create implements Command {
  readonly externalId: string;
  readonly amount: number;
  constructor(externalId: string, amount: number) {
    this.externalId = externalId;
    this.amount = amount;
  }
  check = () => true;
  async run(model: Model, { api }: ApiWorld): Promise<void> {
    const { status, body } = await api(
      "POST",
      "/v1/charges",
      chargeRequest({ externalId: this.externalId, amount: this.amount }),
    );
    if (model.charges.has(this.externalId)) {
      expect(status).toBe(409);
      return;
    }
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: "created",
      due: this.amount,
      paid: 0,
      refunded: 0,
      attempts: 0,
      transactions: [],
    });
    model.charges.set(this.externalId, {
      id: body.id,
      createdAt: model.now,
      amount: this.amount,
      status: "due",
      paid: 0,
      refunded: 0,
      attempts: 0,
      entries: [],
      events: ["charge.created"],
    });
  }
  toString = () => `create ${this.externalId} of ${this.amount}`;
}

abstract class OnCharge implements Command {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = ({ charges }: Readonly<Model>) => charges.size > 0;
  async run(model: Model, world: ApiWorld): Promise<void> {
    const charge = choose(model, this.pick);
    await this.act(model, charge, world);
    assertAsModelled((await world.api("GET", `/v1/charges/${charge.id}`)).body, charge);
  }
  abstract act(model: Model, charge: ChargeModel, world: ApiWorld): Promise<void>;
}

class Pay extends OnCharge {
  readonly fails: boolean;
  constructor(pick: number, fails: boolean) {
    super(pick);
    this.fails = fails;
  }
  override async act(model: Model, charge: ChargeModel, { api }: ApiWorld): Promise<void> {
    const request = this.fails ? { msisdn: FAILS } : undefined;
    const { status, body } = await api("POST", `/v1/charges/${charge.id}/pay`, request);
    if (charge.status !== "due") {
      expect(status).toBe(422);
      return;
    }
    expect(status).toBe(200);
    charge.attempts++;
    charge.entries.unshift(`payment ${this.fails ? "failed" : "completed"} ${charge.amount}`);
    if (!this.fails) {
      charge.status = "paid";
      charge.paid = charge.amount;
      charge.events.push("charge.paid");
      model.balance += charge.amount - (model.settings.credit === "net" ? body.fees.value : 0);
    } else if (model.settings.failedAttempt === "drop") {
      charge.status = "dropped";
      charge.events.push("charge.dropped");
    } else charge.events.push("charge.payment_failed");
    assertAsModelled(body, charge);
    expect(body.webRedirectionUrl).toBe(this.fails ? "https://shop.test/no" : "https://shop.test/yes");
  }
  override toString = () => `${this.fails ? "fail to pay" : "pay"} #${this.pick}`;
}

/** The share of the refundable amount. */
const refunds = {
  all: () => undefined,
  one: () => 1,
  "all but one": (left: number) => left - 1,
  "all that is left": (left: number) => left,
  "one too much": (left: number) => left + 1,
} as const;

class Refund extends OnCharge {
  readonly which: keyof typeof refunds;
  constructor(pick: number, which: keyof typeof refunds) {
    super(pick);
    this.which = which;
  }
  override async act(model: Model, charge: ChargeModel, { api }: ApiWorld): Promise<void> {
    const left = charge.paid - charge.refunded;
    const given = refunds[this.which](left);
    const request = given === undefined ? undefined : { amount: given };
    const { status, body } = await api("POST", `/v1/charges/${charge.id}/refund`, request);
    const refundable = ["paid", ...(model.settings.further === "allowed" ? ["refunded_partially"] : [])];
    const amount = given ?? left;
    if (given !== undefined && given < 1) expect(status).toBe(400);
    else if (!refundable.includes(charge.status)) expect(status).toBe(422);
    else if (amount > left) expect(status).toBe(400);
    else {
      expect(status).toBe(200);
      charge.refunded += amount;
      charge.status = amount === left ? "refunded" : "refunded_partially";
      charge.entries.unshift(`refund completed ${amount}`);
      charge.events.push(`charge.${charge.status}`);
      model.balance -= amount;
      assertAsModelled(body, charge);
    }
  }
  override toString = () => `refund ${this.which} of #${this.pick}`;
}

class Wait implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run(model: Model, world: ApiWorld): Promise<void> {
    await world.advance(`${this.ms}ms`);
    model.now += this.ms;
    for (const charge of model.charges.values()) {
      if (charge.status !== "due" || model.now < charge.createdAt + TTL_MS) continue;
      charge.status = "dropped";
      charge.events.push("charge.dropped");
    }
  }
  toString = () => `wait ${this.ms} ms`;
}

class CheckAll implements Command {
  check = () => true;
  async run(model: Model, world: ApiWorld): Promise<void> {
    await assertBooksAreRight(world);
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(model.balance);
    const { data } = (await world.control("GET", "/events?limit=1000")).body;
    for (const charge of model.charges.values()) {
      assertAsModelled((await world.api("GET", `/v1/charges/${charge.id}`)).body, charge);
      const types = data.filter(({ resource }: LooseJson) => resource === charge.id).map(({ type }: LooseJson) => type);
      expect(types).toEqual(charge.events);
    }
  }
  toString = () => "check everything";
}

function assertAsModelled(body: LooseJson, charge: ChargeModel): void {
  expect({
    ...body,
    transactions: body.transactions.map(({ type, status, amount }: LooseJson) => `${type} ${status} ${amount}`),
  }).toMatchObject({
    id: charge.id,
    status: charge.status,
    amount: charge.amount,
    due: charge.paid > 0 ? 0 : charge.amount,
    paid: charge.paid,
    refunded: charge.refunded,
    attempts: charge.attempts,
    droppedReason: charge.status === "dropped" ? expect.any(String) : null,
    transactions: charge.entries,
  });
}

const open = useWorlds();

it("charges follow the contract's table under every setting, and the ledger balances after every step", async () => {
  const pick = fc.nat({ max: 3 });
  const commands = fc.commands(
    [
      fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom(1, 50, 9_999)).map((args) => new Create(...args)),
      fc.tuple(pick, fc.constantFrom(false, false, true)).map((args) => new Pay(...args)),
      fc
        .tuple(pick, fc.constantFrom(...(Object.keys(refunds) as (keyof typeof refunds)[])))
        .map((args) => new Refund(...args)),
      fc.constantFrom(1, 1_000, 600_000, 1_800_000, TTL_MS - 1).map((ms) => new Wait(ms)),
      fc.constant(new CheckAll()),
    ],
    { maxCommands: 30, size: "max" },
  );
  const settings = fc.record<Settings>({
    further: fc.constantFrom("allowed", "refused"),
    failedAttempt: fc.constantFrom("stay", "drop"),
    credit: fc.constantFrom("full", "net"),
  });
  await fc.assert(
    fc.asyncProperty(settings, commands, async (chosen, steps) => {
      const world = await open({
        balance: 1_000,
        profile: {
          refunds: { further: chosen.further },
          charges: { failedAttempt: chosen.failedAttempt, fee: { credit: chosen.credit } },
        },
      });
      const model: Model = { settings: chosen, now: 0, balance: 1_000, charges: new Map() };
      await fc.asyncModelRun(() => ({ model, real: world }), [...steps, new CheckAll()]);
      await world.close();
    }),
    { numRuns: runs(100) },
  );
}, 120_000);
