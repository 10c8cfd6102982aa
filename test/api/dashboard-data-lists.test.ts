import { describe, expect, it, vi } from "vitest";
import { ROWS_READ_MAX, ROWS_SHOWN } from "../../src/http/pages/dashboard/view/read-list.js";
import { type PageRequest, type Row, Table } from "../../src/kernel/records/table.js";
import { DASHBOARD, type Visitor, visit } from "../support/dashboard.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { openWorld, type TestWorld, type WorldOptions } from "../support/world.js";

interface Desk extends Visitor {
  readonly world: TestWorld;
  /** The ids of the rows of a list. */
  rows(path: string): Promise<readonly string[]>;
}

function openDesk(options: WorldOptions = {}): Desk {
  const world = openWorld(options);
  const visitor = visit(world.app);
  const rows = async (path: string): Promise<readonly string[]> => {
    const { html } = await visitor.get(DASHBOARD + path);
    return [...html.matchAll(/<tr id="([^"]+)"/g)].map(([, id]) => id ?? "");
  };
  return Object.assign(visitor, { world, rows });
}

async function createCharges(world: TestWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    const change = { externalId: `order-${n}`, description: n % 2 === 0 ? "Shoes" : "Hats" };
    ids.unshift((await world.api("POST", "/v1/charges", chargeRequest(change))).body.id);
  }
  return ids;
}

describe("a list", () => {
  it("is shown page by page, newest first, and leads back to the newest", async () => {
    const desk = openDesk();
    const ids = await createCharges(desk.world, ROWS_SHOWN + 7);
    const first = await desk.get(`${DASHBOARD}/charges`);
    expect(await desk.rows("/charges")).toEqual(ids.slice(0, ROWS_SHOWN));
    const older = /href="[^"]*\/charges\?([^"]*)"[^>]*>Older/.exec(first.html)?.[1] ?? "";
    expect(await desk.rows(`/charges?${older}`)).toEqual(ids.slice(ROWS_SHOWN));
    const second = await desk.get(`${DASHBOARD}/charges?${older}`);
    expect(second.html).toMatch(/href="[^"]*\/charges"[^>]*>← Newest/);
    expect(second.html).not.toMatch(/<a[^>]*>Older/);
    for (const before of ["nonsense", "-1", "9".repeat(16)])
      expect(await desk.rows(`/charges?before=${before}`)).toEqual(ids.slice(0, ROWS_SHOWN));
  });

  it("continues a search that found more than a page", async () => {
    const desk = openDesk();
    const ids = await createCharges(desk.world, 2 * ROWS_SHOWN + 4);
    const shoes = ids.filter((_, index) => index % 2 === 0);
    const first = await desk.get(`${DASHBOARD}/charges?q=shoes`);
    expect(await desk.rows("/charges?q=shoes")).toEqual(shoes.slice(0, ROWS_SHOWN));
    const older = /href="[^"]*\/charges\?([^"]*)"[^>]*>Older/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(older).toContain("q=shoes");
    expect(await desk.rows(`/charges?${older}`)).toEqual(shoes.slice(ROWS_SHOWN));
  });

  it("is narrowed to a status, and keeps it from page to page", async () => {
    const desk = openDesk();
    const [newest, second, third] = await createCharges(desk.world, 3);
    await desk.world.control("POST", `/charges/${second}/pay`);
    await desk.world.control("POST", `/charges/${third}/drop`);
    expect(await desk.rows("/charges?status=due")).toEqual([newest]);
    expect(await desk.rows("/charges?status=paid")).toEqual([second]);
    expect(await desk.rows("/charges?status=dropped")).toEqual([third]);
    expect(await desk.rows("/charges?status=no-such")).toHaveLength(3);
    const { text, html } = await desk.get(`${DASHBOARD}/charges?status=refunded`);
    expect(text).toContain("No charge was found.");
    expect(html).toContain('<input type="hidden" name="status" value="refunded"/>');
  });

  it("is searched by id, externalId, a part of it, and by the phone number that paid", async () => {
    const desk = openDesk();
    const ids = await createCharges(desk.world, 12);
    const [newest = "", second = ""] = ids;
    await desk.world.control("POST", `/charges/${second}/pay`, { msisdn: "+2250102030405" });
    expect(await desk.rows(`/charges?q=${newest}`)).toEqual([newest]);
    expect(await desk.rows(`/charges?q=${newest.slice(0, 8)}`)).toContain(newest);
    expect(await desk.rows("/charges?q=order-1")).toEqual([ids[0], ids[1], ids[2], ids.at(-1)]);
    expect(await desk.rows("/charges?q=HATS")).toHaveLength(6);
    for (const number of ["+2250102030405", "0102030405", "002250102030405"])
      expect(await desk.rows(`/charges?${String(new URLSearchParams({ q: number }))}`)).toEqual([second]);
    expect(await desk.rows("/charges?q=hats&status=paid")).toEqual([second]);
    expect((await desk.get(`${DASHBOARD}/charges?q=nothing`)).text).toContain("No charge was found.");
  });

  it("is the list of the chosen company, even when it is searched", async () => {
    const desk = openDesk();
    await createCharges(desk.world, 1);
    await desk.world.control("POST", "/companies", { companyId: "company_two" });
    expect((await desk.get(`${DASHBOARD}/charges?company=company_two`)).text).toContain("No charge so far.");
    await desk.world.control("PUT", "/customers/0102030405?company=company_two", {
      firstName: "Awa",
      lastName: "Koné",
    });
    const { html } = await desk.get(`${DASHBOARD}/customers?company=company_two`);
    const [form = ""] = /<form class="search".*?<\/form>/s.exec(html) ?? [];
    expect(form).toContain('<input type="hidden" name="company" value="company_two"/>');
    expect(await desk.rows("/customers?company=company_two&q=awa")).toEqual(["customer-0102030405"]);
    expect(await desk.rows("/customers?q=awa")).toEqual([]);
  });

  it("of transfers is searched by reference and number, with an id that has its prefix or not", async () => {
    const desk = openDesk();
    const create = async (change: object) =>
      (await desk.world.api("POST", "/v1/transactions", transferRequest({ ...change }))).body.id as string;
    const first = await create({ reference: "salary-1", msisdn: "+2250700000003" });
    const second = await create({ reference: "salary-2", msisdn: "+2250102030405" });
    const plain = (id: string) => id.replace("txn_", "");
    expect(await desk.rows(`/transfers?q=${first}`)).toEqual([plain(first)]);
    expect(await desk.rows(`/transfers?q=${plain(second)}`)).toEqual([plain(second)]);
    expect(await desk.rows("/transfers?q=salary-2")).toEqual([plain(second)]);
    expect(await desk.rows("/transfers?q=0102030405")).toEqual([plain(second)]);
    await desk.world.control("POST", `/transactions/${first}/complete`);
    expect(await desk.rows("/transfers?status=completed")).toEqual([plain(first)]);
    expect(await desk.rows("/transfers?status=pending")).toEqual([plain(second)]);
  });

  it("of batches, customers, entries, subscriptions and deliveries is narrowed and searched likewise", async () => {
    const desk = openDesk();
    const { world } = desk;
    const url = "http://127.0.0.1:9/hook";
    const topics = ["charges/events", "transaction/started"];
    for (const topic of topics) await world.api("POST", "/v1/webhooks", { topic, url: `${url}/${topic}` });
    const transactions = [transferRequest({ msisdn: "+2250700000003" }), transferRequest()];
    const batch = (await world.api("POST", "/v1/transactions/batch", { transactions })).body;
    const [charge = ""] = await createCharges(world, 1);
    await world.control("POST", `/charges/${charge}/pay`);
    await world.control("PUT", "/customers/+2250102030405", { firstName: "Awa", lastName: "Koné" });
    await world.control("PUT", "/customers/+2250102030406", { firstName: "Yao", lastName: "Kouassi" });
    await world.control("POST", "/settle");

    expect(await desk.rows(`/batches?q=${batch.id}`)).toEqual([batch.id.replace("bat_", "")]);
    expect(await desk.rows("/batches?q=completed")).toEqual([]);
    expect(await desk.rows("/batches?q=processing")).toHaveLength(1);
    expect(await desk.rows("/customers?q=kon%C3%A9")).toEqual(["customer-0102030405"]);
    expect(await desk.rows("/customers?q=0102030406")).toEqual(["customer-0102030406"]);
    expect(await desk.rows("/ledger?q=charge payment")).toHaveLength(1);
    expect(await desk.rows(`/ledger?q=${charge}`)).toHaveLength(1);
    expect(await desk.rows("/ledger?q=transfer debit")).toHaveLength(2);
    expect(await desk.rows("/subscriptions?q=transaction/started")).toHaveLength(1);
    expect(await desk.rows("/deliveries")).toHaveLength(3);
    expect(await desk.rows("/deliveries?q=charges/events")).toHaveLength(1);
    expect(await desk.rows("/deliveries?q=transaction/started&status=pending")).toHaveLength(2);
    expect(await desk.rows(`/deliveries?q=${charge}`)).toHaveLength(1);
    expect(await desk.rows("/deliveries?status=exhausted")).toEqual([]);
  });
});

/** Counts the rows that are read in all tables. */
function countReads(): () => number {
  const original = Reflect.get(Table.prototype, "page");
  let rows = 0;
  vi.spyOn(Table.prototype, "page").mockImplementation(function (this: Table<Row>, request: PageRequest<Row>) {
    const where = (row: Row): boolean => {
      rows++;
      return request.where?.(row) ?? true;
    };
    return original.call(this, { ...request, where });
  });
  return () => {
    const read = rows;
    rows = 0;
    return read;
  };
}

describe("with a hundred thousand charges, and more of all other records than a search reads", () => {
  it("a page shows and reads a bounded number of rows", { timeout: 60_000 }, async () => {
    const desk = openDesk();
    const { world } = desk;
    const [charge = ""] = await createCharges(world, 1);
    await world.api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] });
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:9/" });
    await world.control("POST", `/charges/${charge}/pay`);
    await world.control("PUT", "/customers/+2250102030405", { firstName: "Awa", lastName: "Koné" });
    const company = world.sandbox.defaultCompany;
    const multiply = <T extends Row>(table: Pick<Table<T>, "values" | "set">, count = ROWS_READ_MAX + 1_000): void => {
      const [row] = table.values();
      if (row === undefined) throw new Error("There is nothing to multiply.");
      for (let n = 0; n < count; n++) table.set({ ...row, id: `${row.id}-${n}`, seq: company.nextSeq() });
    };
    const { charges, transfers, batches, customers, ledger, subscriptions, deliveries, events } = company.world;
    multiply(charges, 100_000);
    multiply(transfers);
    multiply(batches);
    multiply(customers);
    multiply(ledger);
    multiply(deliveries);
    multiply(events);
    multiply(subscriptions);

    const read = countReads();
    const lists = ["charges", "transfers", "batches", "customers", "ledger", "subscriptions", "deliveries"];
    for (const list of lists) {
      expect(await desk.rows(`/${list}`), list).toHaveLength(ROWS_SHOWN);
      expect(read(), list).toBeLessThan(2 * ROWS_SHOWN);
      const { text, html } = await desk.get(`${DASHBOARD}/${list}?q=no-such-thing`);
      expect(read(), list).toBeLessThan(ROWS_READ_MAX + 500);
      expect(text).toContain("Searched 10 000");
      expect(html).toMatch(/Older →<\/a>/);
    }
    for (const narrowed of ["/charges?status=refunded", "/transfers?status=failed", "/deliveries?status=exhausted"]) {
      expect(await desk.rows(narrowed)).toEqual([]);
      expect(read()).toBeLessThan(ROWS_READ_MAX + 500);
    }
    const { html } = await desk.get("/_sandbox");
    expect(html.match(/<li id="evt_/g)).toHaveLength(40);
    expect(read()).toBeLessThan(10_000);
    expect(html.length).toBeLessThan(200_000);
  });
});
