import { describe, expect, it } from "vitest";
import { parseProfile } from "./parse-profile.js";

describe("a wrong profile is reported with the place, the problem and the right form", () => {
  it.each<[unknown, string[]]>([
    [
      { transfers: { setlement: "manual" } },
      ['transfers.setlement is not a setting. Did you mean "transfers.settlement"?'],
    ],
    [{ transfer: { min: 1 } }, ['transfer.min is not a setting. Did you mean "transfers.min"?']],
    [{ transfer: 5 }, ['transfer is not a setting. Did you mean "transfers"?']],
    [{ settlement: "manual" }, ['settlement is not a setting. Did you mean "transfers.settlement"?']],
    [{ min: 5 }, ['min is not a setting. Did you mean "transfers.min" or "charges.min"?']],
    [
      { charges: { settlement: "manual" } },
      ['charges.settlement is not a setting. Did you mean "transfers.settlement"?'],
    ],
    [{ ratelimit: "off" }, ['ratelimit is not a setting. Did you mean "rateLimit"?']],
    [{ nonsense: { entirely: 1 } }, ["nonsense.entirely is not a setting"]],
    [{ "transfers.min": 5 }, ['transfers.min is written nested: {"transfers": {"min": …}}']],
    [
      { transfers: "manual" },
      [
        "transfers must be an object with settings such as transfers.min, transfers.max, transfers.fee, " +
          'not "manual"',
      ],
    ],
    [{ http: { createdStatus: 204 } }, ["http.createdStatus must be 201 or 200, not 204"]],
    [{ http: { createdStatus: "200" } }, ['http.createdStatus must be 201 or 200, not "200"']],
    [{ refunds: { unknownBody: "reject" } }, ['refunds.unknownBody is not a setting. Did you mean "unknownBody"?']],
    [
      { errors: { shape: ["message"] } },
      ['errors.shape must be "envelope", "envelope-text" or "message", not ["message"]'],
    ],
    [{ transfers: { min: -0.5 } }, ["transfers.min must be a whole number of XOF from 1 to 100000000000, not -0.5"]],
    [
      { transfers: { min: Number.NaN } },
      ["transfers.min must be a whole number of XOF from 1 to 100000000000, not NaN"],
    ],
    [{ transfers: { min: 10n } }, ["transfers.min must be a whole number of XOF from 1 to 100000000000, not a bigint"]],
    [{ transfers: { fee: { rate: 3 } } }, ["transfers.fee.rate must be a number from 0 to 1, not 3"]],
    [
      { transfers: { fee: { fixed: 0.00001, decimals: 5 } } },
      [
        "transfers.fee.fixed must be a number from 0 to 1000000000 with at most 4 decimals, not 0.00001",
        "transfers.fee.decimals must be a whole number from 0 to 4, not 5",
      ],
    ],
    [
      { transfers: { fee: { rat: 1 } } },
      ['transfers.fee has no "rat", only rate, fixed, decimals. Did you mean "rate"?'],
    ],
    [{ transfers: { fee: 5 } }, ["transfers.fee must be an object with rate, fixed and decimals, not 5"]],
    [{ charges: { fee: { credit: "half" } } }, ['charges.fee.credit must be "full" or "net", not "half"']],
    [
      { transfers: { settlement: "later" } },
      ['transfers.settlement must be "immediate", "manual", {after: duration} or {polls: number}, not "later"'],
    ],
    [
      { transfers: { settlement: { after: "1s", polls: 2 } } },
      [
        'transfers.settlement must be "immediate", "manual", {after: duration} or {polls: number}, ' +
          'not {"after":"1s","polls":2}',
      ],
    ],
    [
      { transfers: { settlement: { after: "5x" } } },
      ['transfers.settlement.after: "5x" is not a duration: unknown unit "x"; the units are d, h, m, s and ms'],
    ],
    [
      { transfers: { settlement: { polls: 0 } } },
      ["transfers.settlement.polls must be a whole number from 1 to 1000000, not 0"],
    ],
    [{ charges: { ttl: 0 } }, ["charges.ttl: 0s is not from 1ms to 36525d"]],
    [
      { charges: { ttl: true } },
      ["charges.ttl must be a duration such as 10s, 1h30m, PT1H or a number of milliseconds, not true"],
    ],
    [
      { charges: { service: "  ", droppedReason: "x".repeat(201) } },
      [
        `charges.droppedReason must be text of 1 to 200 characters, in quotes if it looks like a number, not "${"x".repeat(79)}…`,
        'charges.service must be text of 1 to 200 characters, in quotes if it looks like a number, not "  "',
      ],
    ],
    [
      { webhooks: { retry: ["1s", "never"] } },
      ['webhooks.retry[1]: "never" is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds'],
    ],
    [
      { webhooks: { retry: "slow" } },
      ['webhooks.retry must be "none", "fast", "realistic" or a list of durations such as ["10s", "1m"], not "slow"'],
    ],
    [{ webhooks: { timeout: "2h" } }, ["webhooks.timeout: 2h is not from 1ms to 1h"]],
    [
      { webhooks: { chargeEvents: ["payed"] } },
      ['webhooks.chargeEvents[0] must be "paid", "dropped", "refunded" or "refunded_partially", not "payed"'],
    ],
    [
      { webhooks: { chargeEvents: "paid, droped" } },
      [
        'webhooks.chargeEvents: "droped" is not one of paid, dropped, refunded, refunded_partially. ' +
          'Did you mean "dropped"?',
      ],
    ],
    [
      { webhooks: { signatureHeader: "x signature" } },
      [
        "webhooks.signatureHeader must be the name of an HTTP header (letters, digits and - such as x-signature), " +
          'not "x signature"',
      ],
    ],
    [
      { webhooks: { topicHeader: "Content-Type" } },
      ['webhooks.topicHeader must be a header that HTTP itself does not use, not "Content-Type"'],
    ],
    [
      { rateLimit: { requests: 5 } },
      ["rateLimit.per must be a duration such as 10s, 1h30m, PT1H or a number of milliseconds, and is missing"],
    ],
    [{ rateLimit: { requests: 0, per: "1s" } }, ["rateLimit.requests must be a whole number from 1 to 1000000, not 0"]],
    [
      { rateLimit: "on" },
      ['rateLimit must be "off" or {requests, per} such as {"requests": 10, "per": "1s"}, not "on"'],
    ],
    [
      { testNumbers: { success: 2250700000001 } },
      [
        "testNumbers.success must be a phone number in quotes: 8 to 15 digits after an optional + or 00, " +
          "not 2250700000001",
      ],
    ],
  ])("%o", (overrides, messages) => {
    expect(messagesOf(overrides)).toEqual(messages);
  });

  it("has the path of each problem, for its line and column", () => {
    expect(problemsOf({ webhooks: { retry: ["1s", "x"] }, transfer: { min: 1 } }).map(({ path }) => path)).toEqual([
      ["transfer", "min"],
      ["webhooks", "retry", 1],
    ]);
  });

  it.each([null, [], "manual", 5, true, new Map(), new Date(0)])("refuses %o as a profile", (overrides) => {
    expect(messagesOf(overrides)).toEqual([
      expect.stringMatching(/^A profile must be an object such as \{"transfers": \{"settlement": "manual"\}\}, not /),
    ]);
  });

  it("refuses the names of inherited properties as settings", () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__": {"min": 1}, "constructor": 1, "toString": {}, "transfers": {"__proto__": {"rate": 1}, "valueOf": 2}}',
    );
    expect(problemsOf(hostile).map(({ path }) => path.join("."))).toEqual([
      "__proto__.min",
      "constructor",
      "toString",
      "transfers.__proto__",
      "transfers.valueOf",
    ]);
    expect(({} as Record<string, unknown>)["min"]).toBeUndefined();
    expect(problemsOf(JSON.parse('{"transfers": {"fee": {"__proto__": {"rate": 0.5}}}}'))).toHaveLength(1);
  });

  it("is fast for very many problems, and counts them", () => {
    const nonsense = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`setting${index}`, index]));
    const problems = problemsOf(nonsense);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.message).toBe("49900 more keys are not settings");
    expect(problemsOf({ webhooks: { chargeEvents: Array.from({ length: 100_000 }, () => "x") } })).toHaveLength(100);
  });

  it("reports a list that is too long", () => {
    expect(messagesOf({ webhooks: { retry: Array.from({ length: 101 }, () => 1) } })).toEqual([
      expect.stringMatching(/^webhooks\.retry must be a list of at most 100 durations, not \[1,1,/),
    ]);
    expect(messagesOf({ webhooks: { allow: Array.from({ length: 100_000 }, () => 1) } })).toEqual([
      expect.stringMatching(/^webhooks\.allow must be a list of at most 1000 hosts, not \[1,1,/),
    ]);
  });
});

describe("settings that contradict each other", () => {
  it("are reported where the user wrote them", () => {
    expect(problemsOf({ transfers: { min: 600_000 }, charges: { min: 10, max: 9 } })).toEqual([
      { path: ["transfers", "min"], message: "transfers.min (600000) must not be above transfers.max (500000)" },
      { path: ["charges", "max"], message: "charges.min (10) must not be above charges.max (9)" },
    ]);
    expect(parseProfile({ transfers: { min: 100, max: 100 } }).ok).toBe(true);
  });

  it("are not reported while one of them is invalid", () => {
    expect(messagesOf({ transfers: { min: 600_000, max: "x" } })).toEqual([
      'transfers.max must be a whole number of XOF from 1 to 100000000000, not "x"',
    ]);
  });

  it("include one test number in two spellings", () => {
    expect(problemsOf({ testNumbers: { success: "002250700000002" } })).toEqual([
      {
        path: ["testNumbers", "success"],
        message:
          "testNumbers.failure (+2250700000002) must differ from testNumbers.success (002250700000002): " +
          "they are the same number without +, 00 and country prefix 225",
      },
    ]);
    expect(problemsOf({ testNumbers: { success: "70000001", late: "+70000001" } })).toHaveLength(1);
    expect(parseProfile({ testNumbers: { success: "+2250700000002", failure: "+2250700000001" } }).ok).toBe(true);
  });

  it("include one header for two purposes", () => {
    expect(messagesOf({ webhooks: { topicHeader: "X-Service-HMAC-SHA256" } })).toEqual([
      "webhooks.topicHeader must differ from webhooks.signatureHeader: both are x-service-hmac-sha256",
    ]);
  });
});

function problemsOf(overrides: unknown) {
  const parsed = parseProfile(overrides);
  return parsed.ok ? [] : parsed.problems;
}

function messagesOf(overrides: unknown): string[] {
  return problemsOf(overrides).map(({ message }) => message);
}
