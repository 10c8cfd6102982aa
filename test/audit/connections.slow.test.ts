import { createServer, type IncomingMessage, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { renderJson, renderPretty } from "../../src/audit/reporters.js";
import { plainStyle } from "../../src/kernel/messages/report.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { audit } from "../../src/library/audit.js";
import { auditReceiver, mistakesIn, verdictsOf } from "../support/audits.js";
import { listen, serveHttp } from "../support/listen.js";
import { createShop } from "./applications.js";
import { HEADER, SECRET, hmac, isGenuine, sound, startReceiver, stillSystem, take } from "./receivers.js";

describe("a body that arrives in pieces", () => {
  it("reports a receiver that decodes each piece separately", async () => {
    const url = await serveHttp((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
      request.on("end", () => {
        const genuine = isGenuine(Buffer.from(body), request.headers[HEADER]);
        response.writeHead(genuine ? take(Buffer.from(body)) : 401).end();
      });
    });
    expect(mistakesIn(await auditReceiver(url))).toEqual(["split-character fail"]);
  });
});

describe("a redirect", () => {
  it("is reported, and is not followed", async () => {
    const elsewhere = await startReceiver(sound);
    const { url } = await startReceiver(() => 307, { location: elsewhere.url });
    const report = await auditReceiver(url);
    expect(mistakesIn(report)).toEqual(["valid-event fail"]);
    expect(report.checks[0]).toMatchObject({
      seen: `an ordinary event is redirected with 307 to ${elsewhere.url}, which the service does not follow`,
      received: { status: 307, location: elsewhere.url },
    });
    expect(elsewhere.received).toEqual([]);
  });

  it("is reported with the start of a long address, which takes long to search for secrets", async () => {
    const location = `/${"61745f73".repeat(1_800)}`;
    const { url } = await startReceiver(() => 302, { location });
    const report = await auditReceiver(url);
    expect(report.checks[0]?.received?.location).toBe(`${location.slice(0, 2048)}…`);
  });
});

/** `onAnswered` is called as soon as an answer is written. */
function createSoundServer(onAnswered: (request: IncomingMessage) => unknown): Server {
  return createServer(
    (request, response) =>
      void buffer(request).then((body) => {
        response.writeHead(isGenuine(body, request.headers[HEADER]) ? take(body) : 401).end();
        onAnswered(request);
      }),
  );
}

describe("a receiver that restarts", () => {
  /** A receiver that stops listening after an answer if `ends` says so, and comes back. */
  async function startRestarting(ends: (count: number, header: unknown) => boolean): Promise<string> {
    let count = 0;
    const server = createSoundServer(({ headers }) => {
      if (ends(++count, headers[HEADER])) server.close(() => setTimeout(() => server.listen(port, "127.0.0.1"), 200));
    });
    const port = await listen(server);
    return `http://127.0.0.1:${port}/`;
  }

  it("passes when it restarts by itself", async () => {
    const report = await auditReceiver(await startRestarting((count) => count % 20 === 0));
    expect(mistakesIn(report)).toEqual([]);
    expect(report.counts.skipped).toBe((await auditReceiver((await startReceiver(sound)).url)).counts.skipped);
  });

  it("passes when it restarts in the middle of a request, even while its state is read", async () => {
    let count = 0;
    const shop = createShop();
    const server = createServer(
      (request, response) =>
        void buffer(request).then((body) => {
          if (++count % 20 === 0) {
            server.close(() => setTimeout(() => server.listen(port, "127.0.0.1"), 200));
            server.closeAllConnections();
          } else if (request.method === "GET") response.end(JSON.stringify(shop.state()));
          else {
            const status = isGenuine(body, request.headers[HEADER]) ? take(body) : 401;
            if (status < 300) void shop.handle(JSON.parse(body.toString()).data);
            response.writeHead(status).end();
          }
        }),
    );
    const port = await listen(server);
    const url = `http://127.0.0.1:${port}/`;
    const report = await auditReceiver(url, { check: url, only: ["forged", "state"], system: systemClock });
    expect(mistakesIn(report)).toEqual([]);
    expect(report.verdict).toBe("passed");
    expect(report.notes.join()).toMatch(
      /A connection was cut \(.*\), and the receiver answered when the request was sent again\./,
    );
  });

  it("is reported when one request always ends it", async () => {
    const report = await auditReceiver(await startRestarting((_, header) => header === ""));
    expect(mistakesIn(report)).toEqual(["signature-empty fail"]);
  });
});

describe("a receiver that cannot be reached", () => {
  it("is reported when it ends with its first answer", async () => {
    const server = createServer((_, response) => {
      response.end();
      server.close();
    });
    const report = await auditReceiver(`http://127.0.0.1:${await listen(server)}/`);
    expect(report.checks[0]).toMatchObject({ id: "valid-event", verdict: "fail", severity: "critical" });
  });

  it("is reported when it ends in the middle, under the check that ended it", async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        const header = request.headers[HEADER];
        response.writeHead(isGenuine(body, header) ? 200 : 401).end();
        if (header === "") server.close();
      });
    });
    const report = await auditReceiver(`http://127.0.0.1:${await listen(server)}/`);
    expect(mistakesIn(report)).toEqual(["signature-empty fail"]);
    expect(report.checks.find(({ id }) => id === "signature-empty")).toMatchObject({
      severity: "critical",
      seen: "the receiver no longer answers since an event with an empty signature",
    });
    expect(report.checks.find(({ id }) => id === "signature-hex")).toMatchObject({
      verdict: "skipped",
      seen: "not tried: the receiver could not be reached any more (nothing listens there)",
    });
  });

  it.each([
    ["signature-missing", undefined],
    ["signature-hex", ["signature-hex", "garbage"]],
  ])("is reported by %s when the first event without a signature ends it", async (id, only) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.headers[HEADER] === undefined) {
          server.close();
          request.socket.destroy();
        } else response.writeHead(isGenuine(Buffer.concat(chunks), request.headers[HEADER]) ? 200 : 401).end();
      });
    });
    const report = await auditReceiver(`http://127.0.0.1:${await listen(server)}/`, only === undefined ? {} : { only });
    expect(mistakesIn(report)).toEqual([`${id} fail`]);
    expect(report.checks.find((check) => check.id === id)).toMatchObject({
      severity: "critical",
      seen: expect.stringMatching(/^the receiver no longer answers since an event without a signature/),
    });
  });
});

describe("a receiver that does not answer", () => {
  it("is asked at most three more times when it does not answer forged events only", async () => {
    // The test decides when the time is over: as soon as the receiver has the request that it will not answer.
    const timeouts = new Set<() => void>();
    let unanswered = 0;
    const system = {
      ...stillSystem,
      after(_: number, task: () => void) {
        timeouts.add(task);
        return () => void timeouts.delete(task);
      },
    };
    const { url } = await startReceiver(({ headers, body }) => {
      if (isGenuine(body, headers[HEADER])) return take(body);
      unanswered++;
      for (const task of timeouts) task();
      return new Promise(() => undefined);
    });
    const report = await auditReceiver(url, { system });
    expect(unanswered).toBe(3);
    expect(verdictsOf(report)).toMatchObject({
      "valid-event": "pass",
      "signature-missing": "skipped",
      "signature-wrong-secret": "fail",
      "answer-time": "skipped",
    });
  });

  it("causes a warning when it cuts connections on signed garbage", async () => {
    const url = await serveHttp((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        if (!isGenuine(body, request.headers[HEADER])) response.writeHead(401).end();
        else if (take(body) === 400) request.socket.destroy();
        else response.writeHead(200).end();
      });
    });
    expect(mistakesIn(await auditReceiver(url, { only: ["robust"] }))).toEqual(["odd-json warn"]);
  });
});

describe("a slow receiver", () => {
  it("passes even if only a few connections at a time can wait for it", async () => {
    let passedMs = 0;
    const server = createSoundServer(() => (passedMs += 1500));
    const url = `http://127.0.0.1:${await listen(server, { backlog: 1 })}/`;
    const report = await auditReceiver(url, {
      system: { ...systemClock, monotonic: () => passedMs },
      only: ["genuine"],
    });
    expect(mistakesIn(report)).toEqual([]);
  });

  it("causes a warning", async () => {
    let passedMs = 0;
    const system = { ...systemClock, monotonic: () => passedMs };
    const { url } = await startReceiver((incoming) => {
      if (isGenuine(incoming.body, incoming.headers[HEADER])) passedMs += 5500;
      return sound(incoming);
    });
    const report = await auditReceiver(url, { system });
    expect(mistakesIn(report)).toEqual(["answer-time warn"]);
    expect(report.passed).toBe(true);
    expect(report.checks.find(({ id }) => id === "answer-time")?.seen).toMatch(
      /^an ordinary event is answered after 5\d{3} ms$/,
    );
  });
});

describe("a receiver that limits requests", () => {
  it("is not judged by requests that it does not answer", async () => {
    let count = 0;
    const { url } = await startReceiver((incoming) => (++count > 20 ? 429 : sound(incoming)));
    const report = await auditReceiver(url);
    expect(mistakesIn(report)).toEqual([]);
    expect(report.checks.find(({ id }) => id === "garbage")).toMatchObject({
      verdict: "skipped",
      seen: expect.stringMatching(/^the receiver answers 429, too many requests: /),
    });
  });
});

describe("a receiver with other settings", () => {
  it("never has its secret key in a report", async () => {
    const url = await serveHttp((_, response) =>
      response.writeHead(401, { location: `/${SECRET}` }).end(`not ${SECRET}`),
    );
    const report = await auditReceiver(url);
    expect(report.checks[0]?.received).toMatchObject({ body: "not [secret]", location: "/[secret]" });
    expect(JSON.stringify(report)).not.toContain(SECRET);
    expect(JSON.stringify(report)).not.toContain(hmac("x"));
  });

  it("never has its secret keys in a report in another form, nor the old key", async () => {
    const [secret, oldSecret] = ["key/with+signs=&", "the-key-before-2026"];
    const escaped = secret.replaceAll("/", String.raw`\/`);
    const forms = [escaped, encodeURIComponent(secret), btoa(secret), oldSecret, btoa(oldSecret)];
    const url = await serveHttp((_, response) => response.writeHead(500).end(forms.join(" ")));
    const report = await audit(`${url}/${oldSecret}`, { secret, oldSecret, only: "valid-event" });
    expect(report.receiver).toMatch(/\/\[redacted\]$/);
    expect(report.checks[0]?.received?.body).toContain("[redacted]");
    for (const form of forms) expect(JSON.stringify(report)).not.toContain(form);
  });

  it("never has its secret key in an error", async () => {
    const secret = "key/with+signs=&";
    const url = await serveHttp((_, response) => response.end());
    const failed = audit(url, { secret, check: `echo '${secret}' >&2; exit 3`, only: "state" });
    await expect(failed).rejects.toThrow(
      "Failed to read --check (echo '[redacted]' >&2; exit 3): it ended with 3: [redacted].",
    );
  });

  it("gets fixes with the name of its own header, also in code", async () => {
    const { url } = await startReceiver(() => 401);
    const report = await auditReceiver(url, { header: "X-Pay-Sig", only: ["genuine"] });
    expect(report.advice.join()).toContain("the signature is in X-Pay-Sig, unless");
    const reports = [renderPretty(report, plainStyle), renderJson(report, plainStyle)].join();
    for (const name of ['request.headers["x-pay-sig"]', "all values of x-pay-sig", "$_SERVER['HTTP_X_PAY_SIG']"])
      expect(reports).toContain(name);
    expect(reports).not.toMatch(/x.service.hmac/i);
  });
});
