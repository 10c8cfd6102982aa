import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import type { Live } from "../support/live.js";
import { dashboardIn } from "../support/open-dashboard.js";

const openDashboard = dashboardIn(useBrowser());

/** The actions of a user. Each click and each Enter counts. */
interface User {
  readonly page: Page;
  readonly live: Live;
  readonly click: (target: Locator) => Promise<void>;
  readonly search: (text: string) => Promise<void>;
}

interface Task {
  readonly most: number;
  readonly does: (user: User) => Promise<void>;
  /** The text that the page shows afterwards. */
  readonly shows: string | RegExp;
}

const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const section = (page: Page, name: string) => page.locator(".sections").getByRole("link", { name });

/** Each task begins on the activity page. */
const tasks: Readonly<Record<string, Task>> = {
  "see why a request failed": {
    most: 2,
    shows: /amount must be/,
    does: async ({ page, click }) => {
      await click(link(page, /^failing$/));
      await click(page.locator("#feed").getByRole("link", { name: "/v1/charges", exact: true }).first());
    },
  },
  "find a request by its correlation id": {
    most: 2,
    shows: /Problem code/,
    does: async ({ page, live, click, search }) => {
      await search((await live.http("POST", "/v1/charges", { amount: -2 })).body.correlationId);
      await click(link(page, /^Request req_/));
    },
  },
  "find a charge by its externalId": {
    most: 2,
    shows: /Charge order-77/,
    does: async ({ page, click, search }) => {
      await search("order-77");
      await click(link(page, /^Charge /));
    },
  },
  "see which webhook fails, and why": {
    most: 2,
    shows: /503/,
    does: async ({ page, click }) => {
      await click(link(page, /webhooks? failing/));
      await click(page.locator("#feed").getByRole("link").first());
    },
  },
  "copy a failing delivery as curl": {
    most: 3,
    shows: /^(Copied|Selected)$/,
    does: async ({ page, click }) => {
      await click(link(page, /webhooks? failing/));
      await click(page.locator("#feed").getByRole("link").first());
      await click(button(page, "Copy the command: Send it to your receiver, signed"));
    },
  },
  "read what to do about a critical finding": {
    most: 1,
    shows: /What to do/,
    does: ({ page, click }) => click(link(page, /critical finding/)),
  },
  "decline the next payment": {
    most: 2,
    shows: /The rule is in force/,
    does: async ({ page, click }) => {
      await click(section(page, "Faults"));
      await click(button(page, "Decline the next payment"));
    },
  },
  "move the clock by an hour": {
    most: 2,
    shows: /It is 2026-01-15 10:00:00 now/,
    does: async ({ page, click }) => {
      await click(link(page, /clock frozen/));
      await click(button(page, "Advance 1 h"));
    },
  },
  "look at another company": {
    most: 2,
    shows: /company_two ▾/,
    does: async ({ page, click }) => {
      await click(page.locator(".switcher > button"));
      await click(link(page, /^company_two$/));
    },
  },
  "undo a reset": {
    most: 1,
    shows: /The snapshot is restored/,
    does: async ({ page, click }) => {
      await page.goto(page.url().replace("/_sandbox", "/_sandbox/dashboard/state"));
      await button(page, "Reset the company…").click();
      await button(page, "Reset the company").click();
      await click(button(page, "Undo"));
    },
  },
};

describe("a user", () => {
  it.for(Object.entries(tasks))("can %s", async ([_, { most, does, shows }], test) => {
    const { live, page, goto } = await openDashboard(test, "");
    await live.receiverFor("charges/events", { status: 503 });
    const { id } = await live.createCharge({ externalId: "order-77" });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    await live.http("POST", "/v1/charges", { amount: -1 });
    await live.http("GET", "/v1/balance?key=secret_sandbox");
    await live.control("POST", "/companies", { companyId: "company_two" });
    await goto("");
    let steps = 0;
    await does({
      page,
      live,
      click: async (target) => {
        steps++;
        await target.click();
      },
      search: async (text) => {
        steps++;
        await page.keyboard.press("/");
        await page.keyboard.type(text);
        await page.keyboard.press("Enter");
      },
    });
    await page.getByText(shows).first().waitFor();
    expect(steps).toBeLessThanOrEqual(most);
  });
});

describe("printed", () => {
  it("a charge and a delivery have their content, without the frame", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    const { url } = await live.receiverFor("charges/events");
    const { id } = await live.createCharge({ externalId: "order-77" });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    await page.emulateMedia({ media: "print" });
    for (const [path, text] of [
      [`/charges/${id}`, "order-77"],
      [`/deliveries/${live.deliveries()[0]!.id}`, url],
    ] as const) {
      await goto(path);
      const printed = await page.locator("body").innerText();
      expect(printed).toContain(text);
      expect(printed).not.toMatch(/Faults|Resend|curl|Search/);
    }
  });
});
