/**
 * Renews the pictures in `docs/images/` from the build.
 *
 *   npm run screenshots               all of them
 *   npm run screenshots -- checkout   those whose names begin with this
 */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { pictures } from "./screenshot-pages.mjs";
import { createWorld } from "./screenshot-world.mjs";

/** The largest total size, since every clone of the repository downloads the pictures. */
const BYTES_MAX = 10 * 1024 * 1024;

const folder = fileURLToPath(new URL("../docs/images", import.meta.url));
const prefix = process.argv[2] ?? "";

/** @type {Record<import("./screenshot-pages.mjs").Look, import("playwright-core").BrowserContextOptions>} */
const looks = {
  light: { colorScheme: "light", viewport: { width: 1200, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

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
  for (const look of picture.looks ?? /** @type {const} */ (["light", "dark", "phone"])) await take(picture, look);
}
await browser.close();
await world.close();
await checkSize();

/**
 * @param {import("./screenshot-pages.mjs").Picture} picture
 * @param {import("./screenshot-pages.mjs").Look} look
 */
async function take({ name, path, window = false, act }, look) {
  const context = await browser.newContext({ ...looks[look], locale: "en", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(world.url + path(world));
  await act?.(page);
  const file = join(folder, `${name}-${look}.png`);
  await page.screenshot({ path: file, fullPage: look === "phone" && !window, animations: "disabled" });
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
