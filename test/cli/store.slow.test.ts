import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runSandbox, startSandbox, type StartedSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { startReceiver } from "../support/receiver.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

async function inStore(cwd: string, ...more: string[]): Promise<StartedSandbox> {
  const sandbox = await startSandbox(["--store", "file:state.json", ...more], { cwd });
  onTestFinished(() => sandbox.signal("SIGKILL"));
  return sandbox;
}

async function call({ url }: StartedSandbox, method: string, path: string, body?: unknown, token = "at_sandbox") {
  const headers = {
    authorization: `Bearer ${token}`,
    "x-company-id": token.replace("at_", "company_"),
    "content-type": "application/json",
  };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: LooseJson = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, body: json };
}

/** Kills the process and starts the next one. */
async function killed(sandbox: StartedSandbox, cwd: string, ...more: string[]): Promise<StartedSandbox> {
  sandbox.signal("SIGKILL");
  await sandbox.ended;
  return inStore(cwd, ...more);
}

describe("after a kill", () => {
  it("no company of a scenario that was being replayed is left", async () => {
    const cwd = await folderWith({});
    const first = await inStore(cwd);
    const company = { request: "GET /v1/balance", as: "other" };
    void call(first, "POST", "/_sandbox/scenarios/replay", { steps: [company, { wait: "1h" }] }).catch(() => undefined);
    const countOf = async (sandbox: StartedSandbox) => (await call(sandbox, "GET", "/_sandbox/companies")).body.count;
    await vi.waitUntil(async () => (await countOf(first)) === 3);
    expect(await countOf(await killed(first, cwd))).toBe(1);
  });

  it("restores resources, ledger, clock, timers, profile, rules, snapshots, companies and secrets", async () => {
    const cwd = await folderWith({});
    const first = await inStore(cwd, "--clock", "2026-01-15T09:00:00Z", "--seed", "3", "--auto-provision");
    await call(first, "PATCH", "/_sandbox/profile", { transfers: { settlement: { after: "5m" } } });
    await call(first, "POST", "/_sandbox/rules", { on: "delivery", then: { reverse: true } });
    await call(first, "POST", "/v1/webhooks", { topic: "transactions/started", url: "http://127.0.0.1:9/" });
    const { body: charge } = await call(
      first,
      "POST",
      "/v1/charges",
      chargeRequest({ metadata: JSON.parse('{"__proto__":{"a":1},"é":50.50}') }),
    );
    await call(first, "POST", `/v1/charges/${charge.id}/pay`);
    await call(first, "POST", `/v1/charges/${charge.id}/refund`, { amount: 1_000 });
    const { body: transfer } = await call(first, "POST", "/v1/transactions", transferRequest());
    await call(first, "POST", "/_sandbox/snapshots/then");
    await call(first, "POST", "/_sandbox/clock/advance", { by: "4m59s" });
    await call(first, "POST", "/_sandbox/companies/company_sandbox/rotate", { secretKey: true });
    const { body: other } = await call(first, "POST", "/_sandbox/companies", { companyId: "company_b", balance: 7 });
    await call(first, "GET", "/v1/balance", undefined, "at_fresh");
    const { body: before } = await call(first, "GET", "/_sandbox/state");
    const { body: companies } = await call(first, "GET", "/_sandbox/companies?limit=100");

    const second = await killed(first, cwd, "--seed", "3", "--auto-provision");
    expect((await call(second, "GET", "/_sandbox/state")).body).toEqual(before);
    expect((await call(second, "GET", "/_sandbox/companies?limit=100")).body).toEqual(companies);
    expect((await call(second, "GET", "/v1/balance", undefined, other.accessToken)).body.balance).toBe(7);
    expect((await call(second, "GET", "/_sandbox/clock")).body).toMatchObject({
      mode: "frozen",
      now: "2026-01-15T09:04:59.000Z",
    });
    await call(second, "POST", "/_sandbox/clock/advance", { by: "1s" });
    expect((await call(second, "GET", `/v1/transactions/${transfer.id}`)).body.status).toBe("completed");
    expect((await call(second, "PUT", "/_sandbox/snapshots/then")).body.clock.now).toBe("2026-01-15T09:00:00.000Z");

    const third = await killed(second, cwd, "--seed", "3");
    expect((await call(third, "GET", "/_sandbox/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
    expect((await call(third, "GET", "/_sandbox/snapshots")).body.data).toMatchObject([{ name: "then" }]);
    expect(await third.stop()).toBe(0);
  });

  it("sends a webhook in flight again, and keeps the time of a retry", async () => {
    const cwd = await folderWith({});
    const receiver = await startReceiver("hang");
    const first = await inStore(cwd, "--clock", "2026-01-15T09:00:00Z");
    await call(first, "POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await call(first, "POST", "/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:9/" });
    const { body: charge } = await call(first, "POST", "/v1/charges", chargeRequest());
    await call(first, "POST", `/v1/charges/${charge.id}/pay`);
    await receiver.waitFor(1);
    await call(first, "GET", `/_sandbox/deliveries/wait?status=pending`);
    receiver.reply({});
    const second = await killed(first, cwd);
    await receiver.waitFor(2);
    expect(receiver.received[1]?.raw.equals(receiver.received[0]?.raw ?? Buffer.alloc(0))).toBe(true);
    await call(second, "POST", "/_sandbox/settle");
    const { body } = await call(second, "GET", "/_sandbox/deliveries");
    expect(body.data.map(({ status, nextAttemptAt }: LooseJson) => [status, nextAttemptAt]).toSorted()).toEqual([
      ["pending", "2026-01-15T09:00:10.000Z"],
      ["succeeded", null],
    ]);
  });

  it("adds the downtime to a running clock; --clock overrides the stored clock, but not backwards", async () => {
    const cwd = await folderWith({});
    const first = await inStore(cwd);
    const before = Date.parse((await call(first, "GET", "/_sandbox/clock")).body.now);
    const second = await killed(first, cwd);
    const { body: clock } = await call(second, "GET", "/_sandbox/clock");
    expect([clock.mode, Date.parse(clock.now) > before]).toEqual(["running", true]);
    const third = await killed(second, cwd, "--clock", "2090-01-15T09:00:00Z");
    expect((await call(third, "GET", "/_sandbox/clock")).body).toMatchObject({
      mode: "frozen",
      now: "2090-01-15T09:00:00.000Z",
    });
    third.signal("SIGKILL");
    await third.ended;
    const back = await runSandbox(
      ["start", "--port", "0", "--store", "file:state.json", "--clock", "2026-01-15T09:00:00Z"],
      { cwd },
    );
    expect(back.code).not.toBe(0);
    expect(back.stderr).toContain("the store has it at 2090-01-15T09:00:00.000Z");
    const fourth = await inStore(cwd);
    expect((await call(fourth, "GET", "/_sandbox/clock")).body.now).toBe("2090-01-15T09:00:00.000Z");
  });

  it("keeps removals, and resets to the present content of the files", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": "companies: [{ companyId: company_a, balance: 5 }, { companyId: company_b }]",
    });
    const first = await inStore(cwd);
    await call(first, "PUT", "/_sandbox/balance?company=company_a", { balance: 1 });
    await call(first, "DELETE", "/_sandbox/companies/company_b");
    await writeFile(
      join(cwd, "sandbox.config.yaml"),
      "companies: [{ companyId: company_a, balance: 9 }, { companyId: company_b }, { companyId: company_c }]",
    );
    const second = await killed(first, cwd);
    const ids = (await call(second, "GET", "/_sandbox/companies")).body.data.map(
      (company: LooseJson) => company.companyId,
    );
    expect(ids).toEqual(["company_a", "company_c"]);
    expect((await call(second, "GET", "/_sandbox/balance?company=company_a")).body.balance).toBe(1);
    await call(second, "POST", "/_sandbox/reset?company=company_a");
    expect((await call(second, "GET", "/_sandbox/balance?company=company_a")).body.balance).toBe(9);
  });
});

it("a stop under load finishes its requests and keeps everything that it answered", async () => {
  const cwd = await folderWith({});
  const first = await inStore(cwd);
  const answered: string[] = [];
  let made = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      const reference = `ref-${++made}`;
      // The next sandbox finds the store unlocked.
      const answer = await call(first, "POST", "/v1/transactions", transferRequest({ reference })).catch(
        () => undefined,
      );
      if (answer === undefined) return;
      expect(answer.status).toBe(201);
      answered.push(reference);
      if (answered.length === 50) first.signal("SIGTERM");
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(await first.ended).toBe(0);
  expect(answered.length).toBeGreaterThanOrEqual(50);
  expect((await readdir(cwd)).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  const second = await inStore(cwd);
  const { transactions } = (await call(second, "GET", "/_sandbox/state")).body;
  expect(transactions.map(({ reference }: LooseJson) => reference)).toEqual(expect.arrayContaining(answered));
});

describe("automatically opened companies", () => {
  const idsIn = async (sandbox: StartedSandbox): Promise<string[]> =>
    (await call(sandbox, "GET", "/_sandbox/companies")).body.data.map(({ companyId }: LooseJson) => companyId);

  it("are bounded after a restart too, and removed ones leave nothing behind", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": "autoProvision: true\nlimits: { companies: 3 }" });
    const first = await inStore(cwd);
    await call(first, "POST", "/_sandbox/companies", { companyId: "company_mine" });
    for (const name of ["a", "b", "c", "d"]) await call(first, "GET", "/v1/balance", undefined, `at_${name}`);
    const second = await killed(first, cwd);
    const before = ["company_sandbox", "company_mine", "company_b", "company_c", "company_d"];
    expect(await idsIn(second)).toEqual(before);
    await call(second, "GET", "/v1/balance", undefined, "at_b");
    await call(second, "GET", "/v1/balance", undefined, "at_e");
    expect(await idsIn(second)).toEqual(["company_sandbox", "company_mine", "company_b", "company_d", "company_e"]);
    await writeFile(join(cwd, "sandbox.config.yaml"), "autoProvision: true\nlimits: { companies: 1 }");
    const third = await killed(second, cwd);
    await call(third, "GET", "/v1/balance", undefined, "at_f");
    expect(await idsIn(third)).toEqual(["company_sandbox", "company_mine", "company_f"]);
    const fourth = await killed(third, cwd);
    expect(await idsIn(fourth)).toEqual(["company_sandbox", "company_mine", "company_f"]);
    // A list of all removed names would grow without limit.
    expect(await readFile(join(cwd, "state.json"), "utf8")).not.toMatch(/company_[a-e]\b/);
  });
});

it("a text with line breaks is stored in one line", async () => {
  const cwd = await folderWith({});
  const first = await inStore(cwd);
  const description = "one\u2028two\u2029three\rfour\nfive\r\nsix\u0085\u0000\ud800 \u{1f45f}\ufeff";
  const { status, body: charge } = await call(
    first,
    "POST",
    "/v1/charges",
    chargeRequest({ description, metadata: { [description]: description } }),
  );
  expect(status).toBe(201);
  const { body: before } = await call(first, "GET", "/_sandbox/state");
  // First read from the journal, then from the checkpoint.
  const second = await killed(first, cwd);
  expect((await call(second, "GET", `/v1/charges/${charge.id}`)).body.metadata).toEqual({ [description]: description });
  expect((await call(second, "GET", "/_sandbox/state")).body.charges).toEqual(before.charges);
  const third = await killed(second, cwd);
  expect((await call(third, "GET", "/_sandbox/state")).body.charges).toEqual(before.charges);
});

it("a link to a store is kept, and shares the store's lock", async () => {
  const cwd = await folderWith({});
  await mkdir(join(cwd, "kept"));
  await symlink("kept/state.json", join(cwd, "state.json"));
  const first = await inStore(cwd);
  await call(first, "PUT", "/_sandbox/balance", { balance: 42 });
  const beside = await runSandbox(["start", "--port", "0", "--store", "file:kept/state.json"], { cwd });
  expect([beside.code, beside.stderr]).toEqual([3, expect.stringContaining("uses it")]);
  const second = await killed(first, cwd);
  expect((await call(second, "GET", "/_sandbox/balance")).body.balance).toBe(42);
  expect((await lstat(join(cwd, "state.json"))).isSymbolicLink()).toBe(true);
  expect(await second.stop()).toBe(0);
  expect((await readdir(cwd)).toSorted()).toEqual(["kept", "state.json"]);
});

describe("a store that cannot be used", () => {
  it.each([
    [".", "it is a folder. Name a file in it"],
    ["/dev/full", "it is not a file. Name one, or a new one"],
    ["loop", "ELOOP: too many symbolic links"],
  ])("is 3 when it is %s", async (path, why) => {
    const cwd = await folderWith({});
    await symlink("loop", join(cwd, "loop"));
    const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", `file:${path}`], { cwd });
    expect([code, stderr]).toEqual([3, expect.stringContaining(`Failed to open the store ${path}: ${why}`)]);
    expect(await readdir(cwd)).toEqual(["loop"]);
  });

  it("exits with 3 when another process has it, and names that process", async () => {
    const cwd = await folderWith({});
    await inStore(cwd);
    const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", "file:state.json"], { cwd });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Failed to open the store: \S*sandbox start \(process \d+\) uses it\. Stop it, or name another store/,
    );
  });

  it("exits with 2 when it is damaged, with file and line, and does not change it", async () => {
    const cwd = await folderWith({});
    const first = await inStore(cwd);
    await call(first, "POST", "/v1/charges", chargeRequest());
    expect(await first.stop()).toBe(0);
    const [journal = ""] = (await readdir(cwd)).filter((name) => name.includes("journal"));
    const text = await readFile(join(cwd, journal), "utf8");
    await writeFile(join(cwd, journal), text.replace("Shoes", "Shirt"));
    const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", "file:state.json"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /state\.json\.journal-\d+:\d+:1: the store is damaged here: the line does not have its checksum/,
    );
    expect(await readFile(join(cwd, journal), "utf8")).toBe(text.replace("Shoes", "Shirt"));
  });

  it("is left as it is by a start that is refused", async () => {
    const cwd = await folderWith({
      "taken.yaml": "companies:\n  - { companyId: company_c }\n  - { companyId: company_d, accessToken: at_b }\n",
    });
    const first = await inStore(cwd, "--clock", "2026-01-15T09:00:00Z");
    const { body: charge } = await call(first, "POST", "/v1/charges", chargeRequest());
    const clock = "2026-01-15T11:00:00Z";
    await call(first, "POST", "/_sandbox/companies", { companyId: "company_b", clock });
    await first.stop();
    const store = ["--store", "file:state.json"];
    const behind = await runSandbox(["start", "--port", "0", ...store, "--clock", "2026-01-15T10:00:00Z"], { cwd });
    expect([behind.code, behind.stderr]).toEqual([2, expect.stringContaining('the clock of "company_b"')]);
    const taken = await runSandbox(["start", "--port", "0", ...store, "--config", "taken.yaml"], { cwd });
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('"company_b" has its access token')]);

    const next = await inStore(cwd);
    expect((await call(next, "GET", "/_sandbox/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
    expect((await call(next, "GET", `/v1/charges/${charge.id}`)).body.status).toBe("due");
    expect((await call(next, "GET", "/_sandbox/companies")).body.count).toBe(2);
  });

  it("exits with 3 when its folder cannot be created", async () => {
    const cwd = await folderWith({ taken: "" });
    const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", "file:taken/state.json"], { cwd });
    expect(code).toBe(3);
    expect(stderr).toMatch(/Failed to open the store .*taken\/state\.json: E/);
  });
});

describe("a full disk", () => {
  const balanceOf = async (sandbox: StartedSandbox): Promise<number> =>
    (await call(sandbox, "GET", "/_sandbox/balance")).body.balance;
  const trouble = ({ stderr }: StartedSandbox): number[] => [
    stderr.split("cannot be kept").length - 1,
    stderr.split("bug of the sandbox").length - 1,
  ];

  it("does not prevent reads, even from the start; a stop exits with 3 when something was lost, without a bug", async () => {
    const cwd = await folderWith({});
    let kept = 0;
    const filling = await startSandbox(["--store", "file:state.json"], { cwd, fileBlocks: 16 });
    for (let balance = 1; ; balance++) {
      if ((await call(filling, "PUT", "/_sandbox/balance", { balance })).status !== 200) break;
      kept = balance;
    }
    for (let n = 0; n < 3; n++)
      expect((await call(filling, "PUT", "/_sandbox/balance", { balance: 0 })).status).toBe(500);
    expect((await call(filling, "GET", "/_sandbox/balance")).status).toBe(200);
    expect([await filling.stop(), ...trouble(filling)]).toEqual([3, 1, 0]);
    expect(filling.stderr).toMatch(/sandbox: Failed to write the last changes to .*state\.json: EFBIG/);

    const full = await startSandbox(["--store", "file:state.json"], { cwd, fileBlocks: 0 });
    expect(await balanceOf(full)).toBeGreaterThanOrEqual(kept);
    for (let n = 0; n < 3; n++) {
      const { status, body } = await call(full, "PUT", "/_sandbox/balance", { balance: 0 });
      expect([status, body.message]).toEqual([500, [expect.stringContaining("The state could not be written")]]);
    }
    expect(await balanceOf(full)).toBeGreaterThanOrEqual(kept);
    const beside = await runSandbox(["start", "--port", "0", "--store", "file:state.json"], { cwd });
    expect([beside.code, beside.stderr]).toEqual([3, expect.stringContaining("uses it")]);
    expect([await full.stop(), ...trouble(full)]).toEqual([0, 1, 0]);

    const roomy = await inStore(cwd);
    expect(await balanceOf(roomy)).toBeGreaterThanOrEqual(kept);
    expect((await call(roomy, "PUT", "/_sandbox/balance", { balance: 0 })).status).toBe(200);
    expect(await roomy.stop()).toBe(0);
  });

  it("refuses a new store", async () => {
    const cwd = await folderWith({});
    const options = { cwd, fileBlocks: 0 };
    const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", "file:state.json"], options);
    expect([code, stderr]).toEqual([3, expect.stringContaining("Failed to open the store state.json: EFBIG")]);
    expect(await readdir(cwd)).toEqual([]);
  });
});

it.each<[string, (lines: string[]) => string[], RegExp]>([
  ["a line is missing in its middle", (lines) => lines.toSpliced(1, 1), /journal-1:2:1: .*line 2 is missing/],
  ["its end is missing", (lines) => lines.slice(0, -1), /journal-1:\d+:1: the journal does not end as it was written/],
  ["it is empty", () => [], /journal-1:1:1: .*the first line of the journal is missing/],
])("a journal after a clean stop is refused with 2 when %s", async (_, edit, message) => {
  const cwd = await folderWith({});
  const first = await inStore(cwd);
  for (let balance = 1; balance < 5; balance++) await call(first, "PUT", "/_sandbox/balance", { balance });
  expect(await first.stop()).toBe(0);
  const journal = join(cwd, "state.json.journal-1");
  const lines = (await readFile(journal, "utf8")).split("\n").slice(0, -1);
  const cut = edit(lines)
    .map((line) => `${line}\n`)
    .join("");
  await writeFile(journal, cut);
  const { code, stderr } = await runSandbox(["start", "--port", "0", "--store", "file:state.json"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(await readFile(journal, "utf8")).toBe(cut);
});

it("exec stores its state as well", async () => {
  const cwd = await folderWith({});
  const pay = `await fetch(process.env.SANDBOX_URL + "/_sandbox/balance", { method: "PUT", headers: { "content-type": "application/json" }, body: '{"balance":42}' })`;
  const read = `console.log((await (await fetch(process.env.SANDBOX_URL + "/_sandbox/balance")).json()).balance)`;
  const exec = (code: string) =>
    runSandbox(["exec", "--store", "file:state.json", "--", process.execPath, "--input-type=module", "--eval", code], {
      cwd,
    });
  expect((await exec(pay)).code).toBe(0);
  expect((await exec(read)).stdout).toBe("42\n");
});
