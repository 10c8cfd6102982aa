import { describe, expect, it } from "vitest";
import { startReceiver, type Receiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";

let world: TestWorld;
let receiver: Receiver | undefined;

const open = (options?: WorldOptions): TestWorld => (world = openWorld(options));

async function subscribe(topic: string): Promise<Receiver> {
  receiver = await startReceiver();
  await world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
  return receiver;
}

async function charge(): Promise<string> {
  return (await world.api("POST", "/v1/charges", chargeRequest())).body.id;
}

async function transfer(): Promise<string> {
  return (await world.api("POST", "/v1/transactions", transferRequest())).body.id;
}

describe("GET /clock", () => {
  it("shows a clock on which nothing is due", async () => {
    expect((await open().control("GET", "/clock")).body).toEqual({
      mode: "frozen",
      now: "2026-01-15T09:00:00.000Z",
      pendingTimers: 0,
      next: null,
    });
  });

  it("shows what is due next, by the ids of the API", async () => {
    open();
    const chargeId = await charge();
    const first = await world.control("GET", "/clock");
    expect(first.body.next).toEqual({ at: "2026-01-15T10:00:00.000Z", kind: "charge.expire", id: chargeId });
    const transferId = await transfer();
    const second = await world.control("GET", "/clock");
    expect(second.body.pendingTimers).toBe(2);
    expect(second.body.next).toEqual({ at: "2026-01-15T09:00:02.000Z", kind: "transfer.settle", id: transferId });
    expect(transferId).toMatch(/^txn_/);
  });
});

describe("PUT /clock", () => {
  it.each([
    [{ mode: "frozen" }, "frozen", "2026-01-15T09:00:00.000Z"],
    [{ now: "2026-01-15T11:00:00+01:00" }, "frozen", "2026-01-15T10:00:00.000Z"],
    [{ mode: "frozen", now: "2026-01-15T09:00:00Z" }, "frozen", "2026-01-15T09:00:00.000Z"],
    [{ mode: "frozen", now: "2026-02-01" }, "frozen", "2026-02-01T00:00:00.000Z"],
  ])("%j on a frozen clock", async (change, mode, now) => {
    const answer = await open().control("PUT", "/clock", change);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ mode, now });
    expect(answer.headers.get("x-sandbox-now")).toBe(now);
  });

  it("resumes a frozen clock from its time, or from a later one", async () => {
    const before = "2026-01-15T09:00:00.000Z";
    const resumed = await open().control("PUT", "/clock", { mode: "running" });
    expect(resumed.body.mode).toBe("running");
    expect(resumed.body.now >= before && resumed.body.now < "2026-01-15T09:01").toBe(true);
    const later = await world.control("PUT", "/clock", { mode: "running", now: "2026-01-15T12:00:00Z" });
    expect(later.body.mode).toBe("running");
    expect(later.body.now >= "2026-01-15T12:00:00.000Z" && later.body.now < "2026-01-15T12:01").toBe(true);
  });

  it("freezes a running clock where it is, or exactly at a later time", async () => {
    open({ clock: "running" });
    const frozen = await world.control("PUT", "/clock", { mode: "frozen" });
    expect(frozen.body.mode).toBe("frozen");
    expect((await world.control("GET", "/clock")).body.now).toBe(frozen.body.now);
    await world.control("PUT", "/clock", { mode: "running" });
    const later = await world.control("PUT", "/clock", { mode: "frozen", now: "2099-01-01T00:00:00Z" });
    expect(later.body).toMatchObject({ mode: "frozen", now: "2099-01-01T00:00:00.000Z" });
  });

  it("handles everything that is due before that time", async () => {
    open();
    const id = await charge();
    await world.control("PUT", "/clock", { now: "2026-01-15T10:00:00Z" });
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("dropped");
  });

  it.each([
    [{ now: "2026-01-15T08:59:59.999Z" }, "is 1ms in the past"],
    [{ mode: "running", now: "2020-01-01" }, "in the past"],
    [{ now: "tomorrow" }, 'now must be an ISO 8601 time such as 2026-01-15T09:00:00Z, got "tomorrow"'],
    [{ now: "2026-02-30" }, "now must be an ISO 8601 time"],
    [{ now: 5 }, "now must be an ISO 8601 time"],
    [{ mode: "froze" }, 'mode must be one of running, frozen (did you mean "frozen"?), got "froze"'],
    [{ mode: null }, "mode must be one of running, frozen, got null"],
    [{}, "body must have mode, now, or both"],
    [undefined, "body must be a JSON object, but it is missing"],
    [[], "body must be a JSON object, got a list of 0"],
    [{ time: "2027-01-01" }, 'body has no "time", only mode, now'],
  ])("%j is 400 and changes nothing", async (change, message) => {
    const answer = await open().control("PUT", "/clock", change);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
    expect((await world.control("GET", "/clock")).body).toMatchObject({
      mode: "frozen",
      now: "2026-01-15T09:00:00.000Z",
    });
  });

  it("reports all problems at once", async () => {
    const answer = await open().control("PUT", "/clock", { mode: 1, now: 2, at: 3 });
    expect(answer.body.message).toHaveLength(3);
  });
});

describe("POST /clock/advance", () => {
  it.each([
    [{ by: "1h" }, "2026-01-15T10:00:00.000Z"],
    [{ by: "PT1H" }, "2026-01-15T10:00:00.000Z"],
    [{ by: 1500 }, "2026-01-15T09:00:01.500Z"],
    [{ by: "1d2h59m59.999s" }, "2026-01-16T11:59:59.999Z"],
    [{ by: 0 }, "2026-01-15T09:00:00.000Z"],
    [{ to: "2026-01-15T09:00:00Z" }, "2026-01-15T09:00:00.000Z"],
    [{ to: "2027-01-01T00:00:00Z" }, "2027-01-01T00:00:00.000Z"],
    [{ toNext: true }, "2026-01-15T09:00:00.000Z"],
  ])("%j advances to %s", async (body, now) => {
    const answer = await open().control("POST", "/clock/advance", body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      now,
      fired: [],
      firedCount: 0,
      deliveries: { attempted: 0, succeeded: 0, failed: 0 },
    });
    expect((await world.control("GET", "/clock")).body.now).toBe(now);
  });

  it("lists what fired, in order, by the ids of the API", async () => {
    open();
    await subscribe("charges/events");
    const chargeId = await charge();
    const transferId = await transfer();
    receiver?.reply({ status: 500 });
    const answer = await world.control("POST", "/clock/advance", { by: "1h10s" });
    const delivery = (await world.control("GET", "/deliveries")).body.data[0];
    expect(answer.body).toEqual({
      now: "2026-01-15T10:00:10.000Z",
      fired: [
        { at: "2026-01-15T09:00:02.000Z", kind: "transfer.settle", id: transferId },
        { at: "2026-01-15T10:00:00.000Z", kind: "charge.expire", id: chargeId },
        { at: "2026-01-15T10:00:10.000Z", kind: "delivery.attempt", id: delivery.id },
      ],
      firedCount: 3,
      deliveries: { attempted: 2, succeeded: 0, failed: 2 },
    });
  });

  it("goes to the next due item and no further", async () => {
    open();
    const id = await transfer();
    await charge();
    const answer = await world.control("POST", "/clock/advance", { toNext: true });
    expect(answer.body.now).toBe("2026-01-15T09:00:02.000Z");
    expect(answer.body.fired).toEqual([{ at: "2026-01-15T09:00:02.000Z", kind: "transfer.settle", id }]);
  });

  it("with settle: false answers before the receivers do", async () => {
    open();
    await subscribe("charges/events");
    receiver?.reply("hang");
    await charge();
    const answer = await world.control("POST", "/clock/advance", { by: "1h", settle: false });
    expect(answer.body.firedCount).toBe(1);
    expect(answer.body).not.toHaveProperty("unfinished");
  });

  it("lists what is unfinished after maxWaitMs", async () => {
    open();
    await subscribe("charges/events");
    receiver?.reply("hang");
    await charge();
    const answer = await world.control("POST", "/clock/advance", { by: "1h", maxWaitMs: 20 });
    const [delivery] = (await world.control("GET", "/deliveries")).body.data;
    expect(answer.status).toBe(200);
    expect(answer.body.now).toBe("2026-01-15T10:00:00.000Z");
    expect(answer.body.unfinished).toEqual([delivery.id]);
  });

  it.each([
    [{}, "The body must have exactly one of by, to, toNext; it has none"],
    [undefined, "it has none"],
    [{ by: "1h", toNext: true }, "it has by and toNext"],
    [{ by: "1h", to: "2027-01-01", toNext: true }, "it has by and to and toNext"],
    [{ by: "" }, 'by: "" is not a duration: it is empty'],
    [{ by: "-1s" }, 'by: "-1s" is not a duration: it must not be negative'],
    [{ by: -1 }, "by: -1 is not a duration: it must not be negative"],
    [{ by: "5 parsecs" }, 'by: "5 parsecs" is not a duration'],
    [{ by: "5y" }, 'unknown unit "y"'],
    [{ by: null }, "by must be a duration such as 10s"],
    [{ by: [] }, "by must be a duration such as 10s"],
    [{ by: "99999d" }, "it is longer than 100 years"],
    [{ to: "2026-01-15T08:00:00Z" }, "is 1h in the past"],
    [{ to: "soon" }, "to must be an ISO 8601 time"],
    [{ toNext: false }, "toNext must be true, got false"],
    [{ by: "1h", settle: "no" }, 'settle must be true or false, got "no"'],
    [{ by: "1h", lookAhead: 1 }, "lookAhead must be true or false, got 1"],
    [{ by: "1h", maxWaitMs: -1 }, "maxWaitMs must be a whole number of milliseconds from 0 to 3600000, got -1"],
    [{ by: "1h", maxWaitMs: "1s" }, "maxWaitMs must be a whole number"],
    [{ by: "1h", by_: 1 }, 'body has no "by_"'],
    [[], "body must be a JSON object"],
  ])("%j is 400 and moves nothing", async (body, message) => {
    const answer = await open().control("POST", "/clock/advance", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
    expect((await world.control("GET", "/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
  });

  it("refuses to go beyond the last time", async () => {
    open({ clock: "9999-12-31T00:00:00Z" });
    const answer = await world.control("POST", "/clock/advance", { by: "1d" });
    expect(answer.status).toBe(400);
    expect(answer.body.message[0]).toContain("the latest time is 9999-12-31T23:59:59.999Z");
  });

  it("moves one company alone", async () => {
    open();
    await world.control("POST", "/companies", { companyId: "company_b" });
    await world.control("POST", "/clock/advance?company=company_b", { by: "1h" });
    expect((await world.control("GET", "/clock?company=company_b")).body.now).toBe("2026-01-15T10:00:00.000Z");
    expect((await world.control("GET", "/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
  });
});

describe("POST /settle", () => {
  it("waits until every delivery has ended, without moving time", async () => {
    open();
    const hooks = await subscribe("charges/events");
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    hooks.reply(() => held.then(() => ({ status: 204 })));
    await world.control("POST", `/charges/${await charge()}/pay`);
    const settled = world.control("POST", "/settle", {});
    await hooks.waitFor(1);
    letGo();
    expect((await settled).body).toEqual({ settled: true, now: "2026-01-15T09:00:00.000Z" });
    expect((await world.control("GET", "/deliveries")).body.data[0].status).toBe("succeeded");
  });

  it("lists what is unfinished after maxWaitMs", async () => {
    open();
    const hooks = await subscribe("charges/events");
    hooks.reply("hang");
    await world.control("POST", `/charges/${await charge()}/pay`);
    await hooks.waitFor(1);
    const [delivery] = (await world.control("GET", "/deliveries")).body.data;
    const answer = await world.control("POST", "/settle", { maxWaitMs: 0 });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ settled: false, now: "2026-01-15T09:00:00.000Z", unfinished: [delivery.id] });
  });

  it.each([{ maxWaitMs: "x" }, { by: "1h" }, []])("%j is 400", async (body) => {
    expect((await open().control("POST", "/settle", body)).status).toBe(400);
  });
});
