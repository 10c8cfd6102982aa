import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { balanceOf, effectOnBalance } from "../../src/domain/accounts/ledger.js";
import { createApp } from "../../src/http/server/app.js";
import { advance } from "../../src/sandbox/company/advance.js";
import type { Company } from "../../src/sandbox/company/company.js";
import { loadFixtureFiles, validateFile } from "../../src/sandbox/config/load-files.js";
import { resolveOptions } from "../../src/sandbox/config/options.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import { toXof } from "../../src/domain/values/money.js";

const folder = fileURLToPath(new URL("../../fixtures", import.meta.url));
const START = Date.UTC(2026, 0, 15, 9);

/** The sandbox of `sandbox start --fixtures FILE --clock 2026-01-15T09:00:00Z --auto-provision`. */
async function start(name: string): Promise<Sandbox> {
  const company = { ...resolveOptions().defaults, frozenAt: START };
  const { shared, companies } = await loadFixtureFiles([join(folder, name)], START, { company });
  const defaults = { ...company, fixtures: [shared] };
  const sandbox = new Sandbox(
    resolveOptions({ autoProvision: true, defaults, ...(companies.length === 0 ? {} : { companies }) }),
  );
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function statusesOf({ world }: Company): Record<string, string> {
  const charges = world.charges.values().map(({ externalId, status }) => [externalId, status]);
  const transfers = world.transfers.values().map(({ reference, status }) => [reference, status]);
  return Object.fromEntries([...charges, ...transfers]);
}

function expectBalance({ world }: Company, xof: number): void {
  expect(toXof(balanceOf({ world }))).toBe(xof);
  expect(toXof(world.ledger.values().reduce((sum, entry) => sum + effectOnBalance(entry), 0))).toBe(xof);
  expect(world.accounts.values().reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
}

async function get(sandbox: Sandbox, token: string, path: string): Promise<unknown> {
  const answer = await createApp(sandbox).request(path, { headers: { authorization: `Bearer ${token}` } });
  return answer.json();
}

describe("every shipped fixtures file", async () => {
  const names = await readdir(folder);

  it.each(names)("%s validates", async (name) => {
    await expect(validateFile(join(folder, name))).resolves.toEqual({ kind: "fixtures", problems: [] });
  });

  it("is tested below", () => {
    expect(names).toEqual(["demo-shop.yaml", "two-companies.yaml"]);
  });
});

describe("demo-shop.yaml", () => {
  it("gives the default company and later ones the state of a shop", async () => {
    const sandbox = await start("demo-shop.yaml");
    const other = sandbox.findByToken("at_worker_1");
    for (const company of [sandbox.defaultCompany, other]) {
      if (company === undefined) throw new Error("No company was opened for an unseen token.");
      expectBalance(company, 10_000_000);
      expect(statusesOf(company)).toEqual({
        "order-1001": "due",
        "order-1002": "paid",
        "order-1003": "refunded_partially",
        "order-1004": "refunded",
        "order-1005": "dropped",
        "salary-2026-01-mariam": "completed",
        "supplier-88": "failed",
        "tips-12": "pending",
      });
    }
    await expect(get(sandbox, "at_sandbox", "/v1/transactions/customers/check?msisdn=0700000010")).resolves.toEqual({
      kycStatus: "complete",
      firstName: "Aya",
      lastName: "Kouamé",
    });
  });

  it("continues as its comments describe", async () => {
    const { defaultCompany: company } = await start("demo-shop.yaml");
    await advance(company, { byMs: 2000 });
    expect(statusesOf(company)).toMatchObject({ "tips-12": "completed", "order-1001": "due" });
    await advance(company, { byMs: 10 * 60_000 - 2000 });
    expect(statusesOf(company)).toMatchObject({ "order-1001": "dropped" });
    // The transfer was debited when it was created, so the balance is the configured one.
    expectBalance(company, 10_000_000);
  });
});

describe("two-companies.yaml", () => {
  it("has two companies that share only their customers", async () => {
    const sandbox = await start("two-companies.yaml");
    expect(sandbox.companies.map(({ id }) => id)).toEqual(["company_boutique", "company_transport"]);
    const [boutique, transport] = sandbox.companies;
    if (boutique === undefined || transport === undefined) throw new Error("Two companies were expected.");
    expectBalance(boutique, 250_000);
    expectBalance(transport, 1_000_000);
    expect(statusesOf(boutique)).toEqual({ "panier-1": "due", "panier-2": "paid", "fournisseur-7": "completed" });
    expect(statusesOf(transport)).toEqual({ "trajet-301": "pending" });
    const check = "/v1/transactions/customers/check?msisdn=%2B2250700000021";
    await expect(get(sandbox, "at_boutique", check)).resolves.toMatchObject({
      lastName: "Brou",
      kycStatus: "complete",
    });
    await expect(get(sandbox, "at_transport", check)).resolves.toMatchObject({
      lastName: "Brou",
      kycStatus: "incomplete",
    });
    await expect(get(sandbox, "at_transport_old", "/v1/balance")).resolves.toEqual({
      balance: 1_000_000,
      currency: "XOF",
    });
  });

  it("gives each company its own clock and profile", async () => {
    const [boutique, transport] = (await start("two-companies.yaml")).companies;
    if (boutique === undefined || transport === undefined) throw new Error("Two companies were expected.");
    expect([boutique.now(), boutique.clock.mode]).toEqual([START, "frozen"]);
    expect(transport.clock.mode).toBe("running");
    await advance(boutique, { byMs: 30 * 60_000 });
    expect(statusesOf(boutique)).toMatchObject({ "panier-1": "dropped" });
    await advance(transport, { byMs: 24 * 3_600_000 });
    expect(statusesOf(transport)).toEqual({ "trajet-301": "pending" });
    expect(transport.world.transfers.values()[0]?.fee).toBe(0);
  });
});
