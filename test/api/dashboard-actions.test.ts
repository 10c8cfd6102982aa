import { describe, expect, it } from "vitest";
import { ruleExamples } from "../../src/http/pages/dashboard/control/rules.js";
import { DASHBOARD, signIn, type Visitor, visit } from "../support/dashboard.js";
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

describe("the clock", () => {
  it("is frozen and let run", async () => {
    const desk = await openDesk("/clock", { clock: "running" });
    expect((await desk.act("freeze")).text).toMatch(/The clock stands still at \d{4}-/);
    expect((await desk.see("/clock")).mode).toBe("frozen");
    expect((await desk.act("resume")).text).toContain("The clock runs.");
    expect((await desk.see("/clock")).mode).toBe("running");
  });

  it("is advanced, and what happened is told with the command that does the same", async () => {
    const desk = await openDesk("/clock");
    await desk.world.api("POST", "/v1/charges", chargeRequest());
    await desk.get(`${DASHBOARD}/clock`);
    const answer = await desk.act("advance", { by: "1h" });
    expect(answer.text).toContain("It is 2026-01-15 10:00:00 now: 1 timer fired, 0 webhooks were attempted.");
    const command = `curl http://localhost:4010/_sandbox/clock/advance -H 'Content-Type: application/json' -d '{"by":"1h"}'`;
    expect(answer.commands[0]).toBe(command);
    expect((await desk.see("/clock")).now).toBe("2026-01-15T10:00:00.000Z");
    expect((await desk.see("/charges")).data[0].status).toBe("dropped");
  });

  it("goes to the next due, and to a time", async () => {
    const desk = await openDesk("/clock");
    await desk.world.api("POST", "/v1/transactions", transferRequest());
    await desk.get(`${DASHBOARD}/clock`);
    await desk.act("next");
    expect((await desk.see("/clock")).now).toBe("2026-01-15T09:00:02.000Z");
    expect((await desk.act("set", { now: "2026-02-01T00:00:00Z" })).text).toContain("It is 2026-02-01 00:00:00 now.");
    expect((await desk.act("settle")).text).toContain("Nothing is on its way any more.");
  });

  it("says why it was not moved, in the control API's words", async () => {
    const desk = await openDesk("/clock");
    const answer = await desk.act("advance", { by: "soon" });
    expect(answer.text).toContain("Nothing was done: the advance was refused.");
    const { body } = await desk.world.control("POST", "/clock/advance", { by: "soon" });
    expect(answer.text).toContain(body.message[0]);
    expect((await desk.act("set", { now: "2020-01-01T00:00:00Z" })).text).toContain("setting the clock was refused");
    expect((await desk.see("/clock")).now).toBe("2026-01-15T09:00:00.000Z");
  });

  it("shows what is due, soonest first and a bounded part of it", async () => {
    const desk = await openDesk("/clock");
    const ids: string[] = [];
    for (let count = 0; count < 30; count++)
      ids.push((await desk.world.api("POST", "/v1/charges", chargeRequest({ externalId: `order-${count}` }))).body.id);
    const { text } = await desk.get(`${DASHBOARD}/clock`);
    expect(ids.filter((id) => text.includes(id))).toEqual(ids.slice(0, 25));
    expect(text).toContain("And 5 more.");
    expect(text).toContain("30 timers");
  });
});

describe("rules", () => {
  it.each(ruleExamples.map(({ title, rule }) => [title, rule] as const))("example: %s", async (title, rule) => {
    const desk = await openDesk(`/rules?${String(new URLSearchParams({ example: title }))}`);
    expect((await desk.act("addRule", { rule: JSON.stringify(rule) })).text).toContain("The rule is in force.");
    expect((await desk.see("/rules")).data[0]).toMatchObject({ name: rule["name"], on: rule.on, fired: 0 });
  });

  it("are switched off and on again, as they were written", async () => {
    const desk = await openDesk("/rules");
    const given = { name: "late", on: "transfer", match: { amount: 5000 }, then: { after: "2h" }, times: 2 };
    const { body: rule } = await desk.world.control("POST", "/rules", given);
    const off = await desk.act("removeRule", { id: rule.id });
    expect(off.text).toContain("Switched off");
    expect((await desk.see("/rules")).data).toEqual([]);
    const text = /name="rule" value="([^"]*)"/.exec(off.html)?.[1]?.replaceAll("&quot;", '"') ?? "";
    const on = await desk.act("addRule", { rule: text });
    expect(on.html).not.toContain("Switched off");
    const { id: _, createdAt: __, fired: ___, ...again } = (await desk.see("/rules")).data[0];
    expect(again).toEqual(given);
  });

  it("are switched off all at once", async () => {
    const desk = await openDesk("/rules");
    for (const { rule } of ruleExamples.slice(0, 3)) await desk.world.control("POST", "/rules", rule);
    const answer = await desk.act("removeRules");
    expect((await desk.see("/rules")).data).toEqual([]);
    expect(answer.html.match(/Switch on the rule/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it("that are wrong are refused with every reason, and no command", async () => {
    const desk = await openDesk("/rules");
    const answer = await desk.act("addRule", { rule: '{"on":"transfre"}' });
    expect(answer.text).toContain('did you mean "transfer"?');
    expect((await desk.act("addRule", { rule: "{on: transfer}" })).text).toContain("The rule must be JSON");
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
    expect((await set('"manully"')).text).toContain("the change of the setting was refused");
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
  it("is kept, restored and forgotten under a name", async () => {
    const desk = await openDesk("/state");
    expect((await desk.act("saveSnapshot", { snapshot: "before" })).text).toContain("The state is kept as before.");
    await desk.world.control("PUT", "/balance", { balance: 7 });
    await desk.get(`${DASHBOARD}/state`);
    await desk.act("restoreSnapshot", { snapshot: "before" });
    expect((await desk.see("/balance")).balance).toBe(10_000_000);
    await desk.act("removeSnapshot", { snapshot: "before" });
    expect((await desk.see("/snapshots")).data).toEqual([]);
    expect((await desk.act("restoreSnapshot", { snapshot: "before" })).text).toContain("Nothing was done");
  });

  it("goes back to the start", async () => {
    const desk = await openDesk("/state");
    await desk.world.api("POST", "/v1/charges", chargeRequest());
    expect((await desk.act("reset")).text).toContain("The company is as it was at the start.");
    expect((await desk.see("/charges")).data).toEqual([]);
  });
});

describe("companies", () => {
  it("are opened, listed, and told apart", async () => {
    const desk = await openDesk("/companies");
    const answer = await desk.act("open", { companyId: "company_two" });
    expect(answer.text).toContain("The company company_two is open.");
    expect(answer.text).toContain('"accessToken": "at_two"');
    const other = await desk.get(`${DASHBOARD}/clock?company=company_two`);
    expect(other.html).toContain('<option value="company_two" selected="">');
    expect(other.html).toContain('href="../../_sandbox/dashboard/rules?company=company_two"');
    expect(other.commands.find((line) => line.includes("advance"))).toContain("?company=company_two");
    await desk.act("advance", { by: "1h" }, "company_two");
    expect((await desk.see("/clock?company=company_two")).now).not.toBe((await desk.see("/clock")).now);
  });

  it("without an id gets one", async () => {
    const desk = await openDesk("/companies");
    await desk.act("open");
    expect((await desk.see("/companies")).count).toBe(2);
  });

  it("are listed a page at a time, and a bounded number stands in the switch", async () => {
    const desk = await openDesk("/companies");
    for (let count = 0; count < 60; count++)
      await desk.world.control("POST", "/companies", { companyId: `c-${count}` });
    const page = await desk.get(`${DASHBOARD}/companies`);
    expect(page.html.match(/id="company-/g)).toHaveLength(25);
    expect(page.html.match(/<option value/g)).toHaveLength(50);
    const next = /href="([^"]*)">Newer →/.exec(page.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(
      (
        await desk.get(
          new URL(next, `http://localhost${DASHBOARD}/companies`).pathname + new URL(next, "http://x").search,
        )
      ).text,
    ).toContain("c-24");
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
  it("is a matrix of what is covered and what is not, in words", async () => {
    const desk = await openDesk("/coverage");
    await desk.world.api("GET", "/v1/balance");
    await desk.world.api("GET", "/v1/balance");
    const { html, text } = await desk.get(`${DASHBOARD}/coverage`);
    const coverage = await desk.see("/coverage");
    expect(text).toContain(`${coverage.percent} % ${coverage.met} of ${coverage.total}`);
    const row = /<code class="code">GET \/v1\/balance<\/code>(.*?)<\/tr>/.exec(html)?.[1] ?? "";
    expect(row).toContain("covered 2 times");
    const planned = coverage.operations.filter(({ operation }: { operation: string }) => operation === "getBalance");
    expect(row.match(/not covered/g)).toHaveLength(planned.length - 1);
    const gated = ["operations", "transitions", "causes", "topics"] as const;
    const unmet = gated.reduce(
      (sum, section) => sum + coverage.sections[section].total - coverage.sections[section].met,
      0,
    );
    // One more stands in the legend.
    expect(html.match(/not covered</g)).toHaveLength(unmet + 1);
  });
});

describe("scenarios", () => {
  it("are replayed with a click, from a file and as they are written", async () => {
    const desk = await openDesk("/scenarios");
    expect((await desk.get(`${DASHBOARD}/scenarios`)).text).toContain("scenarios/charge-paid.yaml");
    const answer = await desk.act("replay", { file: "scenarios/charge-paid.yaml" });
    expect(answer.text).toMatch(/“[^”]+” passed after \d+ steps\./);
    const story = {
      name: "Wrong",
      given: { balance: 5 },
      steps: [{ request: "GET /v1/balance", expect: { body: { balance: 6 } } }],
    };
    const failed = await desk.act("replayText", { story: JSON.stringify(story) });
    expect(failed.text).toContain("“Wrong” failed after 0 steps.");
    expect(failed.html).toContain('class="alert outcome bad"');
    expect(failed.text).toMatch(/expected 6/);
    expect((await desk.act("replay", { file: "../secret.yaml" })).text).toContain("Nothing was done");
  });

  it("the story that stands there ready passes", async () => {
    const desk = await openDesk("/scenarios");
    const page = await desk.get(`${DASHBOARD}/scenarios`);
    const story = /<textarea id="story"[^>]*>([^<]*)</.exec(page.html)?.[1]?.replaceAll("&quot;", '"') ?? "";
    expect((await desk.act("replayText", { story })).text).toContain("passed after 3 steps.");
  });
});

describe("what was written by others", () => {
  const hostile = `<img src=x onerror=alert(1)>"'&lt;\u202e`;

  it("is text on every page", async () => {
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
  const pages = ["/clock", "/rules", "/state", "/companies", "/profile/http.createdStatus", "/scenarios"];

  it.each([
    ["without a token", {}],
    ["with an admin token", { adminToken: "s3cret" }],
  ] as const)("of the pages that steer work when they are pasted, %s", async (_, options) => {
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
    expect(lines.length).toBeGreaterThan(12);
    // Of the files one is as good as all.
    const chosen = lines.filter((line) => !line.includes("scenarios/") || line.includes("scenarios/balance.yaml"));
    const moving = chosen.filter((line) => !line.includes("_sandbox/clock -H") || !line.includes('"now"'));
    await runShell(`export SANDBOX_ADMIN_TOKEN=s3cret\n${moving.join("\n")}`, { url: live.url });
  });
});
