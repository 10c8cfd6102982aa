import { createServer } from "node:net";
import { it } from "vitest";
import { answerEarly, expectEarlyAnswer } from "./early-answer.js";

it("a receiver over http that answers early and breaks the connection has answered, and ends nothing", () =>
  expectEarlyAnswer(
    "http",
    createServer({ allowHalfOpen: true }, (socket) => void answerEarly(socket, socket)),
  ));
