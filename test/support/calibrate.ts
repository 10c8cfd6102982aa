import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { type CalibrateOptions, calibrate } from "../../src/calibration/infer/calibrate.js";
import type { CalibratedSetting, CalibrationReport } from "../../src/calibration/report/report.js";
import { fetchTo } from "../../src/http/server/app.js";
import { openSandbox } from "../../src/library/create-sandbox.js";
import type { ProfileInput, Sandbox } from "../../src/index.js";
import { type ReceivedRequest, startReceiver } from "./receiver.js";
import { archiveOf } from "../../src/sandbox/archive.js";

/** The exchanges of `run` with a service of this profile, as the service's journal records them. */
export async function recordWith(
  profile: ProfileInput,
  run: (sandbox: Sandbox) => Promise<unknown>,
  seed = 7,
): Promise<HttpExchange[]> {
  const { core, sandbox } = await openSandbox({ profile, clock: "2026-01-15T09:00:00Z", seed });
  try {
    await run(sandbox);
    await sandbox.clock.advance(0);
    return [...archiveOf(core, core.defaultCompany)];
  } finally {
    await sandbox.close();
  }
}

/** The exchanges as if another company had made them, with another token unless it is hidden. */
export function renameCompany(
  exchanges: readonly HttpExchange[],
  id: string,
  token: string | undefined,
): HttpExchange[] {
  return exchanges.map((exchange) => ({
    ...exchange,
    headers: exchange.headers.map(([name, value]): readonly [string, string] => {
      if (name.toLowerCase() === "x-company-id") return [name, id];
      const isToken = name.toLowerCase() === "authorization" && token !== undefined;
      return isToken ? [name, `Bearer ${token}`] : [name, value];
    }),
  }));
}

export function calibrateAll(
  histories: readonly (readonly HttpExchange[])[],
  options: Partial<CalibrateOptions> = {},
): Promise<CalibrationReport> {
  return calibrate(histories, {
    profile: {},
    secretKey: undefined,
    source: { files: ["traffic.har"] },
    only: [],
    skip: [],
    fetchTo,
    ...options,
  });
}

/** Path and value of the settings in a state. */
export function settingsIn(
  { settings }: CalibrationReport,
  state: CalibratedSetting["state"],
): Record<string, unknown> {
  return Object.fromEntries(settings.filter((row) => row.state === state).map(({ path, value }) => [path, value]));
}

export const chargeOf = (externalId: string, amount = 10_000) => ({
  amount,
  externalId,
  description: "Shoes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
});

export const transferOf = (reference: string, amount = 20_000) => ({
  type: "transfer",
  amount,
  msisdn: "+2250700000010",
  reference,
});

/** One order, created twice and paid once. Returns the id of its charge. */
export async function sellOne(sandbox: Sandbox): Promise<string> {
  await sandbox.fetch("/v1/balance");
  const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
  const { id } = await created.json();
  await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
  await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  await sandbox.fetch(`/v1/charges/${id}`);
  return id;
}

/** A shop's morning: charges that are paid, refunded and dropped, and two transfers. */
export async function sell(sandbox: Sandbox): Promise<void> {
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
  const id = await sellOne(sandbox);
  await sandbox.fetch("/v1/balance");
  await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 4_000 } });
  await sandbox.fetch(`/v1/charges/${id}`);
  await sandbox.fetch("/v1/charges", { json: chargeOf("order-2") });
  const transfer = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf("salary-1") });
  await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1") });
  await sandbox.fetch("/v1/transactions", { json: transferOf("salary-2", 50_000) });
  await sandbox.clock.advance("1h");
  await sandbox.fetch(`/v1/transactions/${(await transfer.json()).id}`);
  await sandbox.fetch("/v1/balance");
}

/** A charge that is paid, and its webhook with the signature that a receiver got. */
export async function recordSigned() {
  const receiver = await startReceiver();
  const recorded = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: receiver.url } });
    await sellOne(sandbox);
  });
  const [{ headers }] = (await receiver.waitFor(1)) as [ReceivedRequest];
  const signed = Object.entries(headers as Record<string, string>);
  const exchanges = recorded.map((one) => (one.url === receiver.url ? { ...one, headers: signed } : one));
  return { exchanges, receiver };
}
