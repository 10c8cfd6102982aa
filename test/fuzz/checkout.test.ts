import { afterEach, describe, expect, it } from "vitest";
import fc from "../support/fast-check.js";
import { expectCleanPrototypes, type FuzzWorld, openFuzzWorld, runs } from "../support/fuzz.js";
import { hostileText } from "../support/hostile.js";
import { chargeRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";

let world: FuzzWorld;
afterEach(async () => {
  expect(world.bugs).toEqual([]);
  expectCleanPrototypes();
  await world.close();
});

const open = (): FuzzWorld => (world = openFuzzWorld({ transport: createScriptedTransport(() => 200) }));

/** The number of tags of a page: text that is not escaped changes it. */
const tagsOf = (html: string): number => html.match(/<[a-z/!?]/gi)?.length ?? 0;

const queryOf = (query: Readonly<Record<string, string>>): string => new URLSearchParams(query).toString();
const anyOf = (...words: string[]) => fc.oneof(hostileText, fc.constantFrom(...words));
const query = fc.record({ msisdn: hostileText, company: hostileText, waiting: hostileText }, { requiredKeys: [] });
const form = fc.record(
  { action: anyOf("pay", "cancel"), msisdn: anyOf("+2250700000002", "0700000007"), attempt: anyOf("0", "1") },
  { requiredKeys: [] },
);

describe("the payment page", () => {
  it("has the same tags whatever the texts of a merchant and a link are", async () => {
    const { app, api } = open();
    const create = async (change = {}) => (await api("POST", "/v1/charges", chargeRequest(change))).body.id;
    const tags = tagsOf(await (await app.request(`/checkout/${await create()}`)).text());
    const visible = hostileText.filter((text) => /\S/.test(text));
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(visible, visible, hostileText, async (description, externalId, msisdn) => {
        const id = await create({ description, externalId: `${externalId}${++shown}` });
        const answer = await app.request(`/checkout/${id}?${queryOf({ msisdn })}`);
        expect([answer.status, tagsOf(await answer.text())]).toEqual([200, tags]);
      }),
      runs(0.2),
    );
  });

  it("answers every form and every address with a page or a redirect", async () => {
    const { app, api } = open();
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(form, query, hostileText, async (fields, parameters, type) => {
        const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
        const headers = { "content-type": "application/x-www-form-urlencoded", "accept-language": "fr;q=x,,;" };
        const url = `/checkout/${id}?${queryOf(parameters)}`;
        const sent = await app.request(url, { method: "POST", headers, body: queryOf(fields) });
        const unread = await app.request(url, { method: "POST", headers, body: type });
        const elsewhere = await app.request(`/checkout/${encodeURIComponent(type.replaceAll(/\p{Surrogate}/gu, "?"))}`);
        for (const { status } of [sent, unread, elsewhere, await app.request(url)]) {
          // 413: hostile texts are longer than a form may be.
          expect([200, 303, 400, 404, 413, 422]).toContain(status);
          statuses.add(status);
        }
      }),
      runs(0.2),
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 303, 400, 404]));
  });
});
