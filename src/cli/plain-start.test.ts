import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addStartOptions } from "./help.js";
import { readPlainStart } from "./plain-start.js";

/** What commander makes of it. */
function readByCommander(args: readonly string[]): unknown {
  const start = addStartOptions(new Command());
  return start.parse(args, { from: "user" }).opts();
}

/** Each option that takes one value or none, as help lists them. */
const options = addStartOptions(new Command()).options.filter(({ variadic }) => !variadic);

describe("a plain start", () => {
  it.each(options.map(({ long, required }) => [long ?? "", required ? ["a value"] : []] as const))(
    "has %s, and means what commander says that it means",
    (flag, value) => {
      const args = [flag, ...value, "--log", "json"];
      expect(readPlainStart(["start", ...args])).toEqual(readByCommander(args));
      const twice = ["--log", "silent", ...args, flag, ...value];
      expect(readPlainStart(["start", ...twice])).toEqual(readByCommander(twice));
    },
  );

  it("may have no options", () => {
    expect(readPlainStart(["start"])).toEqual({});
  });

  it.each([
    ["no verb"],
    ["another verb", "exec", "--port", "1"],
    ["help", "start", "--help"],
    ["help of a verb", "help", "start"],
    ["a short option", "start", "-h"],
    ["what is misspelt", "start", "--prot", "1"],
    ["what an object has anyway", "start", "--constructor", "1"],
    ["an option's value within it", "start", "--port=1"],
    ["a value that is missing", "start", "--port"],
    ["a value that looks like an option", "start", "--port", "--log"],
    ["a list", "start", "--fixtures", "a.yaml", "b.yaml"],
    ["an argument", "start", "4010"],
    ["an argument behind a switch", "start", "--open", "4010"],
    ["what follows --", "start", "--", "--port"],
    ["a value that is empty", "start", "--config="],
  ])("is not %s", (_, ...args) => {
    expect(readPlainStart(args)).toBeUndefined();
  });
});
