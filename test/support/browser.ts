import axe, { type AxeResults } from "axe-core";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext } from "vitest";

/** A real Chromium, for the tests of one file: `const browser = useBrowser();` at its top. */
export interface TestBrowser {
  /**
   * A page in a new context, closed at the end of the test. The test fails after an error in the page's console or scripts, a breach of its
   * Content-Security-Policy, or a request to a host other than this machine. Skips the test where there is no Chromium.
   */
  open(test: TestContext, options?: PageOptions): Promise<Page>;
}

export interface PageOptions extends BrowserContextOptions {
  /** Expected lines of the console: the browser writes one for each page with status 400 or more. */
  readonly expected?: RegExp;
}

/** The path from the variable, by default the one of Debian. */
const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** Disables the browser's own requests, and makes it draw in the same way on every machine. */
const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (existsSync(CHROMIUM))
      browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...CHROMIUM_ARGS] });
  });
  afterAll(async () => browser?.close());
  return {
    async open(test, options = {}) {
      if (browser === undefined) return test.skip(`There is no Chromium at ${CHROMIUM}: set CHROMIUM_PATH.`);
      const { expected, ...given } = options;
      const context = await browser.newContext({ locale: "en", ...given });
      const page = await context.newPage();
      const problems = watch(page);
      test.onTestFinished(async () => {
        await context.close();
        expect(problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
      });
      return page;
    },
  };
}

/** Collects the errors of a page, one per line. */
function watch(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== "data:" && hostname !== "127.0.0.1" && hostname !== "localhost")
      problems.push(`request to another host: ${request.url()}`);
  });
  return problems;
}

/** Checks the rules of axe, in light and in dark colours. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Colours that are still changing have no contrast of their own.
    await page.evaluate(
      "for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()",
    );
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<AxeResults>("axe.run()");
    const lines = violations.map(
      ({ id, help, nodes }) => `${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(" | ")}`,
    );
    expect(lines).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

const WIDTHS: readonly number[] = [1440, 1024, 390];

/** Checks accessibility at three widths, that no part is wider than the window, and that every button of a table is in sight. */
export async function expectWellLaidOut(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await expectAccessible(page);
    await expectFits(page);
    const unseen = await page.evaluate<string[]>(`
      [...document.querySelectorAll(".scroll button:not([popover] *)")]
        .filter((button) => button.checkVisibility())
        .filter((button) => button.getBoundingClientRect().right > button.closest(".scroll").getBoundingClientRect().right)
        .map((button) => button.innerText)`);
    expect(unseen, `buttons out of sight at ${width} px`).toEqual([]);
  }
}

/** Checks that no part of the page is wider than the window. */
export async function expectFits(page: Page): Promise<void> {
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
  expect(excess).toBeLessThanOrEqual(0);
}
