import type { Page } from "playwright-core";
import type { TestContext } from "vitest";
import type { PageOptions, useBrowser } from "./browser.js";
import { type Live, startLive } from "./live.js";
import type { WorldOptions } from "./world.js";

export interface OpenedDashboard {
  readonly live: Live;
  readonly page: Page;
  readonly goto: (path: string) => Promise<void>;
  /** Clicks a button of a form, and waits for the next page. */
  readonly press: (name: string) => Promise<void>;
  /** The message of the last action. */
  readonly outcome: () => Promise<string>;
}

interface Given {
  readonly world?: WorldOptions;
  readonly page?: PageOptions;
}

/** Opens a page of the dashboard of a new sandbox. */
export function dashboardIn(browser: ReturnType<typeof useBrowser>) {
  return async (test: TestContext, path: string, { world, page: options }: Given = {}): Promise<OpenedDashboard> => {
    const live = await startLive(world);
    const page = await browser.open(test, options);
    const goto = async (other: string): Promise<void> => {
      await page.goto(`${live.url}/_sandbox${other === "" ? "" : `/dashboard${other}`}`);
    };
    await goto(path);
    return {
      live,
      page,
      goto,
      press: async (name) => {
        const before = page.url();
        const follows = (url: URL): boolean => url.href !== before && url.searchParams.has("outcome");
        await Promise.all([page.waitForURL(follows), page.getByRole("button", { name, exact: true }).click()]);
      },
      outcome: () => page.locator(".outcome strong").innerText(),
    };
  };
}
