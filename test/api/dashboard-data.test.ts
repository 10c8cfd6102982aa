import { ITEMS_READ_MAX } from "../../src/http/pages/dashboard/payments/timeline.js";
import { describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.js";
import { startReceiver } from "../support/receiver.js";
import { transferRequest } from "../support/requests.js";
import { runShell } from "../support/shell.js";

describe("an empty page", () => {
  const empty = ["", "/charges", "/transfers", "/batches", "/customers", "/subscriptions", "/deliveries"];

  it.each(empty)("%s says what it would show", async (path) => {
    expect((await (await openDesk()).open(path)).html).toContain('class="empty"');
  });

  it.each(["", "/charges", "/transfers", "/customers", "/subscriptions"])(
    "%s has a command that works and changes the page",
    async (path) => {
      const desk = await openDesk();
      const before = await desk.open(path);
      const [command = ""] = before.commands;
      expect(command).toMatch(/^curl /);
      await runShell(command, { url: desk.live.url });
      expect((await desk.open(path)).html).not.toContain('class="empty"');
    },
  );

  it.each(["/charges/x", "/transfers/txn_x", "/batches/bat_x", "/deliveries/del_x", "/requests/req_1"])(
    "%s does not exist: 404, with the requested id",
    async (path) => {
      const { status, text } = await (await openDesk()).open(path);
      expect(status).toBe(404);
      expect(text).toContain(path.split("/").at(-1));
    },
  );
});

describe("the activity", () => {
  it("shows a request, its effects and its webhooks, with marks for rules and faults", async () => {
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
    const partOf = (id: string): string =>
      new RegExp(`<li id="${id}".*?(?=<li id="(?:req|evt)_|</ol>)`, "s").exec(html)?.[0] ?? "";
    const read = (part: string): string => part.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(read(partOf("req_2"))).toContain("201");
    expect(read(partOf("req_2"))).toContain("charge created order-77");
    expect(read(partOf("req_3"))).toContain("503 rule down");
    expect(read(partOf("req_4"))).toMatch(
      /no answer rule cut off fault: reset.*charge paid order-77.*webhook charges\/events/,
    );
    expect(read(partOf("req_4"))).toMatch(/failing status 503 is not 2xx in [<\d,]+ m?s again in 10s/);
    expect(read(partOf("req_5"))).toContain("400");
    expect(read(partOf("req_5"))).toMatch(/amount .* \(and \d more\)/);
    expect(text).toContain("2026-01-15 09:00:00.000Z");
    expect(html.indexOf('id="req_5"')).toBeLessThan(html.indexOf('id="req_2"'));
  });

  it("marks the requests of findings, and links to these", async () => {
    const desk = await openDesk();
    const { live } = desk;
    const { id } = await live.createCharge();
    await live.control("POST", `/charges/${id}/drop`);
    await live.http("POST", `/v1/charges/${id}/pay`);
    const { html } = await desk.open("");
    expect(html).toMatch(/<li id="req_2"(?:(?!<li id=).)*href="[^"]*\/findings">finding: pay after drop</s);
    expect(html).not.toMatch(/<li id="req_1"(?:(?!<li id=).)*\/findings">finding/s);
  });

  it("is filtered by failure, operation, answer and resource, and searched by names", async () => {
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
    expect(await ids("only=failing")).toEqual(["req_4"]);
    expect(await ids("operation=getCharge")).toEqual(["req_4", "req_3"]);
    expect(await ids("operation=getCharge&status=2xx")).toEqual(["req_3"]);
    expect(await ids("status=4xx")).toEqual(["req_4"]);
    expect(await ids("resource=payout-77")).toEqual(["evt_", "req_2"]);
    expect(await ids(`resource=${id}&operation=createCharge`)).toEqual(["req_1"]);
    expect(await ids("q=order-77")).toEqual(["req_3", "req_1"]);
    expect(await ids("q=payout-77")).toEqual(["evt_", "req_2"]);
    expect(await ids("q=0102030405")).toEqual(["evt_", "req_2"]);
    expect(await ids(`q=${id}`)).toEqual(["req_3", "req_1"]);
    expect(await ids("q=nowhere")).toEqual([]);
  });

  it("is searched by correlation id, problem code, description and text of a body", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.createCharge({ description: "Raffia bag", metadata: { basket: "b-17" } });
    const refused = await live.http("POST", "/v1/charges", { amount: "ten" });
    await live.http("GET", "/v1/balance");
    const ids = async (text: string) =>
      [
        ...(await desk.get(`/_sandbox?${String(new URLSearchParams({ q: text }))}`)).html.matchAll(
          /<li id="(req_\d+)/g,
        ),
      ].map(([, name]) => name);
    expect(await ids(refused.body.correlationId)).toEqual(["req_2"]);
    expect(await ids("invalid_request")).toEqual(["req_2"]);
    expect(await ids("raffia")).toEqual(["req_1"]);
    expect(await ids("b-17")).toEqual(["req_1"]);
    expect(await ids('"amount":"ten"')).toEqual(["req_2"]);
  });

  it("finds every whole id, however old it is", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const { live } = desk;
    const { id: subscription } = await live.subscribe("charges/events", receiver.url);
    const refused = await live.http("POST", "/v1/charges", {});
    const { id } = await live.createCharge({ externalId: "order-77" });
    const paid = await live.ok("POST", `/v1/charges/${id}/pay`);
    const batch = await live.ok("POST", "/v1/transactions/batch", { transactions: [transferRequest()] });
    const [transfer] = batch.transactions;
    const rule = (await live.control("POST", "/rules", { on: "transfer", then: { after: "1h" } })).body;
    await live.control("PUT", "/customers/+2250102030405", { firstName: "Awa", lastName: "Koné" });
    await live.settle();
    const entry = (await live.control("GET", "/ledger")).body.data[0];
    const event = (await live.control("GET", "/events")).body.data.find(
      (one: { type: string }) => one.type === "charge.paid",
    );
    for (let n = 0; n < ITEMS_READ_MAX; n++) await live.api("GET", "/v1/balance");
    const pathOf = `/_sandbox/dashboard/charges/${id}`;
    const wanted = [
      [id, pathOf],
      ["order-77", pathOf],
      [paid.transactions[0].id, pathOf],
      [event.id, pathOf],
      [transfer.id, `/transfers/${transfer.id}`],
      [transfer.reference, `/transfers/${transfer.id}`],
      [batch.id, `/batches/${batch.id}`],
      [live.deliveries()[0]!.id, `/deliveries/${live.deliveries()[0]!.id}`],
      [subscription, `/subscriptions?q=${subscription}`],
      [entry.id, `/ledger?q=${entry.id}`],
      [rule.id, "/rules"],
      ["+2250102030405", "/customers?q=%2B2250102030405"],
      ["req_2", "/requests/req_2"],
      [refused.body.correlationId, "/requests/req_2"],
    ];
    for (const [text, path] of wanted) {
      const { html } = await desk.get(`/_sandbox?${String(new URLSearchParams({ q: text }))}`);
      const found = /<div class="panel found">.*?<\/div>/s.exec(html)?.[0];
      expect(found, text).toContain(`${path}"`);
    }
  });

  it("continues with older items, and leads back to the newest", async () => {
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
  it("has its terms, payments, requests, entries and deliveries", async () => {
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
    expect(page.html).toContain("<title>Charge order-77 · company_sandbox</title>");
    expect(page.text).toContain("Status refunded partially");
    expect(page.text).toContain("insufficient_funds");
    expect(page.text).toContain('"basket": 7');
    for (const request of ["req_2", "req_3", "req_4", "req_5"]) expect(page.html).toContain(`id="${request}"`);
    expect(page.html.match(/<tr id="led_/g)).toHaveLength(2);
    expect(page.html.match(/<tr id="del_/g)).toHaveLength(2);
    expect(page.text).toContain("−2 500 XOF");
  });

  it("pays, fails, cancels, drops and refunds by hand, each with the command that does the same", async () => {
    const desk = await openDesk();
    const { live } = desk;
    const { id } = await live.createCharge();
    const steps = [
      ["pay", { msisdn: "+2250700000002" }, "the charge is due"],
      ["cancel", {}, "the charge is due"],
      ["pay", {}, "the charge is paid"],
      ["refund", { amount: "2 500" }, "2500 XOF are refunded in all"],
      ["refund", {}, "10000 XOF are refunded in all"],
    ] as const;
    for (const [name, fields, message] of steps) {
      const before = await desk.open(`/charges/${id}`);
      expect(before.html).toContain(`/actions/${name}?`);
      expect((await desk.act(name, { id, ...fields })).text).toContain(message);
    }
    const last = await desk.open(`/charges/${id}`);
    expect(last.text).toContain("refunded is its last state");
    expect(last.html).not.toContain("/actions/");

    const other = (await live.createCharge()).id;
    const { commands } = await desk.open(`/charges/${other}`);
    expect(commands.map((line) => /charges\/[^/]*\/(\w+)/.exec(line)?.[1])).toEqual(["pay", "cancel", "drop"]);
    await runShell(commands[2] ?? "", { url: live.url });
    expect((await desk.open(`/charges/${other}`)).text).toContain("dropped is its last state");
  });
});

describe("a transfer's and a batch's page", () => {
  it("settles a transfer by hand", async () => {
    const desk = await openDesk();
    const { id } = await desk.live.createTransfer({ reference: "payout-7", msisdn: "+2250700000004" });
    const before = await desk.open(`/transfers/${id}`);
    expect(before.text).toContain("Status pending");
    expect((await desk.act("fail", { id, reason: "limit_exceeded" })).text).toContain("The transaction has failed.");
    const after = await desk.open(`/transfers/${id.replace("txn_", "")}`);
    expect(after.text).toContain("Status failed limit_exceeded");
    expect(after.html.match(/<tr id="led_/g)).toHaveLength(2);
  });

  it("shows the first transfers of a batch, and leads to all of them", async () => {
    const desk = await openDesk({ profile: { transfers: { settlement: "manual" } } });
    const transactions = Array.from({ length: 60 }, () => transferRequest());
    const batch = await desk.live.ok("POST", "/v1/transactions/batch", { transactions });
    const page = await desk.open(`/batches/${batch.id}`);
    expect(page.html.match(/<tr id="/g)).toHaveLength(25);
    expect(page.html).toContain('id="req_1"');
    const all = /href="[^"]*(\/transfers\?q=[^"]*)"/.exec(page.html)?.[1] ?? "";
    await desk.live.createTransfer();
    expect((await desk.open(all)).html.match(/<tr id="/g)).toHaveLength(50);
    expect((await desk.open(`${all}&status=completed`)).text).toContain("No transfer was found.");
    for (const { id } of batch.transactions) await desk.live.control("POST", `/transactions/${id}/complete`);
    expect((await desk.open(`/batches/${batch.id}`)).text).toContain("Status completed");
  });
});

describe("the ledger", () => {
  it("shows the balance, and lists every entry with its postings", async () => {
    const desk = await openDesk({ balance: 100_000 });
    await desk.live.createTransfer({ amount: 5_050 });
    await desk.live.advance("10m");
    const { text } = await desk.open("/ledger");
    expect(text).toContain("balance 94 899,5 XOF");
    expect(text).toContain("−5 100,5 XOF");
    expect(text).toMatch(/transfer settled .* pending .* wallets .* fees/);
  });
});
