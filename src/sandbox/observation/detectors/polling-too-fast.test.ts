import { expect, it } from "vitest";
import { scene, sighting } from "../../../../test/support/sighting.js";
import { createPollingTooFastDetector } from "./polling-too-fast.js";

/** Reads one after another, each as many ms after the one before; what was found at each. */
function poll(gapsMs: readonly number[], pathOf: (index: number) => string = () => "/v1/charges/charge-1"): boolean[] {
  const detector = createPollingTooFastDetector();
  let receivedAt = 50_000;
  return gapsMs.map((gap, index) => {
    const entry = sighting({ operation: "getCharge", path: pathOf(index), receivedAt: (receivedAt += gap) });
    return (detector.see?.(entry, scene()) ?? []).length > 0;
  });
}

const gaps = (length: number, ms: number): number[] => Array.from({ length }, () => ms);
const none = (length: number): boolean[] => Array.from({ length }, () => false);

it("finds the eleventh read of one resource within a second", () => {
  expect(poll(gaps(11, 95))).toEqual([...none(10), true]);
});

it("is silent about ten a second, for as long as it goes on", () => {
  expect(poll(gaps(40, 100))).toEqual(none(40));
  expect(poll(gaps(40, 100).map((gap, index) => gap + (index % 2 === 0 ? 20 : -20)))).toEqual(none(40));
});

it("looks at every span of a second, not at the first", () => {
  expect(poll([...gaps(20, 500), ...gaps(9, 1)])).toEqual([...none(28), true]);
});

it("is silent about a client that moves the company's clock instead of waiting", () => {
  const detector = createPollingTooFastDetector();
  const read = (index: number) =>
    sighting({ operation: "getCharge", path: "/v1/charges/a", receivedAt: 0, at: index * 101 });
  expect(gaps(40, 0).flatMap((_, index) => detector.see?.(read(index), scene()) ?? [])).toEqual([]);
});

it("is silent about many resources that are read once each, and about what is no resource", () => {
  expect(poll(gaps(40, 1), (index) => `/v1/charges/${index}`)).toEqual(none(40));
  const detector = createPollingTooFastDetector();
  const found = gaps(40, 0).flatMap(() => detector.see?.(sighting({ receivedAt: 1 }), scene()) ?? []);
  expect(found).toEqual([]);
});

it("says which one, and how fast", () => {
  const detector = createPollingTooFastDetector();
  const found = gaps(11, 0).flatMap((_, index) => {
    const answer = { reference: "a", msisdn: "+2250700000001", amount: 5000 };
    const path = "/v1/transactions/txn_1?x=1";
    return (
      detector.see?.(sighting({ operation: "getTransaction", path, answer, receivedAt: index * 5 }), scene()) ?? []
    );
  });
  expect(found).toMatchObject([{ key: "/v1/transactions/txn_1", severity: "warning" }]);
  expect(found[0]?.why).toContain("/v1/transactions/txn_1 was read 11 times within 50 ms");
  expect(found[0]?.requests[0]?.summary).toBe('reference "a", msisdn "+2250700000001", amount 5000, answered 200');
});
