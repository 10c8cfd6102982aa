import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { faults } from "../../src/http/pages/dashboard/control/rules.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { DASHBOARD, signIn, type Visitor, visit } from "../support/dashboard.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import { folderWith } from "../support/folder.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { startLive } from "../support/live.js";
import { runShell } from "../support/shell.js";
import { type LooseJson, openWorld, type TestWorld, type WorldOptions } from "../support/world.js";

interface Desk extends Visitor {
  readonly world: TestWorld;
  /** What GET of the control API answers. */
  see(path: string): Promise<LooseJson>;
}

async function openDesk(page: string, options: WorldOptions = {}): Promise<Desk> {
  const world = openWorld(options);
  const visitor = visit(world.app);
  await visitor.get(DASHBOARD + page);
  return Object.assign(visitor, { world, see: async (path: string) => (await world.control("GET", path)).body });
}

describe("the balance", () => {
  it.each(["10 000", "10000.00"])("is set to ten thousand with %s", async (balance) => {
    const desk = await openDesk("/state");
    await desk.act("balance", { balance });
    expect((await desk.see("/balance")).balance).toBe(10_000);
  });

  it.each(["10.000", "10,000", " ", "1e4", "0x10"])("is not set to %j", async (balance) => {
    const desk = await openDesk("/state");
    const before = await desk.see("/balance");
    expect((await desk.act("balance", { balance })).text).toContain("balance must be a number");
    expect(await desk.see("/balance")).toEqual(before);
  });
});

describe("the clock", () => {
  it("is frozen and resumed", async () => {
    const desk = await openDesk("/clock", { clock: "running" });
    expect((await desk.act("freeze")).text).toMatch(/The clock is frozen at \d{4}-/);
    expect((await desk.see("/clock")).mode).toBe("frozen");
    expect((await desk.act("resume")).text).toContain("The clock is running.");
    expect((await desk.see("/clock")).mode).toBe("running");
  });

  it("is advanced, and what happened is shown with the command that does the same", async () => {
    const desk = await openDesk("/clock");
    await desk.world.api("POST", "/v1/charges", chargeRequest());
    await desk.get(`${DASHBOARD}/clock`);
    const answer = await desk.act("advance", { by: "1h" });
    expect(answer.text).toContain("It is 2026-01-15 10:00:00 now: 1 timer fired.");
    const command = `curl http://localhost:4010/_sandbox/clock/advance -H 'Content-Type: application/json' -d '{"by":"1h"}'`;
    expect(answer.commands[0]).toBe(command);
    expect((await desk.see("/clock")).now).toBe("2026-01-15T10:00:00.000Z");
    expect((await desk.see("/charges")).data[0].status).toBe("dropped");
  });

  it("advances to the next due item, and to a time", async () => {
    const desk = await openDesk("/clock");
    await desk.world.api("POST", "/v1/transactions", transferRequest());
    await desk.get(`${DASHBOARD}/clock`);
    await desk.act("next");
    expect((await desk.see("/clock")).now).toBe("2026-01-15T09:00:02.000Z");
    expect((await desk.act("set", { now: "2026-02-01T00:00:00Z" })).text).toContain("It is 2026-02-01 00:00:00 now.");
  });

  it("says why it was not moved, in the control API's words", async () => {
    const desk = await openDesk("/clock");
    const answer = await desk.act("advance", { by: "soon" });
    expect(answer.text).toContain("Nothing was done.");
    const { body } = await desk.world.control("POST", "/clock/advance", { by: "soon" });
    expect(answer.text).toContain(body.message[0]);
    expect((await desk.act("set", { now: "2020-01-01T00:00:00Z" })).text).toContain("Nothing was done.");
    expect((await desk.see("/clock")).now).toBe("2026-01-15T09:00:00.000Z");
  });

  it("shows the first due items, soonest first", async () => {
    const desk = await openDesk("/clock");
    const ids: string[] = [];
    for (let count = 0; count < 30; count++)
      ids.push((await desk.world.api("POST", "/v1/charges", chargeRequest({ externalId: `order-${count}` }))).body.id);
    const { text } = await desk.get(`${DASHBOARD}/clock`);
    expect(ids.filter((id) => text.includes(id))).toEqual(ids.slice(0, 25));
    expect(text).toContain("And 5 more.");
  });
});

describe("rules", () => {
  it.each(Object.entries(faults))("fault: %s", async (name, rule) => {
    const desk = await openDesk("/rules");
    const { html } = await desk.get(`${DASHBOARD}/rules`);
    expect(html).toContain(name.replace("'", "&#39;"));
    expect((await desk.act("addRule", { rule: JSON.stringify({ name, ...rule }) })).text).toContain(
      "The rule is in force.",
    );
    expect((await desk.see("/rules")).data[0]).toMatchObject({ name, ...rule, fired: 0 });
  });

  it("are switched off one by one", async () => {
    const desk = await openDesk("/rules");
    const { body: rule } = await desk.world.control("POST", "/rules", { on: "transfer", then: { after: "2h" } });
    expect((await desk.act("removeRule", { id: rule.id })).text).toContain("The rule is removed.");
    expect((await desk.see("/rules")).data).toEqual([]);
  });

  it("are switched off all at once after a confirmation, and restored with undo", async () => {
    const desk = await openDesk("/rules");
    for (const rule of Object.values(faults).slice(0, 3)) await desk.world.control("POST", "/rules", rule);
    const rules = (await desk.see("/rules")).data;
    expect((await desk.get(`${DASHBOARD}/rules`)).text).toContain("Switch all 3 rules off?");
    const { html } = await desk.act("removeRules");
    expect((await desk.see("/rules")).data).toEqual([]);
    const outcome = /name="outcome" value="([^"]*)"/.exec(html)?.[1] ?? "";
    await desk.act("undo", { outcome });
    expect((await desk.see("/rules")).data).toEqual(rules);
  });

  it("that are wrong are refused with every reason, and without a command", async () => {
    const desk = await openDesk("/rules");
    const answer = await desk.act("addRule", { rule: '{"on":"transfre"}' });
    expect(answer.text).toContain('did you mean "transfer"?');
    expect((await desk.act("addRule", { rule: "{on: transfer}" })).text).toContain("The rule must be JSON");
  });
});

it("shows only the start of a very long reference", async () => {
  const desk = await openDesk("/transfers");
  const reference = `payout-${"x".repeat(100_000)}`;
  const answer = await desk.act("newPayout", { amount: "5000", msisdn: "+2250700000001", reference });
  expect(/The payout (payout-x+…)/.exec(answer.text)?.[1]?.length).toBeLessThan(5_000);
  expect((await desk.see("/transactions")).data[0].reference).toBe(reference);
});

it.each([
  ["newPayout", { amount: "5000", msisdn: "+2250700000001", reference: "payout-1" }, "/transfers"],
  ["subscribe", { topic: "charges/events", url: "http://127.0.0.1:9/hook" }, "/subscriptions"],
] as const)("%s sends X-Company-Id where every call needs it", async (name, fields, page) => {
  const desk = await openDesk(page, { profile: { auth: { companyHeader: "everywhere" } } });
  const { text, commands } = await desk.act(name, fields);
  expect(text).not.toContain("Nothing was done");
  expect(commands.find((line) => line.includes("/v1/"))).toContain("-H 'X-Company-Id: company_sandbox'");
});

it("does not say that nothing was done when a rule answers 500 after the work", async () => {
  const desk = await openDesk("/transfers");
  await desk.world.control("POST", "/rules", { on: "request", then: { status: 500, commit: true }, times: 1 });
  const answer = await desk.act("newPayout", { amount: "5000", msisdn: "+2250700000001", reference: "payout-1" });
  expect((await desk.see("/transactions")).count).toBe(1);
  expect(answer.text).toContain("It failed. Check whether the action was done. A rule of the sandbox answers 500");
});

describe("undo on an outdated page", () => {
  const outcomeIn = (html: string): string => /name="outcome" value="([^"]*)"/.exec(html)?.[1] ?? "";

  it("restores no snapshot that was saved later", async () => {
    const desk = await openDesk("/state");
    await desk.world.control("PUT", "/balance", { balance: 111 });
    const first = await desk.act("reset");
    await desk.world.control("PUT", "/balance", { balance: 222 });
    const second = await desk.act("reset");
    const refused = await desk.act("undo", { outcome: outcomeIn(first.html) });
    expect(refused.text).toContain('Nothing was done. The snapshot "before-reset" was replaced or removed since then.');
    expect((await desk.see("/balance")).balance).toBe(10_000_000);
    await desk.act("undo", { outcome: outcomeIn(second.html) });
    expect((await desk.see("/balance")).balance).toBe(222);
  });

  it("does not replace a snapshot that has the name of the removed one", async () => {
    const desk = await openDesk("/state");
    await desk.world.control("POST", "/snapshots/mine");
    const { html } = await desk.act("removeSnapshot", { snapshot: "mine" });
    await desk.world.control("PUT", "/balance", { balance: 333 });
    await desk.world.control("POST", "/snapshots/mine");
    const refused = await desk.act("undo", { outcome: outcomeIn(html) });
    expect(refused.text).toContain('Nothing was done. There is a snapshot "mine" already.');
    await desk.world.control("PUT", "/balance", { balance: 1 });
    await desk.world.control("PUT", "/snapshots/mine");
    expect((await desk.see("/balance")).balance).toBe(333);
  });

  it("keeps the snapshots that were saved since the removal", async () => {
    const desk = await openDesk("/state");
    for (const name of ["first", "removed"]) await desk.world.control("POST", `/snapshots/${name}`);
    const { html } = await desk.act("removeSnapshot", { snapshot: "removed" });
    await desk.world.control("POST", "/snapshots/later");
    await desk.act("undo", { outcome: outcomeIn(html) });
    const { data } = await desk.see("/snapshots");
    expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["first", "later", "removed"]);
  });

  it("puts no snapshot back beyond the limit", async () => {
    const desk = await openDesk("/state");
    for (let at = 1; at <= 100; at++) await desk.world.control("POST", `/snapshots/number-${at}`);
    const { html } = await desk.act("removeSnapshot", { snapshot: "number-1" });
    await desk.world.control("POST", "/snapshots/number-101");
    const { text } = await desk.act("undo", { outcome: outcomeIn(html) });
    expect(text).toContain('Nothing was done. Failed to save the snapshot "number-1": 100 snapshots are kept');
  });

  it("puts a snapshot back only when it can be stored", async () => {
    const path = join(await folderWith({}), "store.json");
    const fs = createFaultyFiles();
    const format = createStoreFormat(systemClock);
    const store = await openFileStore({ path, format, system: systemClock, log: silentLog, fs });
    const desk = await openDesk("/state", { store });
    await desk.world.control("POST", "/snapshots/mine");
    const { html } = await desk.act("removeSnapshot", { snapshot: "mine" });
    fs.fail("ENOSPC: no space left on device, write");
    await desk.world.control("PUT", "/balance", { balance: 1 });
    const refused = await desk.act("undo", { outcome: outcomeIn(html) });
    expect(refused.text).toContain("It failed. Check whether the action was done. The state could not be written");
    expect((await desk.see("/snapshots")).data).toEqual([]);
    fs.fail(undefined);
    await desk.act("undo", { outcome: outcomeIn(html) });
    expect((await desk.see("/snapshots")).count).toBe(1);
  });
});

describe("the profile", () => {
  it("shows each setting with its value, default, alternatives and the contract's sentence", async () => {
    const desk = await openDesk("/profile", { profile: { transfers: { settlement: "manual" } } });
    const { settings } = await desk.see("/profile");
    const list = await desk.get(`${DASHBOARD}/profile`);
    for (const { setting, contract, alternatives } of settings) {
      expect(list.text).toContain(setting);
      const page = await desk.get(`${DASHBOARD}/profile/${setting}`);
      const text = page.text.replaceAll(/\s/g, "");
      expect(text).toContain(contract.replaceAll(/[`\s]/g, ""));
      for (const { effect } of alternatives) expect(text).toContain(effect.replaceAll(/[`\s]/g, ""));
    }
  });

  it("is changed to an alternative, to any value, and back to the default", async () => {
    const desk = await openDesk("/profile/transfers.settlement");
    const set = (value: string) => desk.act("setting", { setting: "transfers.settlement", value });
    const settlement = async () => (await desk.see("/profile")).transfers.settlement;
    const answer = await set('"manual"');
    expect(answer.text).toContain("The setting is changed.");
    expect(answer.commands[0]).toContain(`-X PATCH http://localhost:4010/_sandbox/profile`);
    expect(await settlement()).toBe("manual");
    await set('{"after":"5m"}');
    expect(await settlement()).toEqual({ after: "5m" });
    expect((await set('"manully"')).text).toContain("Nothing was done.");
    await set("null");
    expect(await settlement()).toEqual({ after: "2s" });
  });

  it("changes a setting without a group", async () => {
    const desk = await openDesk("/profile/rateLimit");
    await desk.act("setting", { setting: "rateLimit", value: '{"requests":5,"per":"1s"}' });
    expect((await desk.see("/profile")).rateLimit).toEqual({ requests: 5, per: "1s" });
  });
});

describe("the state", () => {
  it("is saved, restored and removed under a name", async () => {
    const desk = await openDesk("/state");
    expect((await desk.act("saveSnapshot", { snapshot: "before" })).text).toContain("The snapshot before is saved.");
    await desk.world.control("PUT", "/balance", { balance: 7 });
    await desk.get(`${DASHBOARD}/state`);
    await desk.act("restoreSnapshot", { snapshot: "before" });
    expect((await desk.see("/balance")).balance).toBe(10_000_000);
    await desk.act("removeSnapshot", { snapshot: "before" });
    const names = (await desk.see("/snapshots")).data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["before-restore"]);
    expect((await desk.act("restoreSnapshot", { snapshot: "before" })).text).toContain("Nothing was done");
  });

  it("of a file that is refused is not kept for the next page", async () => {
    const desk = await openDesk("/state");
    const answer = await desk.act("putState", { state: "no state ".repeat(20_000) });
    expect(answer.text).toContain("The state must be JSON");
    expect(answer.html.length).toBeLessThan(50_000);
  });

  it("is reset to the start", async () => {
    const desk = await openDesk("/state");
    await desk.world.api("POST", "/v1/charges", chargeRequest());
    expect((await desk.act("reset")).text).toContain("The company is as it was at the start.");
    expect((await desk.see("/charges")).data).toEqual([]);
  });
});

describe("companies", () => {
  it("are opened, listed and distinguished", async () => {
    const desk = await openDesk("/companies");
    const answer = await desk.act("open", { companyId: "company_two" });
    expect(answer.text).toContain("The company company_two is open.");
    const other = await desk.get(`${DASHBOARD}/clock?company=company_two`);
    expect(other.html).toContain('aria-current="true">company_two</a>');
    expect(other.html).toContain('href="../../_sandbox/dashboard/rules?company=company_two"');
    expect(other.commands.find((line) => line.includes("advance"))).toContain("?company=company_two");
    await desk.act("advance", { by: "1h" }, "company_two");
    expect((await desk.see("/clock?company=company_two")).now).not.toBe((await desk.see("/clock")).now);
  });

  it("get an id if none is given", async () => {
    const desk = await openDesk("/companies");
    await desk.act("open");
    expect((await desk.see("/companies")).count).toBe(2);
  });

  it("are listed a page at a time, and a limited number is in the menu", async () => {
    const desk = await openDesk("/companies");
    for (let count = 0; count < 60; count++)
      await desk.world.control("POST", "/companies", { companyId: `c-${count}` });
    const page = await desk.get(`${DASHBOARD}/companies`);
    const rows = (html: string) => html.match(/<tr id="company-/g);
    expect(rows(page.html)).toHaveLength(50);
    expect(page.html.match(/<li><a class="code"/g)).toHaveLength(50);
    const next = /href="([^"]*)">Older →/.exec(page.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { pathname, search } = new URL(next, `http://localhost${DASHBOARD}/companies`);
    expect(rows((await desk.get(pathname + search)).html)).toHaveLength(11);
  });
});

describe("findings", () => {
  it("are shown without the secret, newest first", async () => {
    const desk = await openDesk("/findings");
    expect((await desk.get(`${DASHBOARD}/findings`)).text).toContain("Nothing was found.");
    await desk.world.api("GET", "/v1/balance?key=secret_sandbox");
    const { text } = await desk.get(`${DASHBOARD}/findings`);
    const [finding] = (await desk.see("/findings")).data;
    expect(text).toContain(finding.kind);
    expect(text).toContain(finding.why);
    expect(text).toContain(finding.fix);
    expect(text).not.toContain("secret_sandbox");
  });
});

describe("coverage", () => {
  it("says how much is covered, and lists what is not", async () => {
    const desk = await openDesk("/coverage");
    const list = async () => (await desk.get(`${DASHBOARD}/coverage`)).text;
    expect(await list()).toContain("GET /v1/balance 200");
    await desk.world.api("GET", "/v1/balance");
    const { percent, met, total } = await desk.see("/coverage");
    expect(await list()).toContain(`Total ${met} of ${total} ${percent} %`);
    expect(await list()).not.toContain("GET /v1/balance 200");
  });
});

describe("text that others wrote", () => {
  const hostile = `<img src=x onerror=alert(1)>"'&lt;\u202e`;

  it("is shown as text on every page", async () => {
    const desk = await openDesk("/rules");
    await desk.world.control("POST", "/rules", {
      name: hostile,
      on: "request",
      match: { path: "/v1/charges/:id", headers: { a: hostile } },
      then: { status: 200, body: hostile },
    });
    await desk.world.control("POST", "/companies", { companyId: "<b>x</b>" });
    await desk.world.control("PATCH", "/profile", { charges: { service: hostile, droppedReason: hostile } });
    await desk.world.api("GET", `/v1/balance?${String(new URLSearchParams({ q: hostile, key: "secret_sandbox" }))}`);
    await desk.act("addRule", { rule: `{"name": ${JSON.stringify(hostile)}, "on": "${hostile.replaceAll('"', "")}"}` });
    const list = await desk.see("/rules");
    await desk.get(`${DASHBOARD}/rules`);
    await desk.act("removeRule", { id: list.data[0].id });
    for (const path of [
      "/rules",
      "/rules?outcome=1",
      "/rules?outcome=2",
      "/companies",
      "/clock?company=%3Cb%3Ex%3C%2Fb%3E",
      "/profile",
      "/profile/charges.service",
      "/findings",
      "/coverage",
      "/state",
      "/clock?x=%22%3E%3Cimg%20src%3Dx%3E",
      "/%3Cimg%20src=x%3E",
    ]) {
      const { html } = await desk.get(DASHBOARD + path);
      expect(html).not.toMatch(/<img|<b>x<\/b>/);
    }
  });
});

describe("commands", () => {
  const pages = ["/clock", "/rules", "/state", "/companies", "/profile/http.createdStatus"];

  it.each([
    ["without a token", {}],
    ["with an admin token", { adminToken: "s3cret" }],
  ] as const)("of the pages that control the sandbox work when they are pasted, %s", async (_, options) => {
    const live = await startLive(options);
    await live.createCharge();
    const authorization = { authorization: "Bearer s3cret" };
    await live.control("POST", "/rules", { on: "transfer", then: { after: "1h" } }, authorization);
    const visitor = visit(live.app, live.url);
    if ("adminToken" in options) {
      await signIn(visitor);
    }
    const lines: string[] = [];
    for (const page of pages) lines.push(...(await visitor.get(DASHBOARD + page)).commands);
    expect(lines.length).toBeGreaterThan(10);
    const moving = lines.filter((line) => !line.includes("_sandbox/clock -H") || !line.includes('"now"'));
    await runShell(`export SANDBOX_ADMIN_TOKEN=s3cret\n${moving.join("\n")}`, { url: live.url });
  });
});
