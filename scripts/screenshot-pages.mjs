/**
 * The pages of the pictures `docs/images/NAME-LOOK.png`.
 *
 * @typedef {"light" | "dark" | "phone"} Look
 * @typedef {object} Picture
 * @property {string} name
 * @property {(world: import("./screenshot-world.mjs").World) => string} path
 * @property {readonly Look[]} [looks]  default: all
 * @property {string} [language]  default: en
 * @property {boolean} [window]  on a phone only the visible part, else the whole page
 * @property {(page: import("playwright-core").Page) => Promise<unknown>} [act]  runs before the picture is taken
 */

/** @type {readonly Picture[]} */
export const pictures = [
  {
    name: "checkout",
    window: true,
    path: ({ charges }) => `/checkout/${charges["due"]}`,
    act: (page) => page.getByRole("link", { name: "Pays", exact: false }).first().click(),
  },
  {
    name: "checkout-french",
    window: true,
    path: ({ charges }) => `/checkout/${charges["due"]}`,
    looks: ["phone"],
    language: "fr-CI",
  },
  { name: "checkout-declined", window: true, path: ({ charges }) => `/checkout/${charges["declined"]}` },
  { name: "checkout-paid", path: ({ charges }) => `/checkout/${charges["paid"]}` },
  { name: "checkout-expired", path: ({ charges }) => `/checkout/${charges["expired"]}`, looks: ["dark"] },
  ...dashboardPages(),
  {
    name: "dashboard-audit-report",
    window: true,
    path: ({ company }) => `/_sandbox/dashboard/audit?company=${company}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Run the audit" }).click();
      await page.waitForURL(/\/audit\/\d+/);
    },
  },
];

/**
 * @returns {readonly Picture[]}
 */
function dashboardPages() {
  /** @type {readonly [name: string, pathOf: (world: import("./screenshot-world.mjs").World) => string][]} */
  const pages = [
    ["overview", () => ""],
    ["charges", () => "/charges"],
    ["charge", ({ charges }) => `/charges/${charges["paid"]}`],
    ["transfers", () => "/transfers"],
    ["transfer", ({ transfer }) => `/transfers/${transfer}`],
    ["batches", () => "/batches"],
    ["batch", ({ batch }) => `/batches/${batch}`],
    ["customers", () => "/customers"],
    ["ledger", () => "/ledger"],
    ["subscriptions", () => "/subscriptions"],
    ["deliveries", () => "/deliveries"],
    ["delivery", ({ delivery }) => `/deliveries/${delivery}`],
    ["audit", () => "/audit"],
    ["request", ({ request }) => `/requests/${request}`],
    ["clock", () => "/clock"],
    ["rules", () => "/rules"],
    ["scenarios", () => "/scenarios"],
    ["profile", () => "/profile"],
    ["setting", () => "/profile/transfers.settlement"],
    ["state", () => "/state"],
    ["companies", () => "/companies"],
    ["findings", () => "/findings"],
    ["coverage", () => "/coverage"],
  ];
  return pages.map(([name, pathOf]) => ({
    name: `dashboard-${name}`,
    window: true,
    path: (world) => {
      const path = pathOf(world);
      return `/_sandbox${path === "" ? "" : `/dashboard${path}`}?company=${world.company}`;
    },
  }));
}
