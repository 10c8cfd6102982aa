import { describe, expect, it } from "vitest";
import type { PageAnswer } from "../support/dashboard.js";
import { openDesk } from "../support/desk.js";
import { startReceiver } from "../support/receiver.js";
import { transferRequest } from "../support/requests.js";
import { runShell } from "../support/shell.js";

/** The states and moves of a lifecycle. */
function lifecycleIn({ html }: PageAnswer) {
  const [list = ""] = /<ol class="lifecycle"[\s\S]*?<\/ol>/.exec(html) ?? [];
  const placeOf = (status: string): string | undefined =>
    new RegExp(`<li class="state (\\w+)"[^>]*><b>${status}</b>`).exec(list)?.[1];
  const taken = [...list.matchAll(/<li class="move taken">([^<]*)</g)].map(([, move]) => move);
  return { list, placeOf, taken };
}

describe("a page of nothing", () => {
  const empty = ["", "/charges", "/transfers", "/batches", "/customers", "/subscriptions", "/deliveries"];

  it.each(empty)("%s says what would stand there, with a command that works and changes the page", async (path) => {
    const desk = await openDesk();
    const before = await desk.open(path);
    const [command = ""] = before.commands;
    expect(command).toMatch(/^curl /);
    expect(before.html).toContain('class="hint"');
    await runShell(command, { url: desk.live.url });
    const after = await desk.open(path);
    expect(after.html).not.toContain(`>${before.commands[0]?.slice(0, 40)}`);
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before.text);
  });

  it("of a ledger gives the account money", async () => {
    const desk = await openDesk({ balance: 0 });
    const [command = ""] = (await desk.open("/ledger")).commands;
    await runShell(command, { url: desk.live.url });
    expect((await desk.open("/ledger")).text).toContain("250 000 F CFA");
  });

  it.each(["/charges/x", "/transfers/txn_x", "/batches/bat_x", "/deliveries/del_x", "/requests/req_1"])(
    "%s is not there: 404, with what was asked for",
    async (path) => {
      const { status, text } = await (await openDesk()).open(path);
      expect(status).toBe(404);
      expect(text).toContain(path.split("/").at(-1));
    },
  );
});

describe("the overview", () => {
  it("tells a request, what it made and who was told of it as one story, with marks of rules and faults", async () => {
    const receiver = await startReceiver({ status: 503 });
    const desk = await openDesk();
    const { live } = desk;
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ externalId: "order-77" });
    await live.control("POST", "/rules", { name: "down", on: "request", then: { status: 503 }, times: 1 });
    await live.http("GET", `/v1/charges/${id}`);
    await live.control("POST", "/rules", {
      name: "cut off",
      on: "request",
      then: { fault: "reset", commit: true },
      times: 1,
    });
    await live.http("POST", `/v1/charges/${id}/pay`).catch(() => undefined);
    await live.http("POST", "/v1/charges", {});
    await live.settle();
    const { html, text } = await desk.open("");
    const story = (id: string): string =>
      new RegExp(`<li id="${id}".*?(?=<li id="(?:req|evt)_|</ol>)`, "s").exec(html)?.[0] ?? "";
    const read = (part: string): string => part.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(read(story("req_2"))).toContain("201");
    expect(read(story("req_2"))).toContain("charge created order-77");
    expect(read(story("req_3"))).toContain("503 rule down");
    expect(read(story("req_4"))).toMatch(
      /no answer rule cut off fault: reset.*charge paid order-77.*webhook charges\/events/,
    );
    expect(read(story("req_4"))).toMatch(/pending status 503 is not 2xx again in 10s/);
    expect(read(story("req_5"))).toContain("400");
    expect(read(story("req_5"))).toMatch(/amount .* \(and \d more\)/);
    expect(text).toContain("2026-01-15 09:00:00");
    expect(html.indexOf('id="req_5"')).toBeLessThan(html.indexOf('id="req_2"'));
  });

  it("marks the requests in which something was found, and leads to it", async () => {
    const desk = await openDesk();
    const { live } = desk;
    const { id } = await live.createCharge();
    await live.control("POST", `/charges/${id}/drop`);
    await live.http("POST", `/v1/charges/${id}/pay`);
    const { html } = await desk.open("");
    expect(html).toMatch(/<li id="req_2"(?:(?!<li id=).)*href="[^"]*\/findings">finding: pay after drop</s);
    expect(html).not.toMatch(/<li id="req_1"(?:(?!<li id=).)*\/findings">finding/s);
  });

  it("is narrowed to requests, changes and problems, and searched by what things are called", async () => {
    const desk = await openDesk();
    const { live } = desk;
    const { id } = await live.createCharge({ externalId: "order-77" });
    await live.createTransfer({ reference: "payout-77", msisdn: "+2250102030405" });
    await live.http("GET", `/v1/charges/${id}`);
    await live.http("GET", "/v1/charges/nothing");
    await live.advance("2s");
    const ids = async (query: string) =>
      [...(await desk.get(`/_sandbox?${query}`)).html.matchAll(/<li id="(req_\d+|evt_)/g)].map(([, name]) => name);
    expect(await ids("")).toEqual(["evt_", "req_4", "req_3", "req_2", "req_1"]);
    expect(await ids("only=requests")).toEqual(["req_4", "req_3", "req_2", "req_1"]);
    expect(await ids("only=changes")).toEqual(["evt_"]);
    expect(await ids("only=problems")).toEqual(["req_4"]);
    expect(await ids("q=order-77")).toEqual(["req_3", "req_1"]);
    expect(await ids("q=payout-77")).toEqual(["evt_", "req_2"]);
    expect(await ids("q=0102030405")).toEqual(["evt_", "req_2"]);
    expect(await ids(`q=${id}`)).toEqual(["req_3", "req_1"]);
    expect(await ids("q=nowhere")).toEqual([]);
  });

  it("goes on with what was before, and back to the newest", async () => {
    const desk = await openDesk();
    for (let n = 0; n < 45; n++) await desk.live.http("GET", "/v1/balance");
    const first = await desk.open("");
    expect(first.html.match(/<li id="req_/g)).toHaveLength(40);
    const older = /href="([^"]*)">Older/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await desk.get(new URL(older, `${desk.live.url}/_sandbox`).href.slice(desk.live.url.length));
    expect(second.html.match(/<li id="req_/g)).toHaveLength(5);
    expect(second.text).toContain("← Newest");
  });
});

describe("a charge's page", () => {
  it("has its terms, its lifecycle drawn with the way it took, payments, requests, entries and deliveries", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const { live } = desk;
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ externalId: "order-77", metadata: { basket: 7 } });
    await live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000006" });
    await live.advance("5m");
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 2_500 });
    await live.settle();
    const page = await desk.open(`/charges/${id}`);
    const { placeOf, taken, list } = lifecycleIn(page);
    expect(page.html).toContain("<title>Charge order-77 · company_sandbox</title>");
    expect(["due", "paid", "refunded partially", "refunded", "dropped"].map(placeOf)).toEqual([
      "passed",
      "passed",
      "now",
      "never",
      "never",
    ]);
    expect(taken).toEqual(["decline · cancel → due", "pay → paid", "refund → refunded partially"]);
    expect(list).toContain('aria-label="The lifecycle of the charge"');
    expect(page.html).toMatch(/The way so far.*paid<\/span> <time[^>]*>2026-01-15 09:05:00/s);
    expect(page.text).toContain("insufficient_funds");
    expect(page.text).toContain('"basket": 7');
    for (const request of ["req_2", "req_3", "req_4", "req_5"]) expect(page.html).toContain(`id="${request}"`);
    expect(page.html.match(/<tr id="led_/g)).toHaveLength(2);
    expect(page.html.match(/<tr id="del_/g)).toHaveLength(2);
    expect(page.text).toContain("−2 500 F CFA");
  });

  it("pays, fails, cancels, drops and refunds by hand, each with the command that does the same", async () => {
    const desk = await openDesk();
    const { live } = desk;
    const { id } = await live.createCharge();
    const steps = [
      ["pay", { msisdn: "+2250700000002" }, "the charge is due"],
      ["cancel", {}, "the charge is due"],
      ["pay", {}, "the charge is paid"],
      ["refund", { amount: "2 500" }, "2500 XOF are given back in all"],
      ["refund", {}, "10000 XOF are given back in all"],
    ] as const;
    for (const [name, fields, told] of steps) {
      const before = await desk.open(`/charges/${id}`);
      expect(before.html).toContain(`/actions/${name}?`);
      expect((await desk.act(name, { id, ...fields })).text).toContain(told);
    }
    const last = await desk.open(`/charges/${id}`);
    expect(last.text).toContain("refunded is its last state");
    expect(last.html).not.toContain("/actions/");

    const other = (await live.createCharge()).id;
    const { commands } = await desk.open(`/charges/${other}`);
    expect(commands.map((line) => /charges\/[^/]*\/(\w+)/.exec(line)?.[1])).toEqual([
      "pay",
      "pay",
      "cancel",
      "pay",
      "drop",
    ]);
    await runShell(commands[4] ?? "", { url: live.url });
    expect(lifecycleIn(await desk.open(`/charges/${other}`)).placeOf("dropped")).toBe("now");
  });

  it("tells of a payment whose result a rule holds back", async () => {
    const desk = await openDesk();
    const { id } = await desk.live.createCharge();
    await desk.live.control("POST", "/rules", { on: "payment", then: { outcome: "paid", after: "5m" } });
    await desk.live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250102030405" });
    const { text } = await desk.open(`/charges/${id}`);
    expect(text).toMatch(/\+2250102030405 back until 2026-01-15 09:05:00 \(in 5m\)/);
  });

  it("knows its way also when the events are forgotten", async () => {
    const desk = await openDesk();
    const { id } = await desk.live.createCharge();
    await desk.live.control("POST", `/charges/${id}/pay`);
    const { events } = desk.live.sandbox.defaultCompany.world;
    for (const { id: event } of events.page({ limit: 100 }).rows) events.delete(event);
    const { placeOf } = lifecycleIn(await desk.open(`/charges/${id}`));
    expect(["due", "paid"].map(placeOf)).toEqual(["passed", "now"]);
  });
});

describe("a transfer's and a batch's page", () => {
  it("draws a transfer, says how it will end, and settles it by hand", async () => {
    const desk = await openDesk();
    const { id } = await desk.live.createTransfer({ reference: "payout-7", msisdn: "+2250700000004" });
    const before = await desk.open(`/transfers/${id}`);
    expect(before.text).toContain("By itself it is completed at 2026-01-15 09:10:02 (in 10m2s).");
    expect(lifecycleIn(before).placeOf("pending")).toBe("now");
    expect((await desk.act("fail", { id, reason: "limit_exceeded" })).text).toContain("The transaction has failed.");
    const after = await desk.open(`/transfers/${id.replace("txn_", "")}`);
    expect(["pending", "completed", "failed"].map(lifecycleIn(after).placeOf)).toEqual(["passed", "never", "now"]);
    expect(after.text).toContain("limit_exceeded");
    expect(after.html.match(/<tr id="led_/g)).toHaveLength(2);
  });

  it.each([
    ["+2250700000003", {}, "stays pending for ever"],
    ["+2250700000001", { transfers: { settlement: "manual" } }, "transfers.settlement is manual"],
    ["+2250700000002", { transfers: { settlement: { polls: 3 } } }, "fails (recipient_unreachable) with GET number 3"],
  ] as const)("says what becomes of a transfer to %s under %j", async (msisdn, profile, told) => {
    const desk = await openDesk({ profile });
    const { id } = await desk.live.createTransfer({ msisdn });
    expect((await desk.open(`/transfers/${id}`)).text).toContain(told);
  });

  it("settles the transfers of a batch one by one, and shows many of them page by page", async () => {
    const desk = await openDesk({ profile: { transfers: { settlement: "manual" } } });
    const transactions = Array.from({ length: 60 }, () => transferRequest());
    const batch = await desk.live.ok("POST", "/v1/transactions/batch", { transactions });
    const page = await desk.open(`/batches/${batch.id}`);
    expect(page.html.match(/<tr id="/g)).toHaveLength(50);
    expect(page.html).toContain('id="req_1"');
    expect((await desk.open(`/batches/${batch.id}?cursor=50`)).html.match(/<tr id="/g)).toHaveLength(10);
    for (const { id } of batch.transactions) await desk.live.control("POST", `/transactions/${id}/complete`);
    const { placeOf } = lifecycleIn(await desk.open(`/batches/${batch.id}`));
    expect(["processing", "completed"].map(placeOf)).toEqual(["passed", "now"]);
  });
});

it("no page grows with what a client writes", async () => {
  const desk = await openDesk();
  const { live } = desk;
  const long = "x".repeat(200_000);
  await live.subscribe("charges/events", `http://127.0.0.1:9/${long}`);
  const charge = await live.createCharge({ externalId: long, description: long, metadata: { [long]: long } });
  await live.control("POST", `/charges/${charge.id}/cancel`);
  const transfer = await live.createTransfer({ reference: long, description: long });
  await live.http("GET", `/v1/charges/${"y".repeat(10_000)}`);
  await live.http("POST", "/v1/charges", { long });
  const paths = ["", "/charges", "/transfers", "/subscriptions", "/deliveries", "/ledger"];
  const details = [`/charges/${charge.id}`, `/transfers/${transfer.id}`];
  const requests = ["req_2", "req_3", "req_5"].map((id) => `/requests/${id}`);
  for (const path of [...paths, ...details, ...requests])
    expect((await desk.open(path)).html.length, path).toBeLessThan(250_000);
});

describe("the ledger", () => {
  it("draws the balance, and lists every entry with its postings", async () => {
    const desk = await openDesk({ balance: 100_000 });
    await desk.live.createTransfer({ amount: 5_050 });
    await desk.live.advance("10m");
    const { html, text } = await desk.open("/ledger");
    const [svg = ""] = /<svg class="drawing plot".*?<\/svg>/s.exec(html) ?? [];
    expect(svg).toMatch(/<path class="balance-line" d="M[\d. HV]+"/);
    expect(svg).toContain("09:00");
    expect(svg).toContain("From 2026-01-15 09:00:00 to 2026-01-15 09:10:00 the balance was between");
    expect(text).toContain("−5 100,5 F CFA");
    expect(text).toMatch(/transfer settled .* pending .* wallets .* fees/);
    expect((await desk.open("/ledger?along=entries")).text).toContain("entry 1");
  });
});
