import { expect, it } from "vitest";
import { type TimelinePage, readTimeline, wantedItems } from "../../src/http/pages/dashboard/payments/timeline.js";
import { startLive } from "../support/live.js";
import { longestStop } from "../support/loop-stops.js";

it("searches a limited amount of text for one page, and continues on the next", async () => {
  const live = await startLive();
  const metadata = { words: Array.from({ length: 20_000 }, (_, index) => `w${index}`), note: "Raffia" };
  const { id } = await live.createCharge({ amount: 100, metadata });
  await live.ok("POST", `/v1/charges/${id}/pay`);
  for (let n = 0; n < 30; n++) await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1 });
  const { entries } = live.sandbox.observationOf(live.company.id).journal;
  const isWanted = wantedItems({ q: "nowhere" }, live.company.world);
  const search = async (before?: string) => {
    const pages: TimelinePage[] = [];
    const stopMs = await longestStop(async () => {
      pages.push(readTimeline(live.company, entries, { limit: 5, isWanted, before }));
    });
    expect(stopMs).toBeLessThan(300);
    return pages[0]?.older;
  };
  let older = await search();
  expect(older).toBeDefined();
  while (older !== undefined) older = await search(older);
  const raffia = wantedItems({ q: "raffia" }, live.company.world);
  expect(readTimeline(live.company, entries, { limit: 1, isWanted: raffia }).items).toHaveLength(1);
});
