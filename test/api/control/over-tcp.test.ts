import { request as httpRequest } from "node:http";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { startReceiver, type Receiver } from "../../support/receiver.js";
import { chargeRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
let receiver: Receiver;
let url: string;
beforeEach(async () => {
  world = openWorld();
  receiver = await startReceiver();
  url = await world.listen();
});

const api = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };

describe("over TCP", () => {
  it("drops a charge that is not paid", async () => {
    const { origin } = receiver;
    await request(url)
      .post("/v1/webhooks")
      .set(api)
      .send({ topic: "charges/events", url: `${origin}/hook` })
      .expect(201);
    const { body: charge } = await request(url).post("/v1/charges").set(api).send(chargeRequest()).expect(201);
    const waiting = request(url)
      .get(`/_sandbox/deliveries/wait?resource=${charge.id}&timeout=10s`)
      .then(({ body }) => body);
    const advanced = await request(url).post("/_sandbox/clock/advance").send({ by: "1h" }).expect(200);
    expect(advanced.body.fired).toEqual([{ at: "2026-01-15T10:00:00.000Z", kind: "charge.expire", id: charge.id }]);
    expect(advanced.body.deliveries).toEqual({ attempted: 1, succeeded: 1, failed: 0 });
    const [received] = receiver.received;
    expect(received?.body).toMatchObject({ topic: "charges/events", data: { id: charge.id, status: "dropped" } });
    const signed = await request(url)
      .post("/_sandbox/sign")
      .set("content-type", "text/plain")
      .send(received?.raw.toString());
    expect(received?.headers[signed.body.header]).toBe(signed.body.signature);
    expect((await waiting).attempts[0].request.body).toBe(received?.raw.toString());
  });

  it("sends the webhooks of control calls once they are answered", async () => {
    await request(url).post("/v1/webhooks").set(api).send({ topic: "charges/events", url: receiver.url });
    const { body: charge } = await request(url).post("/v1/charges").set(api).send(chargeRequest());
    await request(url).post(`/_sandbox/charges/${charge.id}/pay`).expect(200);
    await request(url).post("/_sandbox/settle").expect(200);
    const { body } = await request(url).get("/_sandbox/deliveries").expect(200);
    await request(url).post(`/_sandbox/deliveries/${body.data[0].id}/redeliver`).expect(200);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.raw).toEqual(first?.raw);
  });

  it.each([
    ["host", "evil.test", 403],
    ["host", "localhost", 200],
    ["origin", "https://evil.test", 403],
    ["origin", "itself", 200],
  ])("with the %s %s a call is %i", async (header, value, status) => {
    const { status: answered } = await request(url)
      .post("/_sandbox/settle")
      .set(header, value === "itself" ? url : value);
    expect(answered).toBe(status);
  });

  it("refuses what is too large, of another type or cut short, with the error body", async () => {
    const large = { balance: "x".repeat(2 * 1024 * 1024) };
    expect((await request(url).put("/_sandbox/balance").send(large)).body.statusCode).toBe(413);
    expect((await request(url).put("/_sandbox/balance").type("text").send("{}")).body.statusCode).toBe(415);
    expect((await request(url).put("/_sandbox/balance").type("json").send("{")).body.statusCode).toBe(400);
    await request(url).post("/_sandbox/settle").expect(200);
  });

  it("answers HEAD, an unknown path and a wrong method", async () => {
    await request(url).head("/_sandbox/health").expect(200);
    await request(url).get("/_sandbox/nothing").expect(404);
    const { headers } = await request(url).delete("/_sandbox/clock").expect(405);
    expect(headers["allow"]).toBe("GET, PUT");
  });

  it("accepts the state of another process", async () => {
    await request(url).post("/v1/charges").set(api).send(chargeRequest());
    const { text } = await request(url).get("/_sandbox/state").expect(200);
    const other = openWorld();
    const elsewhere = await other.listen();
    const put = await request(elsewhere).put("/_sandbox/state").type("json").send(text).expect(200);
    expect(put.text).toBe(text);
  });

  it("stops waiting when the client has gone, so that a stop is not delayed", async () => {
    const poll = httpRequest(`${url}/_sandbox/deliveries/wait?timeout=10m`);
    const gone = new Promise<void>((resolve) => poll.once("error", () => resolve()));
    poll.end();
    await request(url).get("/_sandbox/health");
    poll.destroy();
    await gone;
    await world.close();
    expect(world.sandbox.companies[0]?.closed).toBe(true);
  });
});
