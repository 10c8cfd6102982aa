import { describe, expect, it } from "vitest";
import { findTopic, singularOf, topics, topicSpellings } from "./topic.js";

describe("topics", () => {
  it.each([
    ["transactions/started", "transaction/started"],
    ["transactions/completed", "transaction/completed"],
    ["transactions/failed", "transaction/failed"],
    ["charges/events", "charge/events"],
  ] as const)("%s is also written %s", (plural, singular) => {
    expect(singularOf(plural)).toBe(singular);
    expect(findTopic(plural)).toBe(plural);
    expect(findTopic(singular)).toBe(plural);
  });

  it.each(["", "charges", "charges/event", "charge/event", "CHARGES/EVENTS", " charges/events", "transactions/", "*"])(
    "%j is none",
    (text) => expect(findTopic(text)).toBeUndefined(),
  );

  it("has two spellings of each, plural first", () => {
    expect(topicSpellings).toHaveLength(2 * topics.length);
    expect(topicSpellings.slice(0, 2)).toEqual(["transactions/started", "transaction/started"]);
  });
});
