import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { auditSpecimen, mistakesIn } from "../support/audits.js";
import { listen, serveHttp } from "../support/listen.js";
import { createLateShop } from "./applications.js";
import {
  HEADER,
  hmac,
  isGenuine,
  SECRET,
  sound as soundReceiver,
  startReceiver,
  stillSystem,
  take,
} from "./receivers.js";
import { sound as soundTrades, unsound as unsoundTrades } from "./trade-applications.js";
import { sound, unproven, unsound } from "./zoo.js";

describe("an audit", { timeout: 60_000 }, () => {
  it.each(Object.entries({ ...sound, ...soundTrades }))("passes an application that %s", async (_, specimen) => {
    const report = await auditSpecimen(specimen);
    expect([report.verdict, report.reasons, mistakesIn(report)]).toEqual(["passed", [], []]);
  });

  it.each(Object.entries({ ...unsound, ...unsoundTrades }))("reports an application that %s", async (_, specimen) => {
    expect(mistakesIn(await auditSpecimen(specimen))).toEqual(specimen.finds);
  });

  it.each(Object.entries(unproven))("does not pass an application that %s", async (_, specimen) => {
    const { verdict, passed, reasons } = await auditSpecimen(specimen);
    expect([verdict, passed]).toEqual([specimen.verdict, false]);
    expect(reasons.length).toBeGreaterThan(0);
  });

  it("reports no application that refuses one event, whichever that is", async () => {
    const verdicts = new Set<string>();
    for (let refused = 2; refused <= 40; refused++) {
      let count = 0;
      const { create } = sound["does not ship an order whose refund came before its payment"]!;
      const report = await auditSpecimen({
        create: () => ({ ...create(), refuse: () => (++count === refused ? 503 : undefined) }),
        options: () => ({ only: ["state-late-duplicate"] }),
      });
      verdicts.add(report.verdict);
    }
    expect(verdicts).not.toContain("failed");
  });

  it("waits for a worker as long as --settle says", async () => {
    const shop = createLateShop(4000);
    const specimen = { create: () => shop, options: () => ({ system: shop.system, settleMs: 5000 }) };
    expect((await auditSpecimen(specimen)).verdict).toBe("passed");
    // A minute and a half in all, and not for each check.
    expect(shop.system.monotonic()).toBeLessThan(95_000);
  });

  it("says which events changed nothing", async () => {
    const { notes } = await auditSpecimen(sound["prints a net balance"]!);
    expect(notes).toContain("Events that changed nothing in what --check prints: started, completed.");
  });
});

describe("an audit of a receiver", { timeout: 30_000 }, () => {
  const auditOf = (url: string) =>
    runAudit({ url, secret: SECRET, system: stillSystem, only: ["valid-event", "robust"] });

  it.each([
    [
      "hex in another header",
      "the signature in hex, in the header x-signature",
      (body: Buffer, headers: Headers) => hmac(body, "hex") === headers["x-signature"],
    ],
    [
      "the other spelling of the topic alone",
      "the topic spelled charge/events",
      (body: Buffer, headers: Headers) => isGenuine(body, headers[HEADER]) && body.includes('"charge/events"'),
    ],
    [
      "hex of the body printed again",
      "the signature in hex, of the body parsed and printed again (json.dumps)",
      (body: Buffer, headers: Headers) => take(body) === 200 && hmac(pythonOf(body), "hex") === headers[HEADER],
    ],
  ])("says that it accepts %s", async (_, accepted, verify) => {
    const { url } = await startReceiver(({ body, headers }) => (verify(body, headers) ? take(body) : 401));
    const { advice } = await auditOf(url);
    expect(advice).toContain(`what it accepts instead: an event with ${accepted}`);
  });

  it("fails one that a request ends", async () => {
    const { url, close } = await startMortal();
    const report = await auditOf(url);
    await close();
    expect(report.verdict).toBe("failed");
    expect(report.checks.find(({ id }) => id === "odd-json")).toMatchObject({
      verdict: "fail",
      severity: "critical",
      seen: expect.stringMatching(/^the receiver no longer answers since /),
    });
  });

  it("is inconclusive when it answers 429", async () => {
    const { url } = await startReceiver(() => 429);
    expect(await auditOf(url)).toMatchObject({ verdict: "inconclusive", passed: false, accepted: false });
  });

  let turns = 0;
  const isOld = (body: Buffer, header: unknown) => hmac(body, "base64", "old") === header;
  it.each([
    ["refuses the old key", (body: Buffer, header: unknown) => isGenuine(body, header), "pass"],
    ["accepts the old key", (body: Buffer, header: unknown) => isGenuine(body, header) || isOld(body, header), "fail"],
    [
      "accepts the old key in one of its four processes",
      (body: Buffer, header: unknown) => isGenuine(body, header) || (++turns % 4 === 0 && isOld(body, header)),
      "fail",
    ],
  ])("says whether it %s", async (_, verify, verdict) => {
    const { url } = await startReceiver(({ body, headers }) => (verify(body, headers[HEADER]) ? take(body) : 401));
    const options = { secret: SECRET, oldSecret: "old", system: stillSystem, only: ["signature-old-secret"] };
    const { checks } = await runAudit({ url, ...options });
    expect(checks.map((check) => check.verdict)).toEqual([verdict]);
  });

  it.each([
    ["two wrong signatures", (header: string) => header.includes(", "), "signature-two"],
    ["a signature of white space", (header: string) => header.trim() === "", "signature-white-space"],
  ])("fails one that lets a forgery through with %s", async (_, isTaken, id) => {
    const { url } = await startReceiver((incoming) => {
      const header = incoming.headers[HEADER];
      return typeof header === "string" && header !== "" && isTaken(header)
        ? take(incoming.body)
        : soundReceiver(incoming);
    });
    const { checks } = await runAudit({ url, secret: SECRET, system: stillSystem, only: [id] });
    expect(checks).toMatchObject([{ id, verdict: "fail", severity: "critical" }]);
  });

  it("reports that one that crashes on a forgery does not accept it", async () => {
    const { url } = await startReceiver(({ body, headers }) => (isGenuine(body, headers[HEADER]) ? take(body) : 500));
    const { checks } = await runAudit({ url, secret: SECRET, system: stillSystem, only: ["signature-wrong-secret"] });
    expect(checks).toMatchObject([{ severity: "high", why: expect.stringMatching(/^The event is not accepted, but/) }]);
  });

  it("notes plain http, stack traces and replay", async () => {
    const trace = 'Traceback (most recent call last):\n  File "app.py", line 3, in <module>';
    const url = await serveHttp((_, response) => response.writeHead(401).end(trace));
    const { notes } = await auditOf(url);
    expect(notes.join("\n")).toMatch(/over plain http[^]*shows a stack trace[^]*Replay is a residual risk/);
  });
});

type Headers = Readonly<Record<string, unknown>>;

function pythonOf(body: Buffer): string {
  return JSON.stringify(JSON.parse(body.toString()), undefined, " ").replaceAll(/,\n */g, ", ").replaceAll(/\n */g, "");
}

/** Ends at a signed body that is not an object, like a process without an error handler. */
async function startMortal() {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (!isGenuine(body, request.headers[HEADER])) return response.writeHead(401).end();
      if (body.toString() === "null") {
        server.close();
        return request.socket.destroy();
      }
      return response.writeHead(take(body)).end();
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, close: async () => void server.close() };
}
