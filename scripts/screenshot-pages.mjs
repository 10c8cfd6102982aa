/**
 * The pages of the pictures `docs/images/NAME-LOOK.png`.
 *
 * @typedef {"light" | "dark" | "phone"} Look
 * @typedef {object} Picture
 * @property {string} name
 * @property {(world: import("./screenshot-world.mjs").World) => string} path
 * @property {readonly Look[]} [looks]  default: all
 * @property {boolean} [window]  on a phone only the visible part, else the whole page
 * @property {(page: import("playwright-core").Page) => Promise<unknown>} [act]  runs before the picture is taken
 */

/** @type {readonly Picture[]} */
export const pictures = [
  {
    name: "checkout",
    looks: ["light"],
    window: true,
    path: ({ charges }) => `/checkout/${charges["due"]}`,
    act: (page) => page.getByRole("link", { name: "Pays", exact: false }).first().click(),
  },
  ...dashboardPages(),
  {
    name: "dashboard-audit-report",
    looks: ["light"],
    window: true,
    path: ({ company }) => `/_sandbox/dashboard/audit?company=${company}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Run the audit" }).click();
      await page.locator(".finding").first().scrollIntoViewIfNeeded();
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
    ["delivery", ({ delivery }) => `/deliveries/${delivery}`],
    ["faults", () => "/rules"],
  ];
  return pages.map(([name, pathOf]) => ({
    name: `dashboard-${name}`,
    looks: name === "overview" ? ["light", "dark"] : ["light"],
    window: true,
    path: (world) => {
      const path = pathOf(world);
      return `/_sandbox${path === "" ? "" : `/dashboard${path}`}?company=${world.company}`;
    },
  }));
}
