import { describe, expect, it } from "vitest";
import { expectAccessible, expectFits, useBrowser } from "../support/browser.js";
import type { Live } from "../support/live.js";
import { dashboardIn } from "../support/open-dashboard.js";

const browser = useBrowser();

const openDashboard = dashboardIn(browser);

/** A company in which something of everything has happened. */
async function fill(live: Live): Promise<void> {
  await live.receiverFor("charges/events");
  const { id } = await live.createCharge({ description: `<b>"Shoes" & more</b>` });
  await live.createCharge({ externalId: "order-2" });
  await live.createTransfer();
  await live.ok("POST", `/v1/charges/${id}/pay`);
  await live.http("GET", "/v1/balance?key=secret_sandbox");
  await live.control("POST", "/rules", { name: "late", on: "transfer", match: { amount: 1 }, then: { after: "2h" } });
  await live.control("POST", "/rules", { on: "delivery", then: { duplicate: 1 }, times: 1 });
  await live.control("POST", "/snapshots/before");
  await live.control("POST", "/companies", { companyId: "company_two" });
  await live.settle();
}

const steering = [
  "/clock",
  "/rules",
  "/scenarios",
  "/profile",
  "/profile/transfers.settlement",
  "/state",
  "/companies",
  "/findings",
  "/coverage",
];

describe("pages that steer and judge", () => {
  it("are accessible in light and dark, full and empty, and fit a phone", { timeout: 120_000 }, async (test) => {
    const { live: world, page, goto } = await openDashboard(test, "/clock");
    for (const path of steering) {
      await goto(path);
      await expectAccessible(page);
    }
    await fill(world);
    for (const path of steering) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await goto(path);
      const command = page.locator("main details.curl summary").first();
      if ((await command.count()) > 0) await command.click();
      await expectAccessible(page);
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await expectFits(page);
      }
    }
  });
});

describe("the clock", () => {
  it("is frozen, let run and moved with clicks", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/clock");
    await live.createCharge();
    await press("Advance 1 min");
    expect(await outcome()).toContain("It is 2026-01-15 09:01:00 now");
    await press("Advance 1 h");
    expect(await outcome()).toContain("1 timer fired");
    await page.getByLabel("By a duration").fill("2h30m");
    await press("Advance");
    expect(live.now()).toBe("2026-01-15T12:31:00.000Z");
    await page.getByLabel("To a time, ISO 8601").fill("2026-02-01T00:00:00Z");
    await press("Go there");
    expect(live.now()).toBe("2026-02-01T00:00:00.000Z");
    await press("Let it run");
    expect((await live.control("GET", "/clock")).body.mode).toBe("running");
    await press("Freeze");
    expect(await outcome()).toContain("The clock stands still");
    await expectAccessible(page);
  });

  it("goes to the next due, and says why it does not go back", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/clock");
    await live.createTransfer();
    await press("To the next due");
    expect(live.now()).toBe("2026-01-15T09:00:02.000Z");
    await press("Wait until no webhook is in flight");
    await page.getByLabel("To a time, ISO 8601").fill("2020-01-01T00:00:00Z");
    await press("Go there");
    expect(await outcome()).toContain("Nothing was done");
    expect(await page.getByRole("alert").innerText()).toContain("2020-01-01");
    await expectAccessible(page);
  });
});

describe("rules", () => {
  it("are added from an example, switched off and on again", async (test) => {
    const { page, press, live } = await openDashboard(test, "/rules");
    await page.getByLabel("Start from an example").selectOption("Delivery: in reverse order");
    await page.waitForURL(/example=/);
    expect(await page.getByLabel("Rule, as JSON").inputValue()).toContain('"reverse": true');
    await press("Add the rule");
    const rules = async () => (await live.control("GET", "/rules")).body.data;
    expect(await rules()).toMatchObject([{ name: "reversed", on: "delivery" }]);
    await press('Switch off the rule "reversed"');
    expect(await rules()).toEqual([]);
    await press("Switch on the rule reversed");
    expect(await rules()).toMatchObject([{ name: "reversed", on: "delivery", then: { reverse: true } }]);
    await page.getByLabel("Rule, as JSON").fill('{"on":"payment","then":{"outcome":"failed"}}');
    await press("Add the rule");
    await press("Switch all off");
    expect(await rules()).toEqual([]);
  });
});

describe("the profile", () => {
  it("is changed to an alternative, to another value, and back", async (test) => {
    const { page, press, live } = await openDashboard(test, "/profile");
    await page.getByRole("link", { name: "transfers.settlement" }).click();
    await page.getByRole("heading", { name: "transfers.settlement" }).waitFor();
    const settlement = async () => (await live.control("GET", "/profile")).body.transfers.settlement;
    await press("Choose manual");
    expect(await settlement()).toBe("manual");
    await page.getByLabel("Value, as JSON").fill('{"after": "5m"}');
    await press("Set");
    expect(await settlement()).toEqual({ after: "5m" });
    await press("Back to the default");
    expect(await settlement()).toEqual({ after: "2s" });
  });
});

describe("scenarios", () => {
  it("run with a click and show how they ended", async (test) => {
    const { page, press, outcome } = await openDashboard(test, "/scenarios");
    await press("Run scenarios/balance.yaml");
    expect(await outcome()).toMatch(/passed after \d+ steps?\./);
    const story = page.getByLabel("Scenario, as JSON");
    await story.fill((await story.inputValue()).replace('"dropped"', '"paid"'));
    await press("Run it");
    expect(await outcome()).toContain("failed after 2 steps.");
    expect(await page.getByRole("region", { name: "Why" }).innerText()).toContain("paid");
    await expectAccessible(page);
  });
});

describe("the state", () => {
  it("is saved, restored, removed and reset", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/state");
    await page.getByLabel("Name").fill("before");
    await press("Save");
    await live.createCharge();
    await press("Restore before");
    expect((await live.control("GET", "/charges")).body.count).toBe(0);
    await press("Remove before");
    expect(await page.getByText("None is kept.").count()).toBe(1);
    await live.createCharge();
    await press("Reset the company");
    expect(await outcome()).toContain("as it was at the start");
    expect((await live.control("GET", "/charges")).body.count).toBe(0);
  });
});

describe("companies", () => {
  it("are opened and switched between, on the page where one is", async (test) => {
    const { page, press, goto, live } = await openDashboard(test, "/companies");
    await page.getByLabel("Company id").fill("company_two");
    await press("Open");
    await goto("/clock");
    await page.getByLabel("Company", { exact: true }).selectOption("company_two");
    await page.waitForURL(/\/clock\?company=company_two$/);
    await press("Advance 1 h");
    expect(live.now()).toBe("2026-01-15T09:00:00.000Z");
    expect(await page.getByLabel("Company", { exact: true }).inputValue()).toBe("company_two");
  });
});

describe("without a script", () => {
  it("everything is a form: the clock moves, an example is taken, a company is chosen", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/clock", { page: { javaScriptEnabled: false } });
    await press("Advance 1 h");
    expect(await outcome()).toContain("It is 2026-01-15 10:00:00 now");
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByLabel("Start from an example").selectOption("Transfer: never ends");
    await page.getByRole("button", { name: "Take it" }).click();
    expect(await page.getByLabel("Rule, as JSON").inputValue()).toContain('"stuck"');
    await live.control("POST", "/companies", { companyId: "company_two" });
    await page.reload();
    await page.getByLabel("Company", { exact: true }).selectOption("company_two");
    await page.getByRole("button", { name: "Switch", exact: true }).click();
    expect(page.url()).toContain("company=company_two");
  });
});

describe("the admin token", () => {
  it("is asked for once; signing out asks again", async (test) => {
    const { page, press, goto } = await openDashboard(test, "/clock", {
      world: { adminToken: "s3cret" },
      page: { expected: /401 \(Unauthorized\)/ },
    });
    await expectAccessible(page);
    await page.getByLabel("Admin token").fill("guess");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("not the admin token");
    await expectAccessible(page);
    await page.getByLabel("Admin token").fill("s3cret");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/dashboard\/clock$/);
    await press("Advance 1 h");
    await goto("/rules");
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    await goto("/rules");
    expect(page.url()).toContain("sign-in");
  });
});

describe("the frame", () => {
  it("is led to from /, by keyboard first to the content", async (test) => {
    const { page, live } = await openDashboard(test, "/clock");
    await page.goto(live.url);
    await page.waitForURL(/\/_sandbox$/);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  it("runs no script but its own", async (test) => {
    const { page } = await openDashboard(test, "/clock", { page: { expected: /Content Security Policy|404/ } });
    await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "window.breached = true";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.breached = true'>");
    `);
    const inline = await page.evaluate(
      "document.body.insertAdjacentHTML('beforeend', '<p id=p style=\"color:red\">x</p>'), getComputedStyle(document.getElementById('p')).color",
    );
    expect(inline).not.toBe("rgb(255, 0, 0)");
    expect(await page.evaluate("window.breached")).toBeUndefined();
  });

  it("copies the command of an action", async (test) => {
    const { page } = await openDashboard(test, "/clock", {
      page: { permissions: ["clipboard-read", "clipboard-write"] },
    });
    await page.getByText("curl", { exact: true }).first().click();
    await page
      .getByRole("button", { name: /^Copy the command/ })
      .first()
      .click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^curl -X PUT http.*\/_sandbox\/clock /);
  });
});
