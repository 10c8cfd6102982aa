import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { startLive } from "../support/live.js";
import { openPage } from "../support/open-page.js";
import { startShop } from "../support/shop.js";

/** Commands that the guides run in other terminals. The test starts these programs in its own way. */
const running = [
  "npx business-payments-sandbox start --clock frozen",
  "node examples/first-bug/receiver.mjs",
  "PORT=4030 node examples/first-bug/receiver.mjs",
];

/** Runs the lines of guides in order, against a sandbox with a frozen clock and a running shop. */
describe.each([
  openPage("docs/faults.md"),
  openPage("docs/migrating.md"),
  openPage("docs/several-services.md"),
  openPage("docs/skip-time.md"),
])("$path", (page) => {
  const steps = stepsOf(page);
  page.leave("runs until it is stopped", "sh", ({ text }) => text.split("\n").every((line) => running.includes(line)));

  it("has commands that print what it shows", { timeout: 120_000 }, async () => {
    const { url } = await startLive();
    const [shop, other] = [await startShop("receiver.mjs"), await startShop("receiver.mjs")];
    const instead = { "http://127.0.0.1:4020/webhooks": shop.url, "http://127.0.0.1:4030/webhooks": other.url };
    const cwd = await folderWith({});
    await expect(followSteps(steps, { url, instead, cwd })).resolves.toBeUndefined();
  });
});
