import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fileProblemsOf } from "../../../test/support/file-problems.js";
import { folderWith } from "../../../test/support/folder.js";
import { fromXof } from "../../domain/values/money.js";
import { resolveOptions } from "./options.js";
import { type LoadedFixtures, loadFixtureFiles } from "./load-files.js";
import type { FileDefaults } from "./set-up.js";

const FIXTURES_AT = Date.UTC(2026, 0, 15, 9);
let folder = "";
beforeEach(async () => {
  folder = await folderWith({});
});

/** Loads texts as the fixtures files a.yaml, b.yaml and c.yaml. */
async function load(texts: string | readonly string[], defaults?: FileDefaults): Promise<LoadedFixtures> {
  const files = [texts].flat().map((text, index) => ({ file: join(folder, `${"abc"[index]}.yaml`), text }));
  for (const { file, text } of files) await writeFile(file, text);
  return loadFixtureFiles(
    files.map(({ file }) => file),
    FIXTURES_AT,
    defaults,
  );
}

/** The messages with which the texts are refused, without the folder; none when they are accepted. */
async function problemsOf(texts: string | readonly string[], defaults?: FileDefaults): Promise<readonly string[]> {
  const messages = await fileProblemsOf(() => load(texts, defaults));
  return messages.map((message) => message.replaceAll(`${folder}/`, ""));
}

describe("a fixtures file", () => {
  it("may be empty or missing", async () => {
    const nothing = { shared: { customers: [], charges: [], transactions: [], subscriptions: [] }, companies: [] };
    await expect(load("# later\n")).resolves.toEqual(nothing);
    await expect(loadFixtureFiles([], undefined)).resolves.toEqual(nothing);
  });

  it("may repeat a transaction's type, as a request does", () =>
    expect(
      problemsOf(`
transactions:
  - { msisdn: "+2250700000010", amount: 5000, reference: r, type: transfer, status: completed }
  - { msisdn: "+2250700000010", amount: 5000, reference: s, type: payment, status: completed }`),
    ).resolves.toEqual(['a.yaml:4:67: transactions[1].type must be "transfer", got "payment"']));

  it("is parsed into money, instants and defaults", async () => {
    const { shared } = await load(`
customers: [{ msisdn: "0700000010", firstName: a, lastName: b }]
charges:
  - { externalId: a, amount: 10000, description: Shoes }
  - { id: 01J.x_y-z, externalId: b, amount: 1, description: Shoes, status: dropped, droppedReason: bored, createdAt: -1h30m }
  - externalId: c
    amount: 300
    description: Shoes
    status: refunded_partially
    refunded: 299
    msisdn: "002250700000010"
    createdAt: 2026-01-01T00:00:00+02:00
    onCompletedRedirectionUrl: https://a.test/?q=1
    metadata: { __proto__: 1, deep: [1.10, { x: null }], "7": b, yes: 2026-01-01 }
transactions:
  - { id: txn_0190A000-0000-7000-8000-000000000001, msisdn: "+2250700000010", amount: 5000, reference: r, status: failed, failureReason: x }
subscriptions:
  - { topic: charge/events, url: "http://127.0.0.1:3000/hooks" }
`);
    const urls = {
      onCompletedRedirectionUrl: "https://shop.test/completed",
      onCanceledRedirectionUrl: "https://shop.test/canceled",
    };
    expect(shared).toEqual({
      customers: [{ msisdn: "0700000010", firstName: "a", lastName: "b", kycStatus: "complete" }],
      charges: [
        { externalId: "a", amount: fromXof(10_000), description: "Shoes", status: "due", metadata: {}, ...urls },
        {
          id: "01J.x_y-z",
          externalId: "b",
          amount: fromXof(1),
          description: "Shoes",
          status: "dropped",
          droppedReason: "bored",
          createdAt: { beforeStartMs: 5_400_000 },
          metadata: {},
          ...urls,
        },
        {
          externalId: "c",
          amount: fromXof(300),
          description: "Shoes",
          status: "refunded_partially",
          refunded: fromXof(299),
          msisdn: "002250700000010",
          createdAt: Date.UTC(2025, 11, 31, 22),
          metadata: expect.anything(),
          ...urls,
          onCompletedRedirectionUrl: "https://a.test/?q=1",
        },
      ],
      transactions: [
        {
          id: "0190a000-0000-7000-8000-000000000001",
          msisdn: "+2250700000010",
          amount: fromXof(5000),
          reference: "r",
          status: "failed",
          failureReason: "x",
        },
      ],
      subscriptions: [{ topic: "charge/events", url: "http://127.0.0.1:3000/hooks" }],
    });
    expect(JSON.stringify(shared.charges[2]?.metadata)).toBe(
      '{"7":"b","__proto__":1,"deep":[1.1,{"x":null}],"yes":"2026-01-01"}',
    );
  });

  it("opens companies with the defaults, the shared fixtures and their own", async () => {
    const { shared, companies } = await load(
      `
charges: [{ externalId: a, amount: 1, description: x, status: due }]
companies:
  - companyId: company_shop
  - companyId: bank
    name: Chez Awa
    accessTokens: [one, { token: two, expiresAt: 2026-02-01T00:00:00Z }]
    secretKey: hush
    balance: 0.5
    clock: 2026-01-20
    profile: { transfers: { min: 1 }, charges: { ttl: null } }
    charges: [{ externalId: b, amount: 1, description: x, status: due }]
  - { companyId: r, clock: running }
  - { companyId: f, clock: frozen, accessToken: { token: t, expiresAt: 2026-02-01 } }
`,
      {
        company: {
          ...resolveOptions().defaults,
          balance: 7,
          frozenAt: 5,
          profile: { transfers: { min: 9, max: 10 }, charges: { ttl: "1m" } },
        },
      },
    );
    const [shop, bank, running, frozen] = companies;
    expect(shop).toEqual({
      id: "company_shop",
      tokens: [{ token: "at_shop", expiresAt: null }],
      secretKey: "secret_shop",
      balance: 7,
      frozenAt: 5,
      profile: { transfers: { min: 9, max: 10 }, charges: { ttl: "1m" } },
      fixtures: [shared, { customers: [], charges: [], transactions: [], subscriptions: [] }],
      rules: [],
    });
    expect(bank).toMatchObject({
      name: "Chez Awa",
      tokens: [
        { token: "one", expiresAt: null },
        { token: "two", expiresAt: Date.UTC(2026, 1, 1) },
      ],
      secretKey: "hush",
      balance: fromXof(0.5),
      frozenAt: Date.UTC(2026, 0, 20),
      profile: { transfers: { min: 1, max: 10 }, charges: { ttl: "1m" } },
      fixtures: [shared, { charges: [{ externalId: "b" }] }],
    });
    expect([running?.frozenAt, frozen?.frozenAt]).toEqual([undefined, 5]);
    expect(frozen?.tokens).toEqual([{ token: "t", expiresAt: Date.UTC(2026, 1, 1) }]);
  });

  it("is merged with other files, each read once", async () => {
    const one = (name: string): string =>
      `charges: [{ externalId: ${name}, amount: 1, description: x, status: due }]\ncompanies: [{ companyId: ${name} }]`;
    const { shared, companies } = await load([one("x"), one("y")]);
    expect(shared.charges.map(({ externalId }) => externalId)).toEqual(["x", "y"]);
    expect(companies.map(({ id }) => id)).toEqual(["x", "y"]);
    const file = join(folder, "a.yaml");
    await expect(loadFixtureFiles([file, `${folder}/./a.yaml`], FIXTURES_AT)).resolves.toMatchObject({
      companies: [{ id: "x" }],
    });
  });

  it("is refused when its profile does not fit the sandbox's", async () => {
    const company = { ...resolveOptions().defaults, profile: { transfers: { min: 9000 } } };
    await expect(
      problemsOf("companies: [{ companyId: x, profile: { transfers: { max: 8000 } } }]", { company }),
    ).resolves.toEqual([
      'Failed to set up the company "x": with the profile of the sandbox, transfers.min (9000) must not be above transfers.max (8000)',
    ]);
  });
});

describe("generated customers", () => {
  it("are people of the XOF zone with unused numbers, the same for the same seed", async () => {
    const text =
      'customers: [{ generate: 2 }, { msisdn: "0700100002", firstName: Awa, lastName: Koné }, { generate: 2 }]';
    const { shared } = await load(text, { seed: 1 });
    expect(shared.customers.map(({ msisdn }) => msisdn)).toEqual([
      "+2250700100001",
      "+2250700100003",
      "0700100002",
      "+2250700100004",
      "+2250700100005",
    ]);
    for (const { firstName, lastName, kycStatus } of shared.customers) {
      expect(firstName).toMatch(/^\p{Lu}[\p{L}' -]+$/u);
      expect(lastName).toMatch(/^\p{Lu}[\p{L}' -]+$/u);
      expect(kycStatus).toBe("complete");
    }
    expect((await load(text, { seed: 1 })).shared).toEqual(shared);
    expect((await load(text, { seed: 2 })).shared).not.toEqual(shared);
  });

  it("differ from those of the shared list", async () => {
    const { shared, companies } = await load(
      "customers: [{ generate: 3 }]\ncompanies: [{ companyId: a, customers: [{ generate: 2 }] }, { companyId: b, customers: [{ generate: 1 }] }]",
    );
    expect(shared.customers.at(-1)?.msisdn).toBe("+2250700100003");
    expect(companies.map(({ fixtures }) => fixtures[1]?.customers.map(({ msisdn }) => msisdn))).toEqual([
      ["+2250700100004", "+2250700100005"],
      ["+2250700100004"],
    ]);
  });
});

describe("a wrong fixtures file", () => {
  const charge = (rest: string): string => `charges: [{ externalId: a, amount: 10, description: x, ${rest} }]`;
  const wrong = (rest: string): string => `customers: [{ msisdn: ${rest}, firstName: a, lastName: b }]`;

  it.each<[string, string[]]>([
    [
      wrong("+2250700000010"),
      [
        'a.yaml:1:23: customers[0].msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, got the number +2250700000010: write it in quotes, "+2250700000010"',
      ],
    ],
    [wrong("0700000010"), [expect.stringContaining('got the number 0700000010: write it in quotes, "0700000010"')]],
    [
      wrong('"07-00"'),
      [expect.stringMatching(/^a\.yaml:1:23: customers\[0\]\.msisdn must be a phone number: .*, got "07-00"$/)],
    ],
    [
      "customers: [{ generate: 0 }]",
      ["a.yaml:1:25: customers[0].generate must be a whole number from 1 to 10000, got 0"],
    ],
    [
      "customers: [{ genrate: 5 }]",
      [
        "a.yaml:1:13: customers[0].generate must be a whole number from 1 to 10000, but it is missing",
        'a.yaml:1:15: customers[0].genrate is not known here. Did you mean "generate"?',
      ],
    ],
    [
      "customers: [5]",
      [
        "a.yaml:1:13: customers[0] must be a customer such as { msisdn, firstName, lastName, kycStatus }, or { generate: 50 }, got 5",
      ],
    ],
    [
      "customers: [{ firstName: true }]",
      [
        "a.yaml:1:13: customers[0].msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, but it is missing",
        "a.yaml:1:13: customers[0].lastName must be the customer's last name, a string that is not blank, but it is missing",
        'a.yaml:1:26: customers[0].firstName must be the customer\'s first name, a string that is not blank, got the boolean true: write it in quotes, "true"',
      ],
    ],
    [
      charge("status: payed"),
      [
        'a.yaml:1:64: charges[0].status must be one of due, paid, refunded_partially, refunded, dropped, got "payed". Did you mean "paid"?',
      ],
    ],
    [
      charge("status: refunded_partially"),
      ["a.yaml:1:11: charges[0].refunded is missing: the status is refunded_partially"],
    ],
    [
      charge("status: refunded_partially, refunded: 10"),
      [
        "a.yaml:1:94: charges[0].refunded must be less than the amount; when all of it was refunded the status is refunded",
      ],
    ],
    [
      charge("status: paid, refunded: 5"),
      ["a.yaml:1:80: charges[0].refunded is only for a charge whose status is refunded_partially"],
    ],
    [
      charge('status: due, msisdn: "0700000010", droppedReason: x'),
      [
        "a.yaml:1:77: charges[0].msisdn says who paid, and is only for a charge that was paid",
        "a.yaml:1:106: charges[0].droppedReason is only for a charge whose status is dropped",
      ],
    ],
    [
      charge("status: due, createdAt: 30m"),
      [
        expect.stringMatching(
          /^a\.yaml:1:80: charges\[0\]\.createdAt must be an ISO 8601 time .* such as -30m; with the minus sign, -30m, got "30m"$/,
        ),
      ],
    ],
    [charge("status: due, createdAt: 2026-02-30"), [expect.stringContaining('got "2026-02-30"')]],
    [
      charge("status: due, metadata: [1]"),
      [expect.stringMatching(/^a\.yaml:1:79: charges\[0\]\.metadata must be an object, /)],
    ],
    [
      charge("status: due, id: a/b"),
      ['a.yaml:1:73: charges[0].id must be an id: 1 to 100 letters, digits, dots, dashes and underscores, got "a/b"'],
    ],
    [
      "charges: [{ externalId: a, amount: 10.5, description: x, status: due }]",
      ["a.yaml:1:36: charges[0].amount must be a whole number of XOF from 1 to 1000000000, got 10.5"],
    ],
    [
      "charges: [{ externalId: 7, amount: 5_000, description: ' ', status: due }]",
      [
        'a.yaml:1:25: charges[0].externalId must be the caller\'s reference, a string that is not blank, got the number 7: write it in quotes, "7"',
        'a.yaml:1:36: charges[0].amount must be a whole number of XOF from 1 to 1000000000, got "5_000"',
        'a.yaml:1:56: charges[0].description must be the purpose of the payment, a string that is not blank, got " "',
      ],
    ],
    [
      'transactions: [{ msisdn: "0700000010", amount: 0, reference: r, status: completed, failureReason: x, id: 7f }]',
      [
        "a.yaml:1:48: transactions[0].amount must be a whole number of XOF from 1 to 1000000000, got 0",
        "a.yaml:1:99: transactions[0].failureReason is only for a transaction whose status is failed",
        'a.yaml:1:106: transactions[0].id must be a UUID, with or without txn_ before it, got "7f"',
      ],
    ],
    [
      "subscriptions: [{ topic: charge/event, url: localhost }]",
      [
        expect.stringMatching(
          /^a\.yaml:1:26: subscriptions\[0\]\.topic must be one of .*, got "charge\/event"\. Did you mean "charge\/events"\?$/,
        ),
        'a.yaml:1:45: subscriptions[0].url must be an absolute http or https URL, got "localhost"',
      ],
    ],
    [
      "companies: [{ companyId: a b, accessTokens: [], clock: runing, secretKey: 5, balance: 1.23456 }]",
      [
        'a.yaml:1:26: companies[0].companyId must be the id of a company: 1 to 200 visible ASCII characters without spaces, got "a b"',
        "a.yaml:1:45: companies[0].accessTokens must be a list of access tokens, with at least 1, got a list of 0",
        'a.yaml:1:56: companies[0].clock must be running, frozen, or an ISO 8601 time such as 2026-01-15T09:00:00Z, got "runing". Did you mean "running"?',
        "a.yaml:1:75: companies[0].secretKey must be the key that signs webhooks, a string that is not blank, got something else",
        "a.yaml:1:87: companies[0].balance must be a number of XOF from 0 to 100000000000 with at most 4 decimals, got 1.23456",
      ],
    ],
    [
      "companies: [{ companyId: a, accessToken: x, accessTokens: [y, { token: z, expiresAt: soon, more: 1 }] }]",
      [
        "a.yaml:1:42: companies[0].accessToken and accessTokens are both there: keep the list, with this token in it",
        'a.yaml:1:86: companies[0].accessTokens[1].expiresAt must be an ISO 8601 time such as 2026-01-15T09:00:00Z, got "soon"',
        "a.yaml:1:92: companies[0].accessTokens[1].more is not known here. Known are token, expiresAt",
      ],
    ],
    [
      "companies: [{ companyId: a, profile: { transfers: { settlement: manul, mni: 1 } } }]",
      [
        expect.stringMatching(/^a\.yaml:1:65: transfers\.settlement must be .*, not "manul"$/),
        'a.yaml:1:72: transfers.mni is not a setting. Did you mean "transfers.min"?',
      ],
    ],
    [
      "charge: []\n__proto__: 1",
      [
        'a.yaml:1:1: charge is not known here. Did you mean "charges"?',
        expect.stringMatching(/^a\.yaml:2:1: __proto__ is not known here\. Known are companies, /),
      ],
    ],
    ["charges: { a: 1 }", ["a.yaml:1:10: charges must be a list of charges, got a mapping"]],
    [
      "- charges",
      [
        "a.yaml:1:1: The file must be a mapping with companies, customers, charges, transactions and subscriptions, got a list of 1",
      ],
    ],
  ])("%s", async (text, messages) => {
    await expect(problemsOf(text)).resolves.toEqual(messages);
  });
});

describe("duplicate names", () => {
  const own = (lists: string, id = "a"): string => `{ companyId: ${id}, ${lists} }`;
  const order = (externalId: string, id = ""): string =>
    `{ externalId: ${externalId}, amount: 1, description: x, status: due${id === "" ? "" : `, id: ${id}`} }`;
  const transfer = (reference: string, id = ""): string =>
    `{ msisdn: "0700000010", reference: ${reference}, amount: 1, status: pending${id === "" ? "" : `, id: ${id}`} }`;
  const uuid = "0190a000-0000-7000-8000-000000000001";

  it.each<[string, string[], string[]]>([
    [
      "an externalId",
      [`charges:\n- ${order("a")}\n- ${order("a")}`],
      ['a.yaml:3:17: The externalId "a" is taken: line 2 has it'],
    ],
    [
      "an id of a charge",
      [`charges:\n- ${order("a", "x")}\n- ${order("b", "x")}`],
      ['a.yaml:3:64: The id "x" is taken: line 2 has it'],
    ],
    [
      "a reference",
      [`transactions:\n- ${transfer("a")}\n- ${transfer("a")}`],
      ['a.yaml:3:38: The reference "a" is taken: line 2 has it'],
    ],
    [
      "an id of a transaction",
      [`transactions:\n- ${transfer("a", uuid)}\n- ${transfer("b", `txn_${uuid.toUpperCase()}`)}`],
      [`a.yaml:3:73: The id "${uuid}" is taken: line 2 has it`],
    ],
    [
      "a shared externalId in a company",
      [`charges: [${order("a")}]\ncompanies:\n- ${own(`charges: [${order("a")}]`)}`],
      ['a.yaml:3:43: The externalId "a" is taken: line 1 has it'],
    ],
    [
      "an externalId in another file",
      [`charges: [${order("a")}]`, `charges: [${order("a")}]`],
      ['b.yaml:1:25: The externalId "a" is taken: a.yaml:1:25 has it'],
    ],
    [
      "a company",
      ["companies: [{ companyId: a }]", "companies: [{ companyId: a }]"],
      ['b.yaml:1:26: The companyId "a" is taken: a.yaml:1:26 has it'],
    ],
    [
      "a token",
      [
        "companies: [{ companyId: a, accessToken: t }, { companyId: b, accessTokens: [u, { token: t, expiresAt: 2026-01-01 }] }]",
      ],
      ["a.yaml:1:90: The access token is taken: line 1 has it"],
    ],
    [
      "a token that follows from an id",
      ["companies: [{ companyId: company_a }, { companyId: a }]"],
      ['a.yaml:1:52: The access token "at_a" is taken: line 1 has it'],
    ],
    [
      "a customer, however written",
      [
        'customers:\n- { msisdn: "+2250700000010", firstName: a, lastName: b }\n- { msisdn: "0700000010", firstName: a, lastName: b }',
      ],
      ['a.yaml:3:13: The msisdn "0700000010" is taken: line 2 has it'],
    ],
  ])("%s", async (_, texts, messages) => {
    await expect(problemsOf(texts)).resolves.toEqual(messages);
  });

  it("are allowed across companies, and where a company redefines a shared customer", async () => {
    const lists = `charges: [${order("a", "x")}], transactions: [${transfer("a", uuid)}]`;
    await expect(problemsOf(`companies:\n- ${own(lists, "a")}\n- ${own(lists, "b")}`)).resolves.toEqual([]);
    const customer = 'customers: [{ msisdn: "0700000010", firstName: a, lastName: b }]';
    await expect(problemsOf(`${customer}\ncompanies: [${own(customer)}]`)).resolves.toEqual([]);
    const subscription = '{ topic: charges/events, url: "http://127.0.0.1:1/" }';
    await expect(problemsOf(`subscriptions: [${subscription}, ${subscription}]`)).resolves.toEqual([]);
  });

  it("are reported together with other problems", async () => {
    await expect(problemsOf("charges:\n- { externalId: a }\n- { externalId: a }")).resolves.toContain(
      'a.yaml:3:17: The externalId "a" is taken: line 2 has it',
    );
  });
});
