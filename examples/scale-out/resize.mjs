/**
 * Moves each company to the replica that a new proxy sends it to:
 *
 *     node resize.mjs http://new-proxy:8080 http://replica-0:4010 http://replica-1:4010 …
 *
 * The first address is a proxy with the new list of replicas, the others are the replicas so far. SANDBOX_ADMIN_TOKEN is needed if they have one. A company
 * that moves answers 503 where it was, until clients use the new proxy. When one is refused, it stays open where it is and the script ends. Run it
 * again, also when it was stopped or a connection broke: it finishes the move of a company that is closed. The script names a
 * company that is open at both replicas, such as one of the configuration. It moves the others and exits with 1.
 *
 * Once clients use the new proxy, with all replicas:
 *
 *     node resize.mjs --remove http://replica-0:4010 http://replica-1:4010 …
 *
 * It removes what is left of companies where they were. Earlier, --auto-provision would open them anew there for clients of the old proxy.
 */
import { lookup } from "node:dns/promises";

const [proxy, ...replicas] = process.argv.slice(2);
const { SANDBOX_ADMIN_TOKEN: adminToken } = process.env;

if (proxy === "--remove") await removeClosed();
else await move();

async function move() {
  for (const from of replicas) {
    const { hostname, port } = new URL(from);
    const own = `${(await lookup(hostname)).address}:${port}`;
    let moved = 0;
    const open = await companiesOf(from);
    const closed = [];
    for (const company of await companiesOf(from, "closed=true"))
      if (await isBrokenOff(company, from)) closed.push(company);
    const companies = [...closed, ...open];
    for (const { companyId, accessToken } of companies) {
      const { headers } = await fetch(`${proxy}/_sandbox/health`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      const to = headers.get("x-replica");
      if (to === null || to === own) continue;
      const isThere = await hasCompany(`http://${to}`, companyId);
      // It was moved before.
      if (isThere && !(await hasCompany(from, companyId))) continue;
      // If both addresses are of one replica, it would close the company and open it again.
      if (isThere) {
        console.error(
          `${companyId} is open at ${from} and ${to}, and stays there: both have it in their configuration, or both are one replica, to be named as the proxy does`,
        );
        process.exitCode = 1;
        continue;
      }
      const exported = await control(from, "POST", `${pathOf(companyId)}/export`, JSON.stringify({ close: true }));
      try {
        await control(`http://${to}`, "PUT", pathOf(companyId), exported);
      } catch (error) {
        // Refused, it goes on where it was, unless another run has imported it. When the answer was lost, another run finds out.
        const isRefused = !(error instanceof TypeError) && !(await hasCompany(`http://${to}`, companyId));
        if (isRefused) await control(from, "PUT", pathOf(companyId), exported);
        throw error;
      }
      moved++;
    }
    console.log(`${from}: ${moved} of ${companies.length} companies moved`);
  }
}

/** Whether the move of a closed company was broken off: it is open nowhere, and no other copy was closed after this one. */
async function isBrokenOff({ companyId }, from) {
  const isOpen = await Promise.all(replicas.map((replica) => hasCompany(replica, companyId)));
  const own = await closingsOf(from, companyId);
  const copies = await Promise.all(replicas.map((replica) => closingsOf(replica, companyId)));
  return !isOpen.includes(true) && !copies.some((copy) => copy?.slice(0, -1).includes(own?.at(-1)));
}

async function removeClosed() {
  for (const replica of replicas) {
    for (const { companyId } of await companiesOf(replica)) {
      for (const other of replicas)
        if (!(await hasCompany(other, companyId))) await removeCopy(companyId, other, replica);
    }
  }
}

/** Not when it was imported nowhere: then the move was broken off, and a token has opened another company since. */
async function removeCopy(companyId, other, replica) {
  const copy = await closingsOf(other, companyId);
  if (copy === undefined) return;
  const there = await closingsOf(replica, companyId);
  if (there?.includes(copy.at(-1))) return control(other, "DELETE", pathOf(companyId));
  console.error(
    `${companyId} is closed at ${other}, and the one at ${replica} does not come from there: remove one of them by hand`,
  );
  process.exitCode = 1;
}

/** An id for each time that a company was closed, oldest first, which go with it; undefined when there is no such company. */
async function closingsOf(replica, companyId) {
  const response = await call(replica, "POST", `${pathOf(companyId)}/export`, "{}");
  if (!response.ok) return undefined;
  const { entries } = await response.json();
  return entries.find(([kind]) => kind === "company")[2].closings;
}

async function companiesOf(replica, query = "") {
  const companies = [];
  for (let cursor = ""; cursor !== null;) {
    const path = `/companies?limit=1000&${query}${cursor && `&cursor=${cursor}`}`;
    const page = JSON.parse(await control(replica, "GET", path));
    companies.push(...page.data);
    cursor = page.cursor.next;
  }
  // Each replica has the companies of its configuration.
  return companies.filter(({ companyId }) => companyId !== "company_sandbox");
}

function pathOf(companyId) {
  return `/companies/${encodeURIComponent(companyId)}`;
}

async function hasCompany(replica, companyId) {
  const { ok, status } = await call(replica, "GET", `/clock?company=${encodeURIComponent(companyId)}`);
  if (!ok && status !== 404) throw new Error(`${replica} answered ${status} when it was asked for ${companyId}`);
  return ok;
}

async function control(replica, method, path, body) {
  const response = await call(replica, method, path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${replica}/_sandbox${path} answered ${text}`);
  return text;
}

function call(replica, method, path, body) {
  const headers = { "content-type": "application/json" };
  if (adminToken !== undefined) headers.authorization = `Bearer ${adminToken}`;
  return fetch(`${replica}/_sandbox${path}`, { method, headers, ...(body && { body }) });
}
