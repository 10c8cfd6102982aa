import { type OperationId, operationOf } from "../../contract/operations.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { type ApiAnswer, respond } from "./answer.js";
import { breakOff, HANG_MAX_MS, linger } from "./break-off.js";
import { misbehave } from "./misbehave.js";
import { note, type Ruled, type Seen, tellExchange } from "./tell-exchange.js";

/** The end of a request that a `request` rule applies to, when what it leaves of the work is done: the delay, then another answer, or none. */
export async function answerByRule(
  c: HttpContext,
  sandbox: Sandbox,
  id: OperationId,
  seen: Seen,
  { rule, company, returned }: Ruled,
  made: ApiAnswer,
): Promise<Response> {
  const context = { sandbox, company, operation: operationOf(id), path: c.req.path };
  const { delayMs, fault } = rule.then;
  const answer = note(seen, () => misbehave(context, rule, made));
  const wait = (ms: number): Promise<void> => linger(c, company, sandbox.system, ms);

  if (delayMs !== undefined && fault !== "hang") await wait(delayMs);
  tellExchange(c, sandbox, id, seen, answer);
  // It is told of when it begins: nobody is told of its end.
  if (fault === "hang") await wait(delayMs ?? HANG_MAX_MS);
  returned.resolve();
  return fault === "reset" || fault === "hang" ? breakOff(c, fault) : respond(sandbox, seen.company, answer);
}
