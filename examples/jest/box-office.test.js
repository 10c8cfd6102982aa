/**
 * A box office against the sandbox, with Jest, which runs ES modules behind a flag of Node's. In a project that has installed the package:
 *
 *     NODE_OPTIONS=--experimental-vm-modules npx jest
 */
import { createSandbox } from "business-payments-sandbox";
import { openBoxOffice } from "./box-office.js";

let sandbox;
let boxOffice;

beforeAll(async () => {
  sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z" });
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  await sandbox.reset();
  boxOffice = await openBoxOffice(sandbox);
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: boxOffice.url } });
});
afterEach(() => boxOffice.close());

const pay = (chargeId) => sandbox.fetch(`/v1/charges/${chargeId}/pay`, { method: "POST" });
const paid = () => sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "paid");

test("a seat that is paid gets its ticket", async () => {
  const chargeId = await boxOffice.sell("A1", 15_000);
  expect(boxOffice.ticketFor(chargeId)).toBeUndefined();

  await pay(chargeId);
  await paid();

  expect(boxOffice.ticketFor(chargeId)).toBe("ticket-1");
});

test("a box office that was down issues the ticket when the webhook comes again", async () => {
  const chargeId = await boxOffice.sell("A1", 15_000);
  boxOffice.goDown();
  await pay(chargeId);
  await paid();
  expect(boxOffice.issued).toBe(0);

  // The second attempt is ten seconds after the first, the third a minute later.
  await sandbox.clock.advance("10s");
  expect(boxOffice.issued).toBe(0);
  boxOffice.comeBack();
  await sandbox.clock.advance("1m");

  expect(boxOffice.ticketFor(chargeId)).toBe("ticket-1");
});

test("a webhook that comes twice issues one ticket", async () => {
  await pay(await boxOffice.sell("A1", 15_000));
  await paid();

  const deliveries = await (await sandbox.fetch("/_sandbox/deliveries")).json();
  await sandbox.fetch(`/_sandbox/deliveries/${deliveries.data[0].id}/redeliver`, { method: "POST" });
  await sandbox.settle();

  const [{ attempts }] = (await (await sandbox.fetch("/_sandbox/deliveries")).json()).data;
  expect(attempts.map(({ status }) => status)).toEqual([204, 204]);
  expect(boxOffice.issued).toBe(1);
});

test("a seat that nobody pays is dropped after an hour, without a ticket", async () => {
  await boxOffice.sell("A1", 15_000);
  await sandbox.clock.advance("1h");
  expect(sandbox.webhooks.list("charges/events")).toMatchObject([{ data: { status: "dropped" } }]);
  expect(boxOffice.issued).toBe(0);
});
