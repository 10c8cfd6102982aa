/**
 * Renews the pictures in `docs/images/` from the build.
 *
 *   npm run screenshots               all of them
 *   npm run screenshots -- checkout   the ones whose names begin with "checkout"
 */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createWorld } from "./screenshot-world.mjs";

/** The largest total size, since every clone of the repository downloads the pictures. */
const BYTES_MAX = 10 * 1024 * 1024;

const folder = fileURLToPath(new URL("../docs/images", import.meta.url));
const prefix = process.argv[2] ?? "";

/** @typedef {"light" | "dark"} Look */
/** @type {readonly Look[]} */
const both = ["light", "dark"];

/**
 * The pictures `docs/images/NAME-LOOK.png`. `act`: acts on the page before the picture is taken.
 *
 * @typedef {object} Picture
 * @property {string} name
 * @property {(world: import("./screenshot-world.mjs").World) => string} path
 * @property {readonly Look[]} [looks]  default: light
 * @property {(page: import("playwright-core").Page) => Promise<unknown>} [act]
 */
/** @type {readonly Picture[]} */
const pictures = [
  {
    name: "checkout",
    path: ({ due }) => `/checkout/${due}`,
    act: (page) => page.getByRole("link", { name: "Pays", exact: false }).first().click(),
  },
  { name: "dashboard-overview", looks: both, path: ({ company }) => `/_sandbox?company=${company}` },
  {
    name: "dashboard-delivery",
    path: ({ delivery, company }) => `/_sandbox/dashboard/deliveries/${delivery}?company=${company}`,
  },
  { name: "dashboard-faults", path: ({ company }) => `/_sandbox/dashboard/rules?company=${company}` },
  {
    name: "dashboard-audit-report",
    path: ({ company }) => `/_sandbox/dashboard/audit?company=${company}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Run the audit" }).click();
      await page.locator(".finding").first().scrollIntoViewIfNeeded();
    },
  },
];

await mkdir(folder, { recursive: true });
const world = await createWorld();
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
  ],
});
for (const picture of pictures.filter(({ name }) => name.startsWith(prefix))) {
  for (const look of picture.looks ?? both.slice(0, 1)) await take(picture, look);
}
await browser.close();
await world.close();
await checkSize();

/**
 * @param {Picture} picture
 * @param {Look} look
 */
async function take({ name, path, act }, look) {
  const viewport = { width: 1200, height: 800 };
  const context = await browser.newContext({ colorScheme: look, viewport, locale: "en", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(world.url + path(world));
  await act?.(page);
  const file = join(folder, `${name}-${look}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  await context.close();
  console.log(`${name}-${look}.png  ${Math.ceil((await stat(file)).size / 1024)} KiB`);
}

async function checkSize() {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= BYTES_MAX) return;
  console.error(`docs/images has ${total} bytes, more than ${BYTES_MAX}. Leave pictures or looks out.`);
  process.exitCode = 1;
}
