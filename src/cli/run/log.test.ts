import { describe, expect, it, vi } from "vitest";
import type { LogLevel } from "../../kernel/log.js";
import { type LineLog, type LogChoice, type LogPlace, type LogSource, createLog } from "./log.js";

const nine = Date.UTC(2026, 0, 15, 9);
const source: LogSource = {
  now: () => nine,
  home: "company_home",
  redact: (text) => text.replaceAll("hush", "[redacted]"),
};

interface Written {
  readonly stdout: string;
  readonly stderr: string;
}

/** The output of an opened log after `write`. */
function written(choice: Partial<LogChoice>, write: (log: LineLog) => void, place?: LogPlace): Written {
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      out[name] += String(text);
      return true;
    });
  }
  const log = createLog({ style: "json", level: "info", ...choice }, () => source, place);
  write(log);
  vi.restoreAllMocks();
  return out;
}

/** An info, a warning and a bug. */
function everyKind(log: LineLog): void {
  log.open();
  log.write("info", "stopped");
  log.write("warn", "deliveries-given-up", { count: 1 });
  log.write("error", "bug", { error: "Error: x\n    at y" });
}

const pretty = (event: string, fields: Readonly<Record<string, unknown>>, level: LogLevel = "info"): string => {
  const { stdout, stderr } = written({ style: "pretty", level: "debug" }, (log) => {
    log.open();
    log.write(level, event, fields);
  });
  return stdout + stderr;
};

describe("the log", () => {
  it("writes events to stdout, and warnings and errors to stderr", () => {
    const { stdout, stderr } = written({}, everyKind);
    expect(JSON.parse(stdout)).toEqual({ event: "stopped", level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(["deliveries-given-up", "bug"]);
    expect(written({ style: "pretty" }, everyKind)).toEqual({
      stdout: "2026-01-15\n09:00:00.000  stopped\n",
      stderr: `2026-01-15T09:00:00.000Z  warn   deliveries given up  count=1
2026-01-15T09:00:00.000Z  error  bug
    Error: x
        at y
`,
    });
  });

  it("writes nothing when silent", () => {
    expect(written({ style: "silent" }, everyKind)).toEqual({ stdout: "", stderr: "" });
  });

  it("beside another command never writes to stdout, and always writes warnings and errors", () => {
    const beside = { beside: true };
    expect(written({}, everyKind, beside)).toMatchObject({ stdout: "", stderr: expect.stringContaining("stopped") });
    const { stdout, stderr } = written({ style: "silent" }, everyKind, beside);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/deliveries given up[^]*bug/);
    expect(stderr).not.toContain("stopped");
  });

  it.each<[LogLevel, string[]]>([
    ["debug", ["request", "stopped", "deliveries-given-up", "bug"]],
    ["info", ["stopped", "deliveries-given-up", "bug"]],
    ["warn", ["deliveries-given-up", "bug"]],
    ["error", ["bug"]],
  ])("writes and wants only lines of its level: %s", (level, events) => {
    const wanted: LogLevel[] = [];
    const { stdout, stderr } = written({ level }, (log) => {
      log.write("debug", "request");
      everyKind(log);
      wanted.push(...(["debug", "info", "warn", "error"] as const).filter((each) => log.wants(each)));
    });
    const lines = (stdout + stderr).split("\n").filter((line) => line !== "");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(events);
    expect(wanted).toHaveLength(events.length);
  });

  it("holds events until it is opened, but not warnings and errors, and writes the first line at any level", () => {
    const unopened = written({}, (log) => {
      log.write("info", "early");
      log.write("warn", "trouble");
    });
    expect(unopened).toEqual({ stdout: "", stderr: expect.stringContaining("trouble") });
    const { stdout } = written({}, (log) => {
      log.write("info", "early");
      log.open({ event: "listening", fields: { url: "http://x" } });
    });
    expect(stdout).toMatch(/^\{"event":"listening","level":"info".*\n\{"event":"early"/);
    const atError = written({ level: "error" }, (log) => log.open({ event: "listening", fields: {} }));
    expect(atError.stdout).toContain("listening");
  });

  it("bounds unread lines, and reports how many it left out", () => {
    const { stdout } = written({}, (log) => {
      const backlog = vi.spyOn(process.stdout, "writableLength", "get").mockReturnValue(2 ** 21);
      log.open();
      log.write("info", "one");
      log.write("info", "two");
      backlog.mockReturnValue(0);
      log.write("info", "three");
    });
    expect(stdout.match(/"event":"[^"]*"|"count":\d+/g)).toEqual([
      '"event":"log-lines-left-out"',
      '"count":2',
      '"event":"three"',
    ]);
  });
});

describe("a text from a client", () => {
  const hostile = 'x\n{"event":"charge.paid"}\r\u001B[2J\u0085\u009B\u2028\u202E hush';

  it.each(["json", "pretty"] as const)("cannot end a line, move the cursor or reveal a secret: %s", (style) => {
    for (const [level, fields] of [
      ["info", { externalId: hostile, nested: { reason: hostile } }],
      ["debug", { path: hostile }],
    ] as const) {
      const { stdout } = written({ style, level: "debug" }, (log) => {
        log.open();
        log.write(level, "request", { now: "2026-01-15T09:00:00.000Z", ...fields });
      });
      const lines = stdout.split("\n").filter((line) => line !== "" && line !== "2026-01-15");
      expect(lines).toHaveLength(1);
      // eslint-disable-next-line no-control-regex
      expect(lines[0]).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E]|hush/);
    }
  });

  it("is unchanged in JSON, except for secrets", () => {
    const { stdout } = written({}, (log) => {
      log.open();
      log.write("info", "charge.created", { externalId: hostile });
    });
    expect(JSON.parse(stdout).externalId).toBe(hostile.replace("hush", "[redacted]"));
  });

  it("of many lines is indented below the first", () => {
    for (const shown of [pretty("bug", { error: hostile }, "error"), pretty("scenario", { message: hostile })]) {
      const [, ...below] = shown.replace("2026-01-15\n", "").trimEnd().split("\n");
      expect(below.length).toBeGreaterThan(0);
      for (const line of below) expect(line).toMatch(/^ {4}\S/);
    }
  });

  it("is truncated if it is too long", () => {
    expect(pretty("charge.created", { externalId: "y".repeat(10_000) }).length).toBeLessThan(300);
    expect(pretty("bug", { error: `Error\n${"y".repeat(100_000)}` }, "error").length).toBeLessThan(9_000);
  });

  it("is redacted no further than it can be shown, since a megabyte takes a tenth of a second", () => {
    const lengths: number[] = [];
    const redact = (text: string): string => {
      lengths.push(text.length);
      return text;
    };
    const log = createLog({ style: "json", level: "info" }, () => ({ ...source, redact }));
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    log.open();
    log.write("info", "charge.created", { externalId: "y".repeat(1_000_000) });
    vi.restoreAllMocks();
    expect(Math.max(...lengths)).toBeLessThan(10_000);
  });
});

describe("a line for people", () => {
  const now = "2026-01-15T09:00:00.000Z";

  it.each<[string, string, Record<string, unknown>]>([
    [
      "charge.paid            c-1   10 000 XOF  order-1  req_3",
      "charge.paid",
      {
        company: "company_home",
        resource: "c-1",
        amount: 10_000,
        externalId: "order-1",
        eventId: "e",
        request: "req_3",
      },
    ],
    [
      'transaction.failed     t-1     50.5 XOF  "a b"  limit_exceeded',
      "transaction.failed",
      { resource: "t-1", amount: 50.5, reference: "a b", reason: "limit_exceeded" },
    ],
    [
      "balance.adjusted       20 000 000 XOF  company=company_other",
      "balance.adjusted",
      { company: "company_other", balance: 20_000_000 },
    ],
    [
      "delivery.succeeded     c-1  charges/events  200  3.1 ms",
      "delivery.succeeded",
      { resource: "c-1", topic: "charges/events", url: "http://x/hook", attempt: 1, status: 200, durationMs: 3.1 },
    ],
    [
      "delivery.attempt_failed  c-1  charges/events  http://x/hook  attempt 2  500  3 ms  http_500  next at 09:00:30.000",
      "delivery.attempt_failed",
      {
        resource: "c-1",
        topic: "charges/events",
        url: "http://x/hook",
        attempt: 2,
        status: 500,
        durationMs: 3,
        reason: "http_500",
        nextAttemptAt: "2026-01-15T09:00:30.000Z",
      },
    ],
    [
      "409 POST               /v1/charges?a=b  1.2 ms  external_id_taken  0af  req_2",
      "request",
      {
        request: "req_2",
        method: "POST",
        path: "/v1/charges?a=b",
        status: 409,
        durationMs: 1.2,
        operation: "createCharge",
        problem: "external_id_taken",
        correlationId: "0af",
      },
    ],
    [
      "--- GET                /v1/balance  1 ms  reset  req_2",
      "request",
      { request: "req_2", method: "GET", path: "/v1/balance", status: 0, durationMs: 1, fault: "reset" },
    ],
  ])("%s", (shown, event, fields) => {
    expect(pretty(event, { now, ...fields })).toBe(`2026-01-15\n09:00:00.000  ${shown}\n`);
  });

  it("follows a line with its day", () => {
    const { stdout } = written({ style: "pretty" }, (log) => {
      log.open();
      for (const at of [now, now, "2026-01-16T10:00:00.000Z"]) log.write("info", "charge.dropped", { now: at });
    });
    expect(stdout.split("\n").map((line) => line.slice(0, 12))).toEqual([
      "2026-01-15",
      "09:00:00.000",
      "09:00:00.000",
      "2026-01-16",
      "10:00:00.000",
      "",
    ]);
  });

  it("has colours where they are wanted", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    expect(pretty("charge.paid", { now })).toContain("\u001B[32mcharge.paid\u001B[39m\n");
    expect(pretty("request", { now, status: 409, method: "POST" })).toContain("\u001B[33m409 POST");
  });
});
