import { describe, expect, it } from "vitest";
import {
  type MoveLog,
  IllegalTransition,
  type Lifecycle,
  listTransitions,
  type Move,
  nextStatus,
} from "./lifecycle.js";

const noLog: MoveLog = { recordMove: () => undefined };

type Status = "closed" | "open" | "broken";
type Action = "open" | "close" | "kick";
const door: Lifecycle<Status, Action> = {
  closed: { open: ["open"], kick: ["open", "broken"] },
  open: { close: ["closed"] },
  broken: {},
};

describe("a lifecycle", () => {
  it.each<[Status, Action, Status | undefined, Status]>([
    ["closed", "open", undefined, "open"],
    ["open", "close", undefined, "closed"],
    ["closed", "kick", undefined, "open"],
    ["closed", "kick", "broken", "broken"],
  ])("leads from %s by %s (%s) to %s", (status, action, outcome, expected) => {
    expect(nextStatus(noLog, door, "door", status, action, outcome)).toBe(expected);
  });

  it.each<[Status, Action, Status | undefined, string]>([
    ["open", "open", undefined, 'Failed to open the door: it is "open". From there you can: close.'],
    ["open", "kick", "broken", 'Failed to kick the door: it is "open". From there you can: close.'],
    ["closed", "open", "broken", 'Failed to open the door: it is "closed". From there you can: open, kick.'],
    ["broken", "close", undefined, 'Failed to close the door: it is "broken". That is a final state.'],
  ])("refuses %s, %s (%s) and names what is possible", (status, action, outcome, message) => {
    const move = (): Status => nextStatus(noLog, door, "door", status, action, outcome);
    expect(move).toThrow(IllegalTransition);
    expect(move).toThrow(message);
  });

  it("records its moves, but not refused ones", () => {
    const moves: Move[] = [];
    const log: MoveLog = { recordMove: (move) => moves.push(move) };
    const open = nextStatus<Status, Action>(log, door, "door", "closed", "kick");
    expect(() => nextStatus<Status, Action>(log, door, "door", "broken", "close")).toThrow(IllegalTransition);
    nextStatus<Status, Action>(log, door, "door", open, "close");
    expect(moves).toEqual([
      { entity: "door", from: "closed", action: "kick", to: "open" },
      { entity: "door", from: "open", action: "close", to: "closed" },
    ]);
  });

  it("lists its edges", () => {
    expect(listTransitions(door)).toEqual([
      { from: "closed", action: "open", to: "open" },
      { from: "closed", action: "kick", to: "open" },
      { from: "closed", action: "kick", to: "broken" },
      { from: "open", action: "close", to: "closed" },
    ]);
  });
});
