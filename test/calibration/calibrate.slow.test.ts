import { expect, it } from "vitest";
import { calibrateAll, recordWith, renameCompany, sell, settingsIn } from "../support/calibrate.js";

it.each([
  [{ http: { createdStatus: 200 } }, { "http.createdStatus": 200 }],
  [{ charges: { createdAtFormat: "iso" } }, { "charges.createdAtFormat": "iso" }],
  [{ charges: { partialStatusOnRead: "paid" } }, { "charges.partialStatusOnRead": "paid" }],
  [{ errors: { shape: "message" } }, { "errors.shape": "message" }],
  [{ transfers: { duplicateReference: "allow" } }, { "transfers.duplicateReference": "allow" }],
  [{ transfers: { fee: { rate: 0.015 } } }, { "transfers.fee": { rate: 0.015, fixed: 0, decimals: 2 } }],
  [{ charges: { fee: { rate: 0.03, credit: "net" } } }, { "charges.fee": { rate: 0.03, decimals: 0, credit: "net" } }],
  [{ charges: { ttl: "20m" } }, { "charges.ttl": "20m" }],
  [{ testNumbers: { success: "+2250799999999" } }, { "testNumbers.success": "+2250799999999" }],
  [{ charges: { droppedReason: "too late" } }, { "charges.droppedReason": "too late" }],
  [{ webhooks: { topicHeader: "x-kind" } }, { "webhooks.topicHeader": "x-kind" }],
  [{ webhooks: { signatureHeader: "x-mac" } }, { "webhooks.signatureHeader": "x-mac" }],
  [{ webhooks: { retry: ["3s", "9s"] } }, { "webhooks.retry": ["3s", "9s"] }],
  [
    { http: { createdStatus: 200 }, webhooks: { chargePayload: "slim" } },
    { "http.createdStatus": 200, "webhooks.chargePayload": "slim" },
  ],
] as const)("names the settings of %j", async (profile, found) => {
  const report = await calibrateAll([await recordWith(profile, sell)], { only: ["http", ...Object.keys(found)] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toMatchObject(found);
  expect(settingsIn(report, "contradicted")).toEqual({});
});

it("contradicts itself when one of many companies is answered in another way", async () => {
  const companies = await Promise.all(
    Array.from({ length: 14 }, async (_, at) => {
      const recorded = await recordWith({ http: { createdStatus: at === 12 ? 200 : 201 } }, sell, at);
      return renameCompany(recorded, `shop-${at}`, `token-${at}`);
    }),
  );
  const report = await calibrateAll([companies.flat()], { only: ["http.createdStatus"] });
  expect(report.settings).toMatchObject([{ state: "contradicted", value: 201 }]);
  expect(report.drift).toMatchObject([
    { operation: "POST /v1/charges", pointer: "/status", count: 2, of: 42 },
    { operation: "POST /v1/transactions", pointer: "/status", count: 2, of: 42 },
    { operation: "POST /v1/webhooks", pointer: "/status", count: 1, of: 14 },
  ]);
});
