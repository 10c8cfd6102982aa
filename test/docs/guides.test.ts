import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { startLive } from "../support/live.js";
import { openPage } from "../support/open-page.js";
import { type Shop, startShop } from "../support/shop.js";

/** Guides whose lines are pasted, in their order, against a sandbox with a frozen clock and copies of a shop that listens. */
describe.each([
  openPage("docs/faults.md"),
  openPage("docs/migrating.md"),
  openPage("docs/several-services.md"),
  openPage("docs/skip-time.md"),
])("$path", (page) => {
  const steps = stepsOf(page);
  if (page.blocks.some(({ language }) => language === "sh")) page.leave("runs until it is stopped", "sh", startsWhatRunsHere);

  it("comes out as told", { timeout: 60_000 }, async () => {
    const { shop } = await follow(steps);
    if (page.path !== "docs/faults.md") return;
    // The page says in which order the lines of the shop stand.
    const lines: string[] = [];
    while (!lines.includes("200 shipped order-5")) lines.push(await shop.nextLine());
    expect(lines.at(-2)).toBe("200 did not ship order-5: it is refunded");
  });
});

async function follow(steps: ReturnType<typeof stepsOf>): Promise<{ readonly shop: Shop }> {
  const { url } = await startLive();
  const [shop, other] = [await startShop("receiver.mjs"), await startShop("receiver.mjs")];
  const instead = { "http://127.0.0.1:4020/webhooks": shop.url, "http://127.0.0.1:4030/webhooks": other.url };
  await followSteps(steps, { url, instead, cwd: await folderWith({}) });
  return { shop };
}

function startsWhatRunsHere({ text }: { readonly text: string }): boolean {
  const known = ["npx sandbox start --clock frozen", "node examples/first-bug/receiver.mjs"];
  return text.split("\n").every((line) => known.includes(line));
}
