import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import type { AuditReport } from "../../src/index.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { type Finished, runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { isRunning } from "../support/is-running.js";
import {
  type Application,
  createShop,
  createShopOfOrders,
  mistakenApplications,
  startApplication,
} from "./applications.js";
import { originOfNobody, serveHttp } from "../support/listen.js";
import { SECRET } from "./receivers.js";

const env = { SANDBOX_SECRET_KEY: SECRET };
const reportOf = ({ stdout }: Finished): AuditReport => JSON.parse(stdout);
const checksOf = (finished: Finished, verdict: string) =>
  reportOf(finished).checks.filter((check) => check.verdict === verdict);

function audit(url: string, check: string, ...flags: readonly string[]): Promise<Finished> {
  const common = ["--topic", "charges/events", "--only", "state", "--reporter", "json"];
  return runSandbox(["audit", url, "--check", check, ...common, ...flags], { env });
}

/** What an application says of itself over HTTP: GET its state, POST an order. */
async function startApi(
  answer: (method: string, response: ServerResponse, headers: IncomingHttpHeaders) => void,
): Promise<string> {
  const origin = await serveHttp((request, response) => answer(request.method ?? "", response, request.headers));
  return `${origin}/state`;
}

/** Its state is in a file, too. */
function keepingFile(shop: Application, file: string): Application {
  const keep = (): void => writeFileSync(file, JSON.stringify(shop.state()));
  keep();
  return {
    ...shop,
    handle: async (event) => {
      await shop.handle(event);
      keep();
    },
    order: () => {
      const charge = shop.order?.() ?? { id: "", externalId: "" };
      keep();
      return charge;
    },
  };
}

const apiOf = (application: Application): Promise<string> =>
  startApi((method, response) => {
    const answer = method === "POST" ? application.order?.() : application.state();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });

describe("sandbox audit --check", { timeout: 60_000 }, () => {
  it("takes a URL, and reports the schedule that breaks the state, with exit code 4", async () => {
    const application = mistakenApplications["counts a payment at every delivery"]!.create();
    const { url } = await startApplication(application);
    const finished = await audit(url, await apiOf(application));
    expect(finished.code).toBe(4);
    expect(checksOf(finished, "fail")).toMatchObject([
      {
        id: "state-duplicate",
        severity: "critical",
        schedule: ["paid", "paid again"],
        seen: 'after the deliveries "paid", "paid again" the state is not what the history says: revenue: +20000, should be +10000',
        scenario: expect.stringContaining("POST /_sandbox/deliveries/${first_paid_1}/redeliver"),
      },
    ]);
  });

  it.each([
    ["a command with arguments, without a shell", (file: string) => `cat ${file}`],
    ["a command for a shell", (file: string) => `cat < "${file}" | cat`],
  ])("takes %s, and --order", async (_, commandFor) => {
    const file = join(await folderWith({}), "state.json");
    const shop = keepingFile(createShopOfOrders(), file);
    const { url } = await startApplication(shop);
    const finished = await audit(url, commandFor(file), "--order", await apiOf(shop));
    expect(finished.code).toBe(0);
    expect(reportOf(finished).verdict).toBe("passed");
    expect(checksOf(finished, "skipped").map(({ id }) => id)).toEqual(["state-restart"]);
  });

  it.each([
    ["a missing command", "no-such-command --now", "there is no such command"],
    ["a command whose name is too long", "x".repeat(300), "spawn ENAMETOOLONG"],
    ["no command", " ", "it is empty"],
    ["a command that fails", "sh -c 'echo gone >&2; exit 3'", "it ended with 3: gone"],
  ])("says what is wrong with %s", async (_, check, why) => {
    const { url } = await startApplication(createShop());
    const { code, stdout, stderr } = await audit(url, check);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("Failed to read --check");
    expect(stderr).toContain(why);
  });

  it("ends the command when the audit is ended", async () => {
    const folder = await folderWith({ "check.sh": "echo $$ > $1\nkill -TERM $PPID\nsleep 60\n" });
    const { url } = await startApplication(createShop());
    const { code } = await audit(url, `sh ${join(folder, "check.sh")} ${join(folder, "pid")}`);
    expect(code).toBe(143);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  it("ends the command of --restart when the audit is ended", async () => {
    const folder = await folderWith({ "restart.sh": "echo $$ > $2\nkill -TERM $1\nsleep 60\n" });
    const [shop, pidFile] = [createShop(), join(folder, "pid")];
    const { url } = await startApplication(shop);
    // In a shell with two commands the first one is a process of its own.
    const restart = `sh ${join(folder, "restart.sh")} $PPID ${pidFile}; true`;
    const { code } = await audit(url, await apiOf(shop), "--restart", restart);
    expect(code).toBe(143);
    const pid = Number(readFileSync(pidFile, "utf8"));
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  it("gives up after a minute when the state cannot be read after --restart, however long a reading takes", async () => {
    const shop = createShop();
    const { url } = await startApplication(shop);
    let [now, readings] = [0, 0];
    let isRestarted = false;
    const report = await runAudit({
      url,
      secret: SECRET,
      system: { ...systemClock, monotonic: () => now, sleep: async (ms) => void (now += ms) },
      only: ["state-restart"],
      restart: () => (isRestarted = true),
      check: () => {
        if (!isRestarted) return shop.state();
        readings++;
        now += 5_000;
        return undefined;
      },
    });
    const [restart] = report.checks.filter(({ id }) => id === "state-restart");
    expect([restart?.verdict, restart?.seen]).toEqual(["skipped", expect.stringContaining("did not come back")]);
    expect(readings).toBeLessThan(20);
  });

  it("reports a URL where nothing listens", async () => {
    const { url } = await startApplication(createShop());
    const gone = `${await originOfNobody()}/state`;
    expect((await audit(url, gone)).stderr).toContain(`Failed to read --check (${gone}): connect ECONNREFUSED`);
  });

  it("sends the credentials of a URL, and never shows them", async () => {
    const { url } = await startApplication(createShop());
    const seen: unknown[] = [];
    const api = await startApi((_, response, { authorization }) => {
      seen.push(authorization);
      response.writeHead(500).end();
    });
    const { stderr } = await audit(url, api.replace("http://", "http://audit:s%3Acret@"));
    expect(seen).toEqual([`Basic ${btoa("audit:s:cret")}`]);
    expect(stderr).toContain(`Failed to read --check (${api}): it answered 500.`);
  });

  it("follows no redirect, and does not read an error as a state", async () => {
    const { url } = await startApplication(createShop());
    let isAsked = false;
    const elsewhere = await startApi((_, response) => {
      isAsked = true;
      response.end("1");
    });
    const moved = await startApi((_, response) => response.writeHead(302, { location: elsewhere }).end());
    expect((await audit(url, moved)).stderr).toContain("it answered 302");
    expect(isAsked).toBe(false);
    const broken = await startApi((_, response) => response.writeHead(503).end("no database"));
    expect((await audit(url, broken)).stderr).toContain("it answered 503: no database");
  });

  it("skips an application whose state changes by itself", async () => {
    const { url } = await startApplication(createShop());
    let count = 0;
    const finished = await audit(url, await startApi((_, response) => response.end(String(2 ** count++))));
    expect(finished.code).toBe(6);
    const [check, ...others] = checksOf(finished, "skipped");
    expect(check).toMatchObject({
      id: "state-history",
      seen: expect.stringContaining("changes while nothing is delivered"),
    });
    expect(others).toHaveLength(10);
  });

  it("skips when the application knows none of the orders", async () => {
    const shop = createShopOfOrders();
    const { url } = await startApplication(shop);
    const finished = await audit(url, await apiOf(shop));
    expect(finished.code).toBe(6);
    const reasons = checksOf(finished, "skipped").map(({ seen }) => seen);
    expect(new Set(reasons).size).toBe(3);
    expect(reasons[0]).toContain("let it make them (--order)");
  });

  it("reports which delivery ended the application", async () => {
    const shop = createShop();
    const paid = new Set<string>();
    let isDown = false;
    const { url } = await startApplication({
      ...shop,
      handle: (event) => {
        isDown ||= event.status === "dropped" && paid.has(event.id);
        if (event.status === "paid") paid.add(event.id);
        return shop.handle(event);
      },
    });
    const api = await startApi((_, response) =>
      response.writeHead(isDown ? 500 : 200).end(JSON.stringify(shop.state())),
    );
    const finished = await audit(url, api);
    expect(finished.code).toBe(4);
    expect(checksOf(finished, "fail")).toMatchObject([
      {
        id: "state-dropped-after-paid",
        schedule: ["paid", "dropped"],
        seen: expect.stringContaining("it answered 500"),
      },
    ]);
  });
});

describe("sandbox audit --check beside a sandbox", { timeout: 60_000 }, () => {
  it("makes its orders there, for an application that asks the API", async () => {
    const sandbox = await startSandbox(["--admin-token", "operator"]);
    const headers = { authorization: "Bearer at_sandbox" };
    const statuses = new Map<string, string>();
    const shop: Application = {
      handle: async ({ id, topic }) => {
        const path = topic.startsWith("charge") ? `/v1/charges/${id}` : `/v1/transactions/${id}`;
        const answer = await fetch(sandbox.url + path, { headers });
        if (answer.status === 200) statuses.set(id, JSON.parse(await answer.text()).status);
      },
      state: () => Object.fromEntries(statuses),
    };
    const { url } = await startApplication(shop);
    const given = {
      SANDBOX_URL: sandbox.url,
      SANDBOX_ACCESS_TOKEN: "at_sandbox",
      SANDBOX_COMPANY_ID: "company_sandbox",
    };
    const args = ["audit", url, "--check", await apiOf(shop), "--only", "state", "--reporter", "json"];
    const finished = await runSandbox(args, { env: { ...env, ...given, SANDBOX_ADMIN_TOKEN: "operator" } });
    expect([finished.code, finished.stderr]).toEqual([0, expect.stringMatching(/^10 passed, 1 skipped/)]);
    const wrong = await runSandbox(args, { env: { ...env, ...given } });
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      expect.stringContaining("Give its admin token (SANDBOX_ADMIN_TOKEN)"),
    ]);
    expect(await sandbox.stop()).toBe(0);
  });
});
