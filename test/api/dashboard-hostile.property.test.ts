import { describe, expect, it } from "vitest";
import { visit } from "../support/dashboard.js";
import fc, { runs } from "../support/fast-check.js";
import { hostileText } from "../support/hostile.js";
import { startLive } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { pages } from "../../src/http/pages/dashboard/registry.js";
import { actions } from "../../src/http/pages/dashboard/view/actions.js";

const names = ["company", "cursor", "outcome", "example", "q", "status", "kind", "before", "by", "limit"];
const fieldNames = [
  "id",
  "by",
  "now",
  "msisdn",
  "reason",
  "balance",
  "rule",
  "setting",
  "value",
  "snapshot",
  "file",
  "companyId",
  "amount",
  "firstName",
  "back",
  "formToken",
];

const addressOf = (path: string): string => (path === "" ? "/_sandbox" : `/_sandbox/dashboard${path}`);
/** Encodes any text as one segment of a path. "." and ".." would not be segments. */
const segment = (text: string): string => encodeURIComponent(Buffer.from(text).toString()).replaceAll(".", "%2E");

describe("the dashboard under hostile requests", () => {
  it("answers every page without a bug, whatever its id and query are", { timeout: 60_000 }, async () => {
    const live = await startLive();
    await live.createCharge(chargeRequest());
    await live.createTransfer(transferRequest());
    const visitor = visit(live.app);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pages.map(({ path }) => path)),
        hostileText,
        fc.dictionary(fc.constantFrom(...names), hostileText, { maxKeys: 3 }),
        async (path, id, query) => {
          const address = addressOf(path.replace(":id", segment(id)));
          const { status, headers } = await visitor.get(`${address}?${String(new URLSearchParams(query))}`);
          // Without an id the address ends in a slash and leads to the list.
          expect(id === "" ? [200, 303, 404] : [200, 404]).toContain(status);
          if (status !== 303) expect(headers.get("content-type")).toMatch(/^text\/html/);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("executes or refuses every action without a bug, whatever its fields are", { timeout: 60_000 }, async () => {
    const live = await startLive();
    const visitor = visit(live.app);
    const names = Object.keys(actions);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom(...fieldNames), hostileText, { maxKeys: 4 }),
        async (name, fields) => {
          await visitor.get("/_sandbox/dashboard/companies");
          const { status, headers } = await visitor.post(`/_sandbox/dashboard/actions/${name}`, fields);
          expect(status).toBe("formToken" in fields ? 403 : 303);
          if (status === 303) expect(headers.get("location")).toMatch(/^\.\.\/\.\.\/\.\.\/_sandbox/);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
