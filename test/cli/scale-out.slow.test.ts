import { execFile } from "node:child_process";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StartedSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { gate } from "../support/live.js";
import { freePort, skipsNginx, startNginx } from "../support/nginx.js";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const TENANTS = 300;

interface Replica {
  /** `127.0.0.1:4010` */
  readonly address: string;
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A sandbox with a store and a port of its own, which it has again after a restart: nginx hashes the addresses of replicas. */
async function startReplica(folder: string, index: number, more: readonly string[] = []): Promise<Replica> {
  const port = await freePort();
  const store = `file:${join(folder, `replica-${index}.json`)}`;
  const publicUrl = `http://proxy.test/replica-${index}`;
  const args = ["--port", String(port), "--store", store, "--auto-provision", "--public-url", publicUrl, ...more];
  let running: StartedSandbox | undefined;
  const start = async (): Promise<void> => {
    running = await startSandbox([...args, "--log-level", "warn"]);
  };
  const kill = async (): Promise<void> => {
    running?.signal("SIGKILL");
    await running?.ended;
  };
  onTestFinished(kill);
  await start();
  return { address: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, kill, start };
}

interface ProxyAnswer {
  readonly status: number;
  /** The JSON; undefined for a page. */
  readonly body: LooseJson;
}

/** The connection broke. */
const NO_ANSWER: ProxyAnswer = { status: 0, body: undefined };

/** A client with a token of its own, and what was acknowledged to it. */
class Tenant {
  readonly acknowledged: string[] = [];
  /** The replicas that have answered it. */
  readonly replicas = new Set<string | null>();
  readonly refused: number[] = [];
  readonly name: string;
  readonly #proxy: string;

  constructor(name: string, proxy: string) {
    this.name = name;
    this.#proxy = proxy;
  }

  /** The same client at another proxy. */
  through(proxy: string): Tenant {
    const other = new Tenant(this.name, proxy);
    other.acknowledged.push(...this.acknowledged);
    return other;
  }

  /** Creates a charge. False when it was not acknowledged. */
  async charge(): Promise<boolean> {
    const externalId = `${this.name}-${this.acknowledged.length}-${this.refused.length}`;
    const answer = await this.ask("POST", "/v1/charges", chargeRequest({ externalId })).catch(() => NO_ANSWER);
    if (answer.status !== 201) {
      this.refused.push(answer.status);
      return false;
    }
    expect(answer.body.externalId).toBe(externalId);
    this.acknowledged.push(answer.body.id);
    return true;
  }

  async ask(method: string, path: string, body?: unknown): Promise<ProxyAnswer> {
    const headers = {
      authorization: `Bearer at_${this.name}`,
      "x-company-id": `company_${this.name}`,
      "content-type": "application/json",
    };
    const response = await fetch(this.#proxy + path, { method, headers, body: JSON.stringify(body) ?? null });
    this.replicas.add(response.headers.get("x-replica"));
    const text = await response.text();
    return { status: response.status, body: response.ok || response.status === 404 ? JSON.parse(text) : undefined };
  }

  /** The client's charges from the control API, which its token reaches at the same replica. */
  async charges(): Promise<LooseJson[]> {
    const { status, body } = await this.ask("GET", `/_sandbox/charges?limit=1000&company=company_${this.name}`);
    expect(status).toBe(200);
    return body.data;
  }

  /** Checks that everything acknowledged is there, and nothing of another tenant. */
  async check(): Promise<void> {
    const charges = await this.charges();
    const ids = new Set(charges.map(({ id }) => id));
    expect(this.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(charges.filter(({ externalId }) => !externalId.startsWith(`${this.name}-`))).toEqual([]);
  }
}

/** Another address of a replica. */
async function forward({ address }: Replica): Promise<Pick<Replica, "url">> {
  const server = createServer((client) => {
    const replica = connect(Number(address.split(":")[1]), "127.0.0.1");
    client.pipe(replica).pipe(client);
    for (const socket of [client, replica]) socket.on("error", () => undefined);
  });
  return { url: `http://127.0.0.1:${await listen(server)}` };
}

/** Another address of a replica, which loses answers to PUT. */
async function forwardWithoutPut({ address }: Replica): Promise<Pick<Replica, "url">> {
  const server = createServer((client) => {
    const replica = connect(Number(address.split(":")[1]), "127.0.0.1");
    let isPut = false;
    client.on("data", (sent: Buffer) => void (isPut ||= sent.toString().startsWith("PUT ")));
    replica.on("data", (answer) => (isPut ? client.destroy() : client.write(answer)));
    client.pipe(replica);
    for (const socket of [client, replica]) socket.on("error", () => undefined);
  });
  return { url: `http://127.0.0.1:${await listen(server)}` };
}

/** Runs examples/scale-out/resize.mjs, and returns what it prints. */
async function runResize(args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL("../../examples/scale-out/resize.mjs", import.meta.url));
  return (await promisify(execFile)(process.execPath, [script, ...args])).stdout;
}

/** Closes a company, as a move that breaks off leaves it. */
async function closeCompany({ url }: Replica, { name }: Tenant): Promise<string> {
  const response = await fetch(`${url}/_sandbox/companies/company_${name}/export`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"close":true}',
  });
  return response.text();
}

/** Returns how many companies were moved. */
async function resize(proxy: string, replicas: readonly Pick<Replica, "url">[]): Promise<number> {
  const printed = await runResize([proxy, ...replicas.map(({ url }) => url)]);
  return [...printed.matchAll(/: (\d+) of/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.skipIf(skipsNginx)("examples/scale-out, with the nginx of this machine", () => {
  it("loses nothing acknowledged when a replica is killed under load, and no other replica notices", async () => {
    const folder = await folderWith({});
    const replicas = await Promise.all([0, 1, 2].map((index) => startReplica(folder, index)));
    const proxy = await startNginx(replicas.map(({ address }) => address));
    const tenants = Array.from({ length: TENANTS }, (_, index) => new Tenant(`t${index}`, proxy));
    const [victim] = replicas;
    const back = gate();
    let acknowledged = 0;
    let isDown = false;
    let acknowledgedMeanwhile = 0;
    const loaded = gate();
    const client = async (tenant: Tenant): Promise<void> => {
      for (let made = 0; made < 6;) {
        const isWithoutVictim = isDown;
        if (await tenant.charge()) {
          made++;
          if (isWithoutVictim && isDown && !tenant.replicas.has(victim?.address ?? "")) acknowledgedMeanwhile++;
          if (++acknowledged === 2 * TENANTS) loaded.open();
        } else await back.opened;
      }
    };
    const clients = tenants.map(client);
    const restart = async (): Promise<void> => {
      await loaded.opened;
      await victim?.kill();
      isDown = true;
      await victim?.start();
      isDown = false;
      back.open();
    };
    await Promise.all([...clients, restart()]);
    expect(acknowledgedMeanwhile).toBeGreaterThan(0);

    const byReplica = replicas.map(({ address }) => tenants.filter(({ replicas: seen }) => seen.has(address)));
    expect(byReplica.map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(tenants.filter(({ replicas: seen }) => seen.size !== 1)).toEqual([]);
    const refused = tenants.filter((tenant) => tenant.refused.length > 0);
    expect(refused.filter((tenant) => !tenant.replicas.has(victim?.address ?? ""))).toEqual([]);
    const statuses = refused.flatMap((tenant) => tenant.refused);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 502 && status !== NO_ANSWER.status)).toEqual([]);
    await Promise.all(tenants.map((tenant) => tenant.check()));
    // Tenants that use the ids of others.
    const foreign = tenants.map(async (tenant, index) => {
      const [id] = tenants[(index + 1) % TENANTS]?.acknowledged ?? [];
      return (await tenant.ask("GET", `/v1/charges/${id}`)).status;
    });
    expect(new Set(await Promise.all(foreign))).toEqual(new Set([404]));
  });

  it("moves the companies that a fourth replica gets, and shows payment pages without a token", async () => {
    const folder = await folderWith({});
    const replicas = await Promise.all([0, 1, 2, 3].map((index) => startReplica(folder, index)));
    const before = await startNginx(replicas.slice(0, 3).map(({ address }) => address));
    const tenants = Array.from({ length: 60 }, (_, index) => new Tenant(`t${index}`, before));
    await Promise.all(tenants.map((tenant) => tenant.charge()));

    const [first] = tenants;
    const { body: charge } = (await first?.ask("POST", "/v1/charges", chargeRequest({ externalId: "t0-page" }))) ?? {};
    const { pathname } = new URL(charge.paymentUrl);
    expect((await fetch(before + pathname)).status).toBe(200);

    const after = await startNginx(replicas.map(({ address }) => address));
    const [, , , fourth] = replicas;
    await fourth?.kill();
    await expect(resize(after, replicas.slice(0, 3))).rejects.toThrow("fetch failed");
    expect(await Promise.all(tenants.map((tenant) => tenant.charge()))).toEqual(tenants.map(() => true));

    await fourth?.start();
    const moved = await resize(after, replicas.slice(0, 3));
    const now = tenants.map((tenant) => tenant.through(after));
    await Promise.all(now.map((tenant) => tenant.check()));
    const atFourth = now.filter((tenant) => tenant.replicas.has(fourth?.address ?? ""));
    expect(moved).toBe(atFourth.length);
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(45);

    // Until its clients use the new proxy, a moved company must not be opened again where it was.
    const accepted = await Promise.all(tenants.map((tenant) => tenant.charge()));
    const movedTenants = tenants.filter((_, index) => !accepted[index]);
    expect(movedTenants).toHaveLength(moved);
    expect(new Set(movedTenants.flatMap((tenant) => tenant.refused))).toEqual(new Set([503]));
    const isAtOldReplica = async ({ name }: Tenant): Promise<boolean> => {
      const path = `/_sandbox/companies/company_${name}/export`;
      const copies = await Promise.all(replicas.slice(0, 3).map(({ url }) => fetch(url + path, { method: "POST" })));
      return copies.some(({ ok }) => ok);
    };
    expect(await Promise.all(movedTenants.map(isAtOldReplica))).toEqual(movedTenants.map(() => true));
    await runResize(["--remove", ...replicas.map(({ url }) => url)]);
    expect(await Promise.all(movedTenants.map(isAtOldReplica))).toEqual(movedTenants.map(() => false));
    await Promise.all(tenants.map((tenant) => tenant.through(after).check()));

    // The fourth one is removed again.
    expect(await resize(before, replicas)).toBe(moved);
    await fourth?.kill();
    await Promise.all(tenants.map((tenant) => tenant.check()));
  });

  it("moves nothing when it cannot know that two addresses are of one replica", async () => {
    const replica = await startReplica(await folderWith({}), 0);
    const proxy = await startNginx([replica.address]);
    const tenant = new Tenant("stays", proxy);
    await tenant.charge();
    await expect(resize(proxy, [await forward(replica)])).rejects.toThrow("company_stays is open");
    await tenant.check();
    expect(await resize(proxy, [replica])).toBe(0);
  });

  it("names a company that each replica has in its configuration, and moves the others", async () => {
    const companies = [{ companyId: "a_shop", accessToken: "at_shop" }];
    const folder = await folderWith({ "sandbox.config.json": JSON.stringify({ companies }) });
    const options = ["--config", join(folder, "sandbox.config.json")];
    const [source, target] = await Promise.all([0, 1].map((index) => startReplica(folder, index, options)));
    const proxy = await startNginx([target?.address ?? ""]);
    const tenant = new Tenant("moves", source?.url ?? "");
    await tenant.charge();
    await expect(resize(proxy, [source as Replica])).rejects.toThrow("a_shop is open at");
    await tenant.through(proxy).check();
  });

  it("finishes a move that was broken off", async () => {
    const folder = await folderWith({});
    const [source, target] = await Promise.all([startReplica(folder, 0), startReplica(folder, 1)]);
    const proxy = await startNginx([target.address]);
    const tenant = new Tenant("broken", source.url);
    await tenant.charge();
    await closeCompany(source, tenant);
    expect(await resize(proxy, [source])).toBe(1);
    await tenant.through(proxy).check();
    expect(await resize(proxy, [source])).toBe(0);
  });

  it("opens no company twice when the answer to its import is lost", async () => {
    const folder = await folderWith({});
    const [source, target] = await Promise.all([startReplica(folder, 0), startReplica(folder, 1)]);
    const proxy = await startNginx([new URL((await forwardWithoutPut(target)).url).host]);
    const tenant = new Tenant("unsure", source.url);
    await tenant.charge();
    await expect(resize(proxy, [source])).rejects.toThrow("fetch failed");
    expect(await tenant.charge()).toBe(false);
    expect(await resize(proxy, [source])).toBe(0);
    const moved = tenant.through(proxy);
    expect(await moved.charge()).toBe(true);
    await moved.check();
  });

  it("fails when a replica does not take the admin token, and does not take a company for moved", async () => {
    const folder = await folderWith({});
    const [source, target] = await Promise.all([
      startReplica(folder, 0),
      startReplica(folder, 1, ["--admin-token", "another"]),
    ]);
    const proxy = await startNginx([target.address]);
    const tenant = new Tenant("closed", source.url);
    await tenant.charge();
    await closeCompany(source, tenant);
    await expect(resize(proxy, [source])).rejects.toThrow("answered 401");
  });

  it("opens no company twice when it runs twice at the same time", async () => {
    const folder = await folderWith({});
    const [source, target] = await Promise.all([startReplica(folder, 0), startReplica(folder, 1)]);
    const proxy = await startNginx([target.address]);
    const tenants = Array.from({ length: 10 }, (_, index) => new Tenant(`t${index}`, source.url));
    await Promise.all(tenants.map((tenant) => tenant.charge()));
    await Promise.allSettled([resize(proxy, [source]), resize(proxy, [source])]);
    await resize(proxy, [source]);
    expect(await Promise.all(tenants.map((tenant) => tenant.charge()))).toEqual(tenants.map(() => false));
    await Promise.all(tenants.map((tenant) => tenant.through(proxy).check()));
  });

  it("knows the newest copy of a company that was reset after a move", async () => {
    const folder = await folderWith({});
    const replicas = await Promise.all([0, 1, 2].map((index) => startReplica(folder, index)));
    const [source, target, last] = replicas as [Replica, Replica, Replica];
    const proxies = await Promise.all([target, last].map(({ address }) => startNginx([address])));
    const tenant = new Tenant("reset", source.url);
    for (let count = 0; count < 3; count++) await tenant.charge();
    expect(await resize(proxies[0] ?? "", [source])).toBe(1);
    const moved = new Tenant("reset", target.url);
    await moved.ask("POST", "/_sandbox/reset?company=company_reset");
    await moved.charge();

    await closeCompany(target, moved);
    expect(await resize(proxies[1] ?? "", [source, target])).toBe(1);
    await moved.through(last.url).check();
    await runResize(["--remove", ...replicas.map(({ url }) => url)]);
    const copies = [source, target].map(({ url }) =>
      fetch(`${url}/_sandbox/companies/company_reset/export`, { method: "POST" }),
    );
    expect((await Promise.all(copies)).map(({ status }) => status)).toEqual([404, 404]);
  });

  it("removes no copy whose records are nowhere else", async () => {
    const folder = await folderWith({});
    const [source, target] = await Promise.all([startReplica(folder, 0), startReplica(folder, 1)]);
    const tenant = new Tenant("broken", source.url);
    await tenant.charge();
    const file = await closeCompany(source, tenant);
    const later = new Tenant("broken", target.url);
    for (let count = 0; count < 3; count++) await later.charge();
    await expect(runResize(["--remove", source.url, target.url])).rejects.toThrow("does not come from there");
    await fetch(`${source.url}/_sandbox/companies/company_broken`, {
      method: "PUT",
      body: file,
      headers: { "content-type": "application/json" },
    });
    await tenant.check();
  });

  it("leads each tenant that opens a company to its replica, for the API and the control API", async () => {
    const trusted = { "sandbox.config.json": JSON.stringify({ trustedProxies: ["127.0.0.1"] }) };
    const folder = await folderWith(trusted);
    const options = ["--tenancy", "--admin-token", "administrator", "--config", join(folder, "sandbox.config.json")];
    const replicas = await Promise.all([0, 1, 2].map((index) => startReplica(folder, index, options)));
    const proxy = await startNginx(replicas.map(({ address }) => address));
    const tenants = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const headers = {
          authorization: `Bearer at_of_the_tenant_${index}_${"x".repeat(20)}`,
          "content-type": "application/json",
          // The address that a load balancer reports, which the replicas trust.
          "x-forwarded-for": `203.0.113.${index}`,
        };
        const seen = new Set<string | null>();
        const ask = async (method: string, path: string, body?: unknown, id = ""): Promise<ProxyAnswer> => {
          const sent = { ...headers, ...(id === "" ? {} : { "x-company-id": id }) };
          const response = await fetch(proxy + path, { method, headers: sent, body: JSON.stringify(body) ?? null });
          seen.add(response.headers.get("x-replica"));
          return { status: response.status, body: await response.json() };
        };
        const opened = await ask("POST", "/_sandbox/companies");
        expect(opened.status).toBe(201);
        return { id: opened.body.companyId as string, seen, ask };
      }),
    );
    await Promise.all(
      tenants.map(async ({ id, ask }, index) => {
        const charge = await ask("POST", "/v1/charges", chargeRequest({ externalId: `order-${index}` }), id);
        expect(charge.status).toBe(201);
        await ask("POST", "/_sandbox/clock/advance", { by: "1h" });
        const { body } = await ask("GET", "/_sandbox/charges");
        expect(body.data).toEqual([expect.objectContaining({ externalId: `order-${index}`, status: "dropped" })]);
        const other = tenants[(index + 1) % tenants.length]?.id;
        expect((await ask("GET", `/_sandbox/charges?company=${other}`)).status).toBe(404);
        expect((await ask("GET", "/_sandbox/companies")).status).toBe(403);
      }),
    );
    expect(tenants.filter(({ seen }) => seen.size !== 1)).toEqual([]);
    expect(new Set(tenants.flatMap(({ seen }) => [...seen])).size).toBe(3);
    // A generated token would lead to any replica.
    for (const path of ["/_sandbox/companies", "/_sandbox/dashboard/open"]) {
      const refused = await fetch(proxy + path, { method: "POST" });
      expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json"]);
      expect(await refused.json()).toEqual({
        statusCode: 400,
        message: [expect.stringContaining("a token of your own")],
        error: "Bad Request Exception",
        correlationId: expect.stringMatching(/^[\da-f]{32}$/),
        path,
        timestamp: expect.stringMatching(/^20\d\d-/),
      });
    }
    const admin = { authorization: "Bearer administrator" };
    expect((await fetch(`${proxy}/_sandbox/companies`, { headers: admin })).status).toBe(200);
    expect((await fetch(`${proxy}/_sandbox/companies`)).status).toBe(401);
    const opened = await fetch(`${proxy}/replica-1/_sandbox/companies`, { method: "POST" });
    const { accessToken } = (await opened.json()) as LooseJson;
    const own = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${proxy}/replica-1/_sandbox/clock`, { headers: own })).status).toBe(200);
  });
});
