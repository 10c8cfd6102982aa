import { describe, expect, it } from "vitest";
import { expectAccessible, expectFits, expectWellLaidOut, useBrowser } from "../support/browser.js";
import type { Live } from "../support/live.js";
import { dashboardIn } from "../support/open-dashboard.js";

const browser = useBrowser();

const openDashboard = dashboardIn(browser);

/** A company in which something of everything has happened. */
async function fill(live: Live): Promise<void> {
  await live.receiverFor("charges/events");
  const { id } = await live.createCharge({ description: `<b>"Shoes" & more</b>` });
  await live.createCharge({ externalId: "another-order" });
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
  "/profile",
  "/profile/transfers.settlement",
  "/state",
  "/companies",
  "/findings",
  "/coverage",
];

describe("pages that control and judge", () => {
  it("are accessible in light and dark, full and empty, and fit a phone", { timeout: 600_000 }, async (test) => {
    const { live: world, page, goto } = await openDashboard(test, "/clock");
    for (const path of steering) {
      await goto(path);
      await expectAccessible(page);
    }
    await fill(world);
    for (const path of steering) {
      await goto(path);
      const command = page.locator("main details.curl summary:visible").first();
      if ((await command.count()) > 0) await command.click();
      await expectWellLaidOut(page);
      await page.setViewportSize({ width: 320, height: 800 });
      await expectFits(page);
    }
  });
});

describe("the clock", () => {
  it("is frozen, resumed and moved with clicks", async (test) => {
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
    expect(await outcome()).toContain("The clock is frozen");
    await expectAccessible(page);
  });

  it("advances to the next due item, and says why it does not go back", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/clock");
    await live.createTransfer();
    await press("To the next due");
    expect(live.now()).toBe("2026-01-15T09:00:02.000Z");
    await page.getByLabel("To a time, ISO 8601").fill("2020-01-01T00:00:00Z");
    await press("Go there");
    expect(await outcome()).toContain("Nothing was done");
    expect(await page.getByRole("alert").innerText()).toContain("2020-01-01");
    await expectAccessible(page);
  });
});

describe("rules", () => {
  it("are switched on with a click, and off again", async (test) => {
    const { page, press, live } = await openDashboard(test, "/rules");
    await press("Send webhooks twice");
    const rules = async () => (await live.control("GET", "/rules")).body.data;
    expect(await rules()).toMatchObject([{ name: "Send webhooks twice", on: "delivery", then: { duplicate: 1 } }]);
    await press('Switch off the rule "Send webhooks twice"');
    expect(await rules()).toEqual([]);
    await press("Decline the next payment");
    await page.getByText("Write a rule as JSON").click();
    await page.getByLabel("Rule, as JSON").fill('{"on":"payment","then":{"outcome":"failed"}}');
    await press("Add the rule");
    await page.getByRole("button", { name: "Switch all off…" }).click();
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
    await press('Choose {"after":"2s"}');
    expect(await settlement()).toEqual({ after: "2s" });
  });
});

describe("the state", () => {
  it("is saved, restored, removed and reset", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/state");
    const count = async () => (await live.control("GET", "/charges")).body.count;
    const confirm = async (name: string) => {
      await page.getByRole("button", { name: `${name}…` }).click();
      await press(name);
    };
    await page.getByLabel("Name").fill("before");
    await press("Save");
    await live.createCharge();
    await confirm("Restore before");
    expect(await count()).toBe(0);
    await press("Undo");
    expect(await count()).toBe(1);
    await confirm("Remove before");
    expect(await page.getByText("before", { exact: true }).count()).toBe(0);
    await press("Undo");
    await page.getByText("before", { exact: true }).waitFor();
    await confirm("Reset the company");
    expect(await outcome()).toContain("as it was at the start");
    expect(await count()).toBe(0);
    await press("Undo");
    expect(await count()).toBe(1);
    await press("Undo");
    expect(await count()).toBe(0);
  });
});

describe("the state's file", () => {
  it("is downloaded and uploaded, and another kind of file changes nothing", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/state");
    const { id } = await live.createCharge();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the state" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("company_sandbox.json");
    const file = await download.path();
    await live.control("POST", "/reset");
    await page.getByLabel("State, as JSON").setInputFiles(file);
    await press("Upload");
    expect((await live.control("GET", "/charges")).body.data).toMatchObject([{ id }]);
    await press("Undo");
    expect((await live.control("GET", "/charges")).body.count).toBe(0);
    const buffer = Buffer.from('{"what": "is this"}');
    await page.getByLabel("State, as JSON").setInputFiles({ name: "state.json", mimeType: "application/json", buffer });
    await press("Upload");
    expect(await outcome()).toBe("Nothing was done.");
    await expectAccessible(page);
  });
});

describe("a form that is refused", () => {
  it.for([
    ["/clock", "By a duration", "2 fortnights", "Advance", /is not a duration/],
    ["/ledger", "XOF", "a lot", "Set", /balance must be/],
    ["/state", "Name", "not a name!", "Save", /name of a snapshot/],
    ["/rules", "Rule, as JSON", '{"on": "transfer", "then": {"outcome": "maybe"}}', "Add the rule", /then/],
    ["/profile/transfers.settlement", "Value, as JSON", '"never"', "Set", /transfers.settlement/],
  ] as const)(
    "%s keeps what was typed and shows the mistake at its field",
    async ([path, label, text, button, why], test) => {
      const { page, press } = await openDashboard(test, path);
      for (const summary of await page.locator("main #own-rule > summary").all()) await summary.click();
      await page.getByRole("textbox", { name: label }).fill(text);
      await press(button);
      const field = page.getByRole("textbox", { name: label });
      expect(await field.inputValue()).toBe(text);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      const described = (await field.getAttribute("aria-describedby")) ?? "";
      expect(await page.locator(`[id="${described}"]`).innerText()).toMatch(why);
      await expectAccessible(page);
    },
  );

  it("keeps its other fields too", async (test) => {
    const { page, press } = await openDashboard(test, "/customers");
    await page.getByLabel("Phone number").fill("12");
    await page.getByLabel("First name").fill("Awa");
    await page.getByLabel("Last name").fill("Koné");
    await press("Register");
    expect(await page.getByLabel("First name").inputValue()).toBe("Awa");
    expect(await page.getByLabel("Last name").inputValue()).toBe("Koné");
    expect(await page.getByLabel("Phone number").inputValue()).toBe("12");
    expect(await page.getByLabel("Phone number").getAttribute("aria-invalid")).toBe("true");
  });
});

describe("companies", () => {
  it("are opened and chosen without leaving the page", async (test) => {
    const { page, press, goto, live } = await openDashboard(test, "/companies");
    await page.getByText("New company").click();
    await page.getByLabel("Company id").fill("company_two");
    await press("Open");
    await goto("/clock");
    await page.getByRole("button", { name: "Company company_sandbox: switch" }).click();
    await page.getByRole("link", { name: "company_two", exact: true }).click();
    await page.waitForURL(/\/clock\?company=company_two$/);
    await press("Advance 1 h");
    expect(live.now()).toBe("2026-01-15T09:00:00.000Z");
    expect(await page.locator(".switcher > button").innerText()).toContain("company_two");
  });
});

describe("the frame", () => {
  it("shows the company's state, each part with its page", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    const strip = page.getByRole("navigation", { name: "State of the company" });
    expect(await strip.getByRole("link").allInnerTexts()).toEqual([
      "no critical finding",
      "no rule in force",
      "no webhook failing",
      "clock frozen at 2026-01-15 09:00:00",
    ]);
    const receiver = await live.receiverFor("transactions/started", { status: 302 });
    await live.createTransfer();
    await receiver.waitFor(1);
    await live.settle();
    await live.http("GET", "/v1/balance?key=secret_sandbox");
    for (const after of ["1h", "2h"]) await live.control("POST", "/rules", { on: "transfer", then: { after } });
    const parts = [
      ["1 critical finding", "Findings"],
      ["2 rules in force", "Faults"],
      ["1 webhook failing", "Deliveries"],
      ["clock frozen at", "Clock"],
    ] as const;
    for (const [name, title] of parts) {
      await goto("/charges");
      await strip.getByRole("link", { name }).click();
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    }
  });

  it("switches from a charge to the charges of another company, found by a part of its id, and shows the right one after Back", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    for (let n = 1; n <= 60; n++) await live.control("POST", "/companies", { companyId: `company_${n}` });
    const { id } = await live.createCharge();
    await goto(`/charges/${id}`);
    const button = page.locator(".switcher > button");
    await button.click();
    expect(await page.locator("#companies li").first().innerText()).toBe("company_60");
    await page.locator("#company-search").fill("y_58");
    await page.locator("#companies li:visible").click();
    await page.waitForURL(/\/charges\?company=company_58$/);
    await page.goBack();
    expect(await button.innerText()).toContain("company_sandbox");
    await button.click();
    await page.locator("#company-search").fill("company_7");
    await page.keyboard.press("Enter");
    await page.waitForURL(/companies\?q=company_7$/);
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  it("stays around a page that does not exist", async (test) => {
    const { live, page, goto } = await openDashboard(test, "", { page: { expected: /404/ } });
    await live.control("POST", "/companies", { companyId: "company_two" });
    await goto("/charges/nothing?company=company_two");
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
    await page.getByRole("link", { name: "Charges" }).click();
    await page.waitForURL(/\/charges\?company=company_two$/);
    await expectAccessible(page);
  });

  it("can be used with keys", async (test) => {
    const { page, goto } = await openDashboard(test, "/clock");
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    for (const [key, path] of [
      ["c", "/charges"],
      ["p", "/transfers"],
      ["w", "/deliveries"],
      ["k", "/clock"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.waitForURL(`**/dashboard${path}`);
    }
    await goto("/charges");
    await page.keyboard.press("/");
    await page.keyboard.type("g c/");
    await page.keyboard.press("Enter");
    await page.waitForURL(/_sandbox\?q=g\+c%2F$/);
  });
});

describe("without a script", () => {
  it("everything is a form: the clock moves, a fault is switched on, a company is chosen", async (test) => {
    const { page, press, outcome, live } = await openDashboard(test, "/clock", { page: { javaScriptEnabled: false } });
    await press("Advance 1 h");
    expect(await outcome()).toContain("It is 2026-01-15 10:00:00 now");
    await page.getByRole("link", { name: "Faults" }).click();
    await press("Leave the next payout pending");
    expect(await outcome()).toBe("The rule is in force.");
    await live.control("POST", "/companies", { companyId: "company_two" });
    await page.reload();
    await page.locator(".switcher > button").click();
    await page.getByRole("link", { name: "company_two", exact: true }).click();
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
  it("is shown from /, and the keyboard reaches the content first", async (test) => {
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
