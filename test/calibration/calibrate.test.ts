import { describe, expect, it } from "vitest";
import type { HeaderList, HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { renderProfile } from "../../src/calibration/report/render-profile.js";
import { failsOn } from "../../src/calibration/report/report.js";
import { renderJunit, renderMarkdown, renderPretty } from "../../src/calibration/report/reporters.js";
import type { Sandbox } from "../../src/index.js";
import { plainStyle } from "../../src/kernel/messages/report.js";
import {
  calibrateAll,
  chargeOf,
  recordWith,
  renameCompany,
  sell,
  sellOne,
  settingsIn,
  transferOf,
} from "../support/calibrate.js";

it("finds nothing to change in the traffic of a sandbox with the defaults", async () => {
  const report = await calibrateAll([await recordWith({}, sell)], {
    only: ["http", "errors", "charges.creationStatus"],
  });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toEqual({});
  expect(settingsIn(report, "contradicted")).toEqual({});
  expect(settingsIn(report, "confirmed")).toMatchObject({
    "http.createdStatus": 201,
    "charges.creationStatus": "created",
  });
});

it("reports the balance that it infers, when an answer shows it", async () => {
  const exchanges = await recordWith({}, async (sandbox) => {
    sandbox.setBalance(12_345);
    await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1", 1_000) });
    await sandbox.fetch("/v1/balance");
  });
  const supposed = async (recording: readonly HttpExchange[]) =>
    (await calibrateAll([recording], { only: ["http"] })).assumptions;
  expect(await supposed(exchanges)).toEqual([
    expect.stringMatching(/^The account of .* held 12345 XOF at the beginning\.$/),
  ]);
  expect(await supposed(exchanges.slice(0, 1))).toEqual([]);
});

it("leaves settings open when either of them explains the traffic", async () => {
  const exchanges = await recordWith({ transfers: { unknownRecipient: "fail" } }, async (sandbox) => {
    const transfer = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf("salary-1") });
    await sandbox.clock.advance("1m");
    await sandbox.fetch(`/v1/transactions/${(await transfer.json()).id}`);
  });
  const report = await calibrateAll([exchanges], { only: ["transfers.unknownRecipient", "testNumbers.failure"] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toEqual({});
  expect(settingsIn(report, "open")).toHaveProperty(["testNumbers.failure"]);
  expect(report.assumptions.join()).toMatch(/"\+2250700000010"/);
  expect(report.assumptions.join()).toMatch(/transfers\.unknownRecipient: "fail"/);

  // The defaults of both do not explain this, so the service has changed.
  expect(failsOn(report, "set")).toBe(true);
  expect(renderJunit(report, ["set"])).toContain('failures="1"');
  expect(renderJunit(report, [])).toContain('failures="0"');
  expect(renderPretty(report, plainStyle)).toMatch(/^open {2}\S+: .* in place of /m);
  expect(renderMarkdown(report)).toMatch(/^\| `\S+` \| open \|/m);
});

it.each(["{}", '{"message":"Service Unavailable"}'])("takes no setting from the body of a 503: %s", async (body) => {
  const recorded = await recordWith({}, async (sandbox) => {
    for (let at = 0; at < 3; at++) await sandbox.fetch("/v1/charges", { json: { amount: 0 } });
  });
  const headers = [["content-type", "application/json"]] as const;
  const answer = { status: 503, headers, body: Buffer.from(body) };
  const report = await calibrateAll([recorded.map((exchange) => ({ ...exchange, answer }))], {
    only: ["errors", "rateLimit"],
  });
  expect(Object.keys(settingsIn(report, "open"))).toEqual(["errors.shape", "rateLimit"]);
  expect(report.drift.map(({ kind, example }) => [kind, example.got])).toEqual([["status", 503]]);
});

it("reports what it does not compare under the id that the recording has", async () => {
  const recorded = await recordWith({}, (sandbox) => sandbox.fetch("/v1/transactions/txn_earlier?x=1"));
  const unavailable = recorded.map((exchange) => ({ ...exchange, answer: { ...exchange.answer!, status: 503 } }));
  expect((await calibrateAll([unavailable], { only: ["paging"] })).assumptions).toEqual([
    "GET /v1/transactions/:id of txn_earlier is not compared: the recording does not show how it was made.",
  ]);
});

it("does not report a transfer that ends a moment earlier or later than usual", async () => {
  for (const after of ["1700ms", "2300ms"]) {
    const exchanges = await recordWith({ transfers: { settlement: { after } } }, async (sandbox) => {
      const transfer = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf("salary-1") });
      const { id } = await transfer.json();
      for (const pause of ["1400ms", "400ms", "400ms", "400ms"]) {
        await sandbox.clock.advance(pause);
        await sandbox.fetch(`/v1/transactions/${id}`);
      }
    });
    const report = await calibrateAll([exchanges], { only: ["transfers.settlement"] });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  }
});

it("changes no setting that the traffic leaves open", async () => {
  const report = await calibrateAll([await recordWith({}, sellOne)]);
  expect(settingsIn(report, "open")).not.toEqual({});
  expect([failsOn(report, "set"), renderJunit(report, ["set"])]).toEqual([
    false,
    expect.stringContaining('failures="0"'),
  ]);
});

it.each([
  ["says of a name that no recording shows that it is unknown", "msisdn", "otherName", 1],
  ["sets a name that a recording shows", "phone", "phone", 0],
])("%s", async (_, sent, named, unknowns) => {
  const exchanges = await recordWith({ charges: { payField: "phone" } }, async (sandbox) => {
    const charge = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
    const pay = `/v1/charges/${(await charge.json()).id}/pay`;
    await sandbox.fetch(pay, { json: { [sent]: "+2250700000002" } });
  });
  const report = await calibrateAll([exchanges], { only: ["charges.payField"] });
  expect(settingsIn(report, "set")).toEqual({ "charges.payField": named });
  const unknown =
    'charges.payField: it is not "msisdn", but nothing shows what it is. "otherName" stands for it: ask the provider.';
  expect(report.assumptions.filter((text) => text === unknown)).toHaveLength(unknowns);
  expect(
    renderProfile(report, {})
      .split("\n")
      .filter((line) => line === `  # ${unknown}`),
  ).toHaveLength(unknowns);
  // The same holds when the next calibration gets this profile, whatever settings it is about.
  for (const only of [["charges.payField"], ["transfers"]]) {
    const next = await calibrateAll([exchanges], { only, profile: { charges: { payField: named } } });
    expect(next.assumptions.filter((text) => text === unknown)).toHaveLength(unknowns);
  }
});

it("says that a test number is a pseudonym, as the proxy records it with --redact msisdn", async () => {
  const exchanges = await recordWith({ testNumbers: { failure: "+2259900000001" } }, async (sandbox) => {
    const sent = await sandbox.fetch<{ id: string }>("/v1/transactions", {
      json: { ...transferOf("salary-1"), msisdn: "+2259900000001" },
    });
    await sandbox.clock.advance("2s");
    await sandbox.fetch(`/v1/transactions/${(await sent.json()).id}`);
  });
  const report = await calibrateAll([exchanges], { only: ["testNumbers.failure"] });
  expect(settingsIn(report, "set")).toEqual({ "testNumbers.failure": "+2259900000001" });
  expect(report.assumptions).toEqual([
    'testNumbers.failure: it is not "+2250700000002", but nothing shows what it is. "+2259900000001" stands for it: ask the provider.',
  ]);
});

it("sets a limit that a refusal shows, and says how exactly it is known", async () => {
  const exchanges = await recordWith({ charges: { max: 60_000 } }, async (sandbox) => {
    for (const amount of [10_000, 50_000, 90_000]) {
      await sandbox.fetch("/v1/charges", { json: chargeOf(`order-${amount}`, amount) });
    }
  });
  const report = await calibrateAll([exchanges], { only: ["charges.max"] });
  expect(settingsIn(report, "set")).toEqual({ "charges.max": 50_000 });
  expect(report.assumptions).toEqual(["charges.max: 50000 explains the recording, but so does 89999."]);
});

it("sets the limit of bodies from the bodies that a service refused", async () => {
  const bodies = [1, 400, 1_200].map((length) => ({
    ...chargeOf(`order-${length}`),
    metadata: { x: "x".repeat(length) },
  }));
  const recorded = await recordWith({ server: { bodyLimit: 1_000 } }, async (sandbox) => {
    for (const json of bodies) await sandbox.fetch("/v1/charges", { json });
  });
  // The journal has no body that was refused; a recording by the proxy has.
  const exchanges = recorded.map((exchange, at) => ({ ...exchange, body: Buffer.from(JSON.stringify(bodies[at])) }));
  const report = await calibrateAll([exchanges], { only: ["server.bodyLimit"] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toEqual({ "server.bodyLimit": 1_000 });
});

it("compares the reported changes of a charge as a set, whichever came first", async () => {
  const profile = { webhooks: { chargeEvents: ["paid", "dropped"] } } as const;
  const exchanges = await recordWith(profile, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
    await sandbox.clock.advance("1h");
    const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-2") });
    const { id } = await created.json();
    await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
    await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 10_000 } });
  });
  const report = await calibrateAll([exchanges], { only: ["webhooks.chargeEvents"] });
  expect(settingsIn(report, "set")).toEqual({ "webhooks.chargeEvents": ["paid", "dropped"] });
});

describe("a recording with several companies", () => {
  const mix = async (tokens: readonly [string, string] | readonly []) => {
    const [first, second] = await Promise.all([recordWith({}, sell, 1), recordWith({}, sell, 2)]);
    const [one, other] = [renameCompany(first, "shop-1", tokens[0]), renameCompany(second, "shop-2", tokens[1])];
    return one.flatMap((exchange, at) => [exchange, other[at]!]);
  };

  it("is split by their tokens into one history for each", async () => {
    const report = await calibrateAll([await mix(["a", "b"])], { only: ["http"] });
    expect([report.drift, report.counts.contradicted]).toEqual([[], 0]);
    expect(report.assumptions).toEqual(
      ["shop-1", "shop-2"].map((id) => `The account of ${id} held 10000000 XOF at the beginning.`),
    );
  });

  it("is split by the header into one history for each when tokens are hidden", async () => {
    const report = await calibrateAll([await mix([])], { only: ["http"] });
    expect([report.drift, report.counts.contradicted]).toEqual([[], 0]);
  });
});

it("counts what was compared, and no report passes when nothing was", async () => {
  const recorded = await recordWith({}, (sandbox) => sandbox.fetch("/v1/balance"));
  const unanswered = recorded.map((exchange) => ({ ...exchange, answer: undefined }));
  const some = await calibrateAll([[...recorded, ...unanswered]]);
  expect(some.source).toMatchObject({ exchanges: 2, webhooks: 0, compared: 1 });
  expect(renderPretty(some, plainStyle)).toContain("no drift: 2 requests, 0 webhooks, 1 of them not compared");
  expect(renderJunit(some, ["drift"])).not.toContain("<error");
  const none = await calibrateAll([unanswered]);
  expect(none.source).toMatchObject({ exchanges: 1, webhooks: 0, compared: 0 });
  expect(renderPretty(none, plainStyle)).toContain("nothing compared: 1 request, 0 webhooks");
  expect(renderMarkdown(none)).toContain("## Drift\n\nNothing was compared");
  expect(renderJunit(none, [])).toContain('errors="1"');
});

it("assumes a wrong token where a recording has a 401, says so, and finds drift where the token is known", async () => {
  const [balance, charge] = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/balance");
    await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
  });
  const refused = { ...charge!, answer: { ...charge!.answer!, status: 401, body: Buffer.from('{"message":["no"]}') } };
  const options = { only: ["http"] };
  const recorded = await calibrateAll([[balance!, refused]], options);
  expect(recorded.drift.filter(({ kind }) => kind === "status")).toEqual([]);
  expect(recorded.assumptions.slice(1)).toEqual([
    "Where POST /v1/charges is answered with 401, the access token was wrong.",
  ]);
  const asked = await calibrateAll([[balance!, refused]], {
    ...options,
    source: { target: "https://staging.example" },
  });
  expect([asked.source.compared, asked.assumptions]).toEqual([2, recorded.assumptions.slice(0, 1)]);
  expect(asked.drift).toMatchObject([
    { operation: "POST /v1/charges", kind: "status", example: { expected: 201, got: 401 } },
  ]);
});

it.each([
  [410, "GET", "/v1/charges/gone", true],
  [403, "GET", "/v1/charges/gone", true],
  [410, "POST", "/v1/charges/gone/refund", true],
  // The charge may be one that was paid before the recording.
  [409, "POST", "/v1/charges/gone/refund", false],
  [429, "GET", "/v1/charges/gone", false],
] as const)("compares %i of %s %s, which the recording does not show: %s", async (status, method, path, isCompared) => {
  const recorded = await recordWith({}, (sandbox) =>
    sandbox.fetch(path, method === "POST" ? { json: { amount: 1_000 } } : {}),
  );
  const refused = recorded.map((exchange) => ({ ...exchange, answer: { ...exchange.answer!, status } }));
  const report = await calibrateAll([refused], { only: ["http"] });
  const drift = [{ pointer: "/status", kind: "status", example: { expected: 404, got: status } }];
  expect([report.source.compared, report.drift]).toMatchObject(isCompared ? [1, drift] : [0, []]);
});

it("does not explain a list in another order by a shorter list", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    for (const topic of ["charges/events", "transactions/started", "transactions/completed", "transactions/failed"]) {
      await sandbox.fetch("/v1/webhooks", { json: { topic, url: "http://127.0.0.1:9/hooks" } });
    }
    await sandbox.fetch("/v1/webhooks");
  });
  const exchanges = recorded.map((exchange) => {
    if (exchange.method !== "GET") return exchange;
    const body = JSON.parse(Buffer.from(exchange.answer!.body).toString()) as { data: unknown[] };
    const reversed = { ...body, data: body.data.toReversed() };
    return { ...exchange, answer: { ...exchange.answer!, body: Buffer.from(JSON.stringify(reversed)) } };
  });
  const report = await calibrateAll([exchanges], { only: ["http", "paging"] });
  expect(settingsIn(report, "set")).toEqual({});
  expect(report.drift).toMatchObject([{ operation: "GET /v1/webhooks", pointer: "/body/data", kind: "order" }]);
});

/** The subscriptions of a company, page by page. */
async function listPages(sandbox: Sandbox): Promise<void> {
  for (const topic of ["charges/events", "transactions/started", "transactions/completed"]) {
    await sandbox.fetch("/v1/webhooks", { json: { topic, url: "http://127.0.0.1:9/hooks" } });
  }
  for (let page = "/v1/webhooks?limit=1"; page !== "";) {
    const { cursor } = await (await sandbox.fetch<{ cursor: { next: string | null } }>(page)).json();
    page = cursor.next === null ? "" : `/v1/webhooks?limit=1&cursor=${cursor.next}`;
  }
}

it.each([
  ["base64", (count: number) => `page/${count}==`, (cursor: string) => cursor],
  ["a text", (count: number) => `page ${count}+ü`, encodeURIComponent],
  ["a number", (count: number) => String(count), String],
])("follows a list page by page with the service's cursors: %s", async (_, cursorOf, write) => {
  const cursors = new Map<string, string>();
  // Each answer has a different cursor, even for the same place.
  const replace = (cursor: string): string => {
    const other = cursorOf(cursors.size + 1);
    cursors.set(cursor, other);
    return other;
  };
  const exchanges = (await recordWith({}, listPages)).map((exchange) => {
    const url = exchange.url.replace(/(?<=cursor=).*/, (cursor) => write(cursors.get(cursor)!));
    const body = Buffer.from(exchange.answer!.body).toString();
    const changed = body.replaceAll(/(?<="(?:next|prev)":")[^"]+/g, replace);
    return { ...exchange, url, answer: { ...exchange.answer!, body: Buffer.from(changed) } };
  });
  expect(exchanges.at(-1)!.url).toContain(write(cursorOf(3)));
  const report = await calibrateAll([exchanges], { only: ["http", "paging"] });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
});

it("shows a text of the service on one line, and an empty one as empty", async () => {
  const recorded = await recordWith({}, (sandbox) => sandbox.fetch("/v1/balance"));
  const answering = async (body: string) => {
    const other = recorded.map((exchange) => ({
      ...exchange,
      answer: { ...exchange.answer!, body: Buffer.from(body) },
    }));
    return renderPretty(await calibrateAll([other]), plainStyle);
  };
  expect(await answering("down\r\n0 confirmed,\n\nall well")).toContain(
    String.raw`another type: "down\r\n0 confirmed,\n\nall well", not`,
  );
  expect(await answering(" ")).toContain('another type: " ", not');
});

it("shows no credentials of a recording that has them", async () => {
  const given: HeaderList = [
    ["authorization", "Bearer live_6f1c0e2b9d"],
    ["cookie", "session=live_51ca7d2e"],
    ["x-api-key", "live_8b21f0aa"],
  ];
  const shown = { access_token: "live_77aa01", debug: given, nested: { clientSecret: "live_99ff02" } };
  const recorded = await recordWith({}, sellOne);
  const unredacted = recorded.map((exchange) => {
    const body = JSON.parse(Buffer.from(exchange.answer!.body).toString()) as object;
    const answer = { ...exchange.answer!, body: Buffer.from(JSON.stringify({ ...body, ...shown })) };
    return {
      ...exchange,
      headers: [...exchange.headers.filter(([name]) => name !== "authorization"), ...given],
      answer,
    };
  });
  const report = await calibrateAll([unredacted]);
  expect(report.drift).toContainEqual(expect.objectContaining({ pointer: "/body/access_token", kind: "added" }));
  expect(JSON.stringify(report)).not.toContain("live_");
});

it("shows no credentials of a recording with a thousand others", async () => {
  const [read] = await recordWith({}, async (sandbox) => void (await sandbox.fetch("/v1/balance")));
  const others = Array.from({ length: 1_001 }, (_, at) => `live_${at}_9b1aa07c`);
  const body = Buffer.from(JSON.stringify({ balance: 1, note: "live_6f1c0e2b9d", accessToken: others }));
  const exchange = {
    ...read!,
    headers: [["authorization", "Bearer live_6f1c0e2b9d"]] as const,
    answer: { ...read!.answer!, body },
  };
  const report = await calibrateAll([[exchange]], { only: ["http"] });
  expect(report.drift).toContainEqual(expect.objectContaining({ pointer: "/body/note", kind: "added" }));
  expect(JSON.stringify(report)).not.toContain("live_");
});

describe("a service that limits the rate", () => {
  const profile = { rateLimit: { requests: 2, per: "10s" } } as const;
  const ask = async (sandbox: Sandbox): Promise<void> => {
    for (let request = 0; request < 3; request++) await sandbox.fetch("/v1/balance");
  };

  it("is found by its first refusal, and the time to wait", async () => {
    const report = await calibrateAll([await recordWith(profile, ask)], { only: ["rateLimit"] });
    expect(report.drift).toEqual([]);
    expect(settingsIn(report, "set")).toEqual(profile);
  });

  it("has drifted if it no longer says how long to wait", async () => {
    const exchanges = (await recordWith(profile, ask)).map(({ answer, ...request }) => {
      const headers = answer!.headers.filter(([name]) => name !== "retry-after");
      return { ...request, answer: { ...answer!, headers } };
    });
    const report = await calibrateAll([exchanges], { profile, only: ["http"] });
    expect(report.drift).toMatchObject([
      { operation: "GET /v1/balance", pointer: "/headers/retry-after", kind: "missing" },
    ]);
  });
});

describe("headers of answers", () => {
  const driftWith = async (change: (name: string, value: string) => readonly (readonly [string, string])[]) => {
    const exchanges = (
      await recordWith({}, async (sandbox) => {
        await sandbox.fetch("/v1/balance");
        await sandbox.fetch("/v1/balance", { method: "DELETE" });
      })
    ).map(({ answer, ...request }) => {
      const headers = answer!.headers.flatMap(([name, value]) => change(name.toLowerCase(), value));
      return { ...request, answer: { ...answer!, headers } };
    });
    return (await calibrateAll([exchanges], { only: ["http"] })).drift;
  };

  it("have drifted with another media type", async () => {
    const drift = await driftWith((name, value) => [[name, name === "content-type" ? "text/html" : value]]);
    const row = { pointer: "/headers/content-type", kind: "value", count: 1, of: 1 };
    expect(drift).toMatchObject([
      { ...row, operation: "GET /v1/balance", example: { expected: "application/json", got: "text/html" } },
      { ...row, operation: "DELETE /v1/balance" },
    ]);
  });

  it("have drifted with other methods that are allowed", async () => {
    const drift = await driftWith((name, value) => [[name, name === "allow" ? "PATCH" : value]]);
    expect(drift).toMatchObject([
      { operation: "DELETE /v1/balance", pointer: "/headers/allow", example: { got: "PATCH" } },
    ]);
  });

  it("are the same in another spelling, and where a tool exports no media type", async () => {
    const respelled = await driftWith((name, value) => [[name, name === "content-type" ? "Application/JSON" : value]]);
    const left = await driftWith((name, value) => (name === "content-type" ? [] : [[name, value]]));
    expect([respelled, left]).toEqual([[], []]);
  });
});

it("does not compare the words of error messages, nor how many there are", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/charges", { json: {} });
    await sandbox.fetch("/v1/charges", { json: chargeOf("order-1", 0) });
  });
  const exchanges = recorded.map((exchange) => {
    const body = JSON.parse(Buffer.from(exchange.answer!.body).toString()) as object;
    const other = { ...body, message: ["montant invalide"], error: "Requête invalide" };
    return { ...exchange, answer: { ...exchange.answer!, body: Buffer.from(JSON.stringify(other)) } };
  });
  const report = await calibrateAll([exchanges], { only: ["http", "errors", "charges.min"] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "confirmed")).toEqual({ "errors.shape": "envelope" });
});

it("lists webhooks that are unsigned as drift", async () => {
  const exchanges = (await recordWith({}, sell)).map((exchange) => {
    if (!exchange.url.endsWith("/hooks")) return exchange;
    const headers = exchange.headers.filter(([name]) => name !== "x-service-hmac-sha256");
    return { ...exchange, headers };
  });
  const report = await calibrateAll([exchanges], { only: ["webhooks.signatureHeader", "webhooks.chargePayload"] });
  expect(report.drift).toMatchObject([
    { operation: null, topic: "charges/events", pointer: "/headers/x-service-hmac-sha256", kind: "signature" },
  ]);
});

it("recognises webhooks of the subscription that come through a tunnel and the proxy", async () => {
  const recorded = await recordWith({}, sell);
  const passedOn = recorded.map((exchange) =>
    exchange.url.endsWith(":9/hooks") ? { ...exchange, url: "http://127.0.0.1:3000/webhooks" } : exchange,
  );
  expect(passedOn).not.toEqual(recorded);
  const report = await calibrateAll([passedOn], { only: ["webhooks.topicHeader"] });
  expect(report.drift).toEqual([]);
  expect(report.assumptions.join()).not.toContain("subscription");
});

it.each([-30_000, 30_000])("follows the clock of a service that is %i ms ahead of the recorder's", async (ms) => {
  const recorded = await recordWith({}, sell);
  const skewed = recorded.map((exchange) => ({ ...exchange, startedAt: exchange.startedAt - ms }));
  expect((await calibrateAll([skewed], { only: ["webhooks.topicHeader"] })).drift).toEqual([]);
});

it("does not mistake a slow answer for a clock that is ahead", async () => {
  const recorded = await recordWith({}, sellOne);
  const first = recorded.findIndex(({ method, url }) => method === "POST" && url.endsWith("/v1/charges"));
  const slow = recorded.map((exchange, index) =>
    index === first ? { ...exchange, startedAt: exchange.startedAt - 5_000 } : exchange,
  );
  expect((await calibrateAll([slow], { only: ["webhooks.topicHeader"] })).drift).toEqual([]);
});
