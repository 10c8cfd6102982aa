import { describe, expect, it } from "vitest";
import { type ApiWorld, describeApi } from "../support/describe-api.js";
import { anError, anUuid } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const TOPICS = [
  "transactions/started",
  "transaction/started",
  "transactions/completed",
  "transaction/completed",
  "transactions/failed",
  "transaction/failed",
  "charges/events",
  "charge/events",
];
const url = "https://shop.test/hook";

async function subscribe({ api }: ApiWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await api("POST", "/v1/webhooks", { topic: "charges/events", url: `${url}/${index}` })).body.id);
  }
  return ids;
}

describeApi("POST /v1/webhooks", (open) => {
  it.each(TOPICS)("subscribes to %s and shows it as it was written", async (topic) => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/webhooks", { topic, url });
    expect(status).toBe(201);
    expect(body).toEqual({ id: anUuid, createdAt: WORLD_START, updatedAt: WORLD_START, topic, url });
    expect((await api("GET", `/v1/webhooks/${body.id}`)).body).toEqual(body);
  });

  it("ignores fields that it does not know", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges/events", url, secret: "x", id: "y" });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["id", "createdAt", "updatedAt", "topic", "url"]);
  });

  it("takes the same topic and URL twice", async () => {
    const { api } = await open();
    const first = (await api("POST", "/v1/webhooks", { topic: "charges/events", url })).body;
    const second = await api("POST", "/v1/webhooks", { topic: "charges/events", url });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.id);
  });

  it.each([
    "http://127.0.0.1:3000/hook",
    "http://localhost/",
    "http://[::1]:8080/a?b=c#d",
    "HTTPS://shop.test",
    "https://user:pw@shop.test/",
    "https://münchen.example/é",
  ])("takes the URL %s and gives it back as it was sent", async (given) => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges/events", url: given });
    expect(status).toBe(201);
    expect(body.url).toBe(given);
  });

  it("takes a URL of 2048 characters, and none that is longer", async () => {
    const { api } = await open();
    const long = `${url}/`.padEnd(2048, "x");
    expect((await api("POST", "/v1/webhooks", { topic: "charges/events", url: long })).status).toBe(201);
    const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges/events", url: `${long}x` });
    expect([status, body.message.length]).toEqual([400, 1]);
    expect(body.message[0]).toMatch(/^url must have at most 2048 characters, got /);
  });

  it.each([
    [
      201,
      [
        "http://127.0.0.1",
        "http://u:p@10.0.0.1:80/",
        "http://[2001:db8::1]:443/a",
        "http://[::1]?a",
        "http://shop1.test",
        "http://1.shop.test/",
        "http://0x.shop.test/",
        "http://1and1/",
      ],
    ],
    [
      400,
      [
        "http://999.1.1.1/",
        "http://256.0.0.1:80",
        "http://2130706433/",
        "http://127.1",
        "http://0x7f.1#a",
        "http://a.5?b",
        "http://1.2.3.4.5/",
        "http://1.2.3.4.",
        "http://user@5/",
        "http://[::1::]/",
        "http://[12345::]/",
        "http://[::1.2.3.4]/",
        "http://[v1.a]/",
        "http://a^b/",
        "http://:80/",
        "http://a:65536/",
      ],
    ],
  ])("answers %d to URLs as its API description says", async (status, urls) => {
    const { api } = await open();
    const { body: description } = await api("GET", "/openapi.json");
    const { pattern } = description.components.schemas.CreateWebhookRequest.properties.url;
    const described = new RegExp(pattern, "u");
    for (const url of urls) {
      const answer = await api("POST", "/v1/webhooks", { topic: "charges/events", url });
      expect([url, answer.status, described.test(url)]).toEqual([url, status, status === 201]);
    }
  });

  it("lists everything that is wrong at once", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges", url: "/hook" });
    expect(status).toBe(400);
    const messages = [
      `topic must be one of ${TOPICS.join(", ")}, got "charges"`,
      'url must be an absolute http or https URL, got "/hook"',
    ];
    expect(body).toEqual(anError(400, "/v1/webhooks", messages, WORLD_START));
    expect((await api("POST", "/v1/webhooks", {})).body.message).toEqual([
      `topic must be one of ${TOPICS.join(", ")}, but it is missing`,
      "url must be an absolute http or https URL, but it is missing",
    ]);
  });

  it.each(["http://169.254.169.254/latest", "http://[fe80::1]/", "http://metadata.google.internal/"])(
    "refuses %s, where a cloud keeps its secrets",
    async (given) => {
      const { api } = await open();
      const { status, body } = await api("POST", "/v1/webhooks", { topic: "charges/events", url: given });
      expect(status).toBe(400);
      expect(body.message).toEqual([`url must not name a link-local or cloud metadata address, got "${given}"`]);
    },
  );
});

describeApi("GET and DELETE /v1/webhooks/:id", (open) => {
  it("shows it until it is deleted with 204 and no body", async () => {
    const world = await open();
    const [id, other] = await subscribe(world, 2);
    const deleted = await world.api("DELETE", `/v1/webhooks/${id}`);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: "" });
    expect(deleted.headers.get("content-type")).toBeNull();
    const gone = anError(404, `/v1/webhooks/${id}`, [`No webhook has the id "${id}"`]);
    expect((await world.api("GET", `/v1/webhooks/${id}`)).body).toEqual(gone);
    expect((await world.api("DELETE", `/v1/webhooks/${id}`)).body).toEqual(gone);
    expect((await world.api("GET", `/v1/webhooks/${other}`)).status).toBe(200);
    expect((await world.api("GET", "/v1/webhooks")).body).toMatchObject({ count: 1, data: [{ id: other }] });
  });

  it("answers 404 for an unknown id", async () => {
    const { api } = await open();
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await api(method, "/v1/webhooks/nope");
      expect(status).toBe(404);
      expect(body).toEqual(anError(404, "/v1/webhooks/nope", ['No webhook has the id "nope"']));
    }
  });
});

describeApi("GET /v1/webhooks", (open) => {
  it("is an empty page at first", async () => {
    const { api } = await open();
    const { status, body } = await api("GET", "/v1/webhooks");
    expect(status).toBe(200);
    expect(body).toEqual({ count: 0, limit: 15, cursor: { prev: null, next: null }, data: [] });
  });

  it("shows 15 at a time, oldest first, with cursors in both directions", async () => {
    const world = await open();
    const ids = await subscribe(world, 37);
    const page = async (query = "") => (await world.api("GET", `/v1/webhooks${query}`)).body;
    const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);

    const first = await page();
    expect(first).toMatchObject({ count: 15, limit: 15, cursor: { prev: null, next: expect.any(String) } });
    const second = await page(`?cursor=${first.cursor.next}`);
    expect(second).toMatchObject({
      count: 15,
      limit: 15,
      cursor: { prev: expect.any(String), next: expect.any(String) },
    });
    const third = await page(`?cursor=${second.cursor.next}`);
    expect(third).toMatchObject({ count: 7, limit: 15, cursor: { prev: expect.any(String), next: null } });
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids);

    const back = await page(`?cursor=${third.cursor.prev}`);
    expect(idsOf(back)).toEqual(idsOf(second));
    expect(idsOf(await page(`?cursor=${back.cursor.prev}`))).toEqual(idsOf(first));
    expect(await page(`?cursor=${back.cursor.prev}`)).toEqual(first);
    expect(idsOf(await page(`?limit=3&cursor=${third.cursor.prev}`))).toEqual(ids.slice(27, 30));
  });

  it("shows no subscription twice and skips none while others are deleted and made", async () => {
    const world = await open();
    const ids = await subscribe(world, 6);
    const first = (await world.api("GET", "/v1/webhooks?limit=2")).body;
    await world.api("DELETE", `/v1/webhooks/${ids[1]}`);
    await world.api("DELETE", `/v1/webhooks/${ids[2]}`);
    const [late] = await subscribe(world, 1);
    const second = (await world.api("GET", `/v1/webhooks?limit=9&cursor=${first.cursor.next}`)).body;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([ids[3], ids[4], ids[5], late]);
  });

  it.each(["1", "15", "100", "007"])("takes the limit %s", async (limit) => {
    const { api } = await open();
    const { status, body } = await api("GET", `/v1/webhooks?limit=${limit}`);
    expect(status).toBe(200);
    expect(body.limit).toBe(Number(limit));
  });

  describe("refuses", () => {
    const limitError = "limit must be a whole number from 1 to 100, got ";
    const cursorError = "cursor must be the cursor.prev or cursor.next of an earlier answer, got ";
    it.each([
      ["limit=0", [`${limitError}"0"`]],
      ["limit=101", [`${limitError}"101"`]],
      ["limit=", [`${limitError}""`]],
      ["limit=-1", [`${limitError}"-1"`]],
      ["limit=1.5", [`${limitError}"1.5"`]],
      ["limit=1e1", [`${limitError}"1e1"`]],
      ["limit=ten", [`${limitError}"ten"`]],
      ["limit=%2010", [`${limitError}" 10"`]],
      ["limit=99999999999999999999", [`${limitError}"99999999999999999999"`]],
      ["cursor=", [`${cursorError}""`]],
      ["cursor=nope", [`${cursorError}"nope"`]],
      ["limit=0&cursor=nope", [`${limitError}"0"`, `${cursorError}"nope"`]],
    ])("%s", async (query, messages) => {
      const { api } = await open();
      const { status, body } = await api("GET", `/v1/webhooks?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual(anError(400, "/v1/webhooks", messages, WORLD_START));
    });
  });
});
