/**
 * The pages of which pictures are made: `docs/images/NAME-LOOK.png` each.
 *
 * @typedef {"light" | "dark" | "phone"} Look
 * @typedef {object} Picture
 * @property {string} name
 * @property {(world: import("./screenshot-world.mjs").World) => string} path
 * @property {readonly Look[]} [looks]  default: all
 * @property {string} [language]  default: en
 * @property {boolean} [window]  of a phone only what its screen shows, else the whole page
 * @property {(page: import("playwright-core").Page) => Promise<unknown>} [act]  before it is taken
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
];
