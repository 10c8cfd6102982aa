/**
 * Moves each company to the replica that a new proxy sends it to:
 *
 *     node resize.mjs http://new-proxy:8080 http://replica-0:4010 http://replica-1:4010 …
 *
 * The first address is a proxy with the new list of replicas, the others are the replicas so far. SANDBOX_ADMIN_TOKEN is needed if they have one. A company
 * that moves answers 503 until the old proxy is replaced by the new one. When one cannot be moved, it stays where it is and the script ends: run it again.
 */
import { lookup } from "node:dns/promises";

const [proxy, ...replicas] = process.argv.slice(2);
const { SANDBOX_ADMIN_TOKEN: adminToken } = process.env;

for (const from of replicas) {
  const { hostname, port } = new URL(from);
  const own = `${(await lookup(hostname)).address}:${port}`;
  let moved = 0;
  const companies = await companiesOf(from);
  for (const { companyId, accessToken } of companies) {
    const { headers } = await fetch(`${proxy}/_sandbox/health`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const to = headers.get("x-replica");
    // Each replica has the companies of its configuration.
    if (to === null || to === own || companyId === "company_sandbox") continue;
    // Removed at the end, it would be gone for good if both addresses were of one replica.
    if (await hasCompany(`http://${to}`, companyId))
      throw new Error(
        `${companyId} is open at ${from} and at ${to}: if that is one replica, name it as the proxy does`,
      );
    const path = `/companies/${encodeURIComponent(companyId)}`;
    const exported = await control(from, "POST", `${path}/export`, JSON.stringify({ close: true }));
    try {
      await control(`http://${to}`, "PUT", path, exported);
    } catch (error) {
      // It goes on where it was.
      await control(from, "PUT", path, exported);
      throw error;
    }
    await control(from, "DELETE", path);
    moved++;
  }
  console.log(`${from}: ${moved} of ${companies.length} companies moved`);
}

async function companiesOf(replica) {
  const companies = [];
  for (let cursor = ""; cursor !== null;) {
    const page = JSON.parse(await control(replica, "GET", `/companies?limit=1000${cursor && `&cursor=${cursor}`}`));
    companies.push(...page.data);
    cursor = page.cursor.next;
  }
  return companies;
}

async function hasCompany(replica, companyId) {
  const { status } = await call(replica, "GET", `/clock?company=${encodeURIComponent(companyId)}`);
  return status !== 404;
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
