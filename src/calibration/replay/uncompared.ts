import { type OperationId, operations } from "../../contract/operations.js";
import { findTransfer } from "../../domain/transfers/settle-transfer.js";
import { isObject } from "../../kernel/messages/json.js";
import { REDACTED } from "../../sandbox/observation/redact.js";
import type { Company } from "../../sandbox/company/company.js";
import { type Entry, type RecordedAnswer, type RecordedRequest, subjectOf } from "../recording/entry.js";
import { idInPath } from "../recording/resources.js";
import type { Bindings } from "./bindings.js";

/** What is not compared because a recording cannot show what would be right. Each is noted as an assumption. */
export interface Uncompared {
  readonly company: Company;
  readonly bindings: Bindings;
  readonly note: (assumption: string) => void;
}

const END_TOLERANCE_MS = 500;

/** Operations that are refused the second time, so that a success shows that the first request was not done. */
const ONCE_ONLY: ReadonlySet<OperationId | undefined> = new Set<OperationId>([
  "createCharge",
  "createTransaction",
  "createBatch",
  "payCharge",
]);

/** Requests that got no answer, or a 5xx, and that succeeded when they were sent again. */
export function findUndone(entries: readonly Entry[]): ReadonlySet<RecordedRequest> {
  const undone = new Set<RecordedRequest>();
  const succeeded = new Set<string>();
  for (const entry of entries.toReversed()) {
    if (entry.kind === "webhook" || !ONCE_ONLY.has(entry.operation)) continue;
    const name = `${entry.path} ${entry.body ?? ""}`;
    const { status = 500 } = entry.answer ?? {};
    if (status < 300) succeeded.add(name);
    else if (status >= 500 && succeeded.has(name)) undone.add(entry);
  }
  return undone;
}

/** Whether a request with an unknown outcome was not done, because it succeeded when it was sent again. Where references may repeat, that shows nothing. */
export function wasNotDone(
  recorded: RecordedRequest,
  undone: ReadonlySet<RecordedRequest>,
  { company, note }: Uncompared,
): boolean {
  const isTransfer = recorded.operation === "createTransaction" || recorded.operation === "createBatch";
  const isRepeatable = isTransfer && company.profile.transfers.duplicateReference === "allow";
  if (isRepeatable || !undone.has(recorded)) return false;
  const answer = recorded.answer === undefined ? "no answer" : `the answer ${recorded.answer.status}`;
  note(`Where ${subjectOf(recorded)} got ${answer} and succeeded later, it was not done at first.`);
  return true;
}

/** The recorded answer as far as it is compared. `ours` is the body that the sandbox answers. */
export function comparable(
  recorded: RecordedRequest,
  ours: unknown,
  uncompared: Uncompared,
): RecordedAnswer | undefined {
  return withoutBalance(recorded, uncompared) ?? withoutEnd(recorded, ours, uncompared) ?? recorded.answer;
}

function withoutBalance({ answer, isBesideMoney }: RecordedRequest, { note }: Uncompared): RecordedAnswer | undefined {
  if (isBesideMoney !== true || !isObject(answer?.body) || !("balance" in answer.body)) return undefined;
  note("Where a read of the balance overlaps a movement of money, the balance is not compared.");
  return { ...answer, body: { ...answer.body, balance: REDACTED } };
}

/** No service takes exactly as long for each transfer, so a read near the end may show either status. */
function withoutEnd(
  { operation, path, answer }: RecordedRequest,
  ours: unknown,
  { company, bindings, note }: Uncompared,
): RecordedAnswer | undefined {
  if (operation !== "getTransaction" || !isObject(answer?.body) || !isObject(ours)) return undefined;
  if ((answer.body["status"] === "pending") === (ours["status"] === "pending")) return undefined;
  const transfer = findTransfer(company, bindings.toOurs(idInPath(path) ?? ""));
  if (transfer?.settleAfterMs == null) return undefined;
  const end = transfer.createdAt + transfer.settleAfterMs;
  if (Math.abs(company.now() - end) > END_TOLERANCE_MS) return undefined;
  note("Where a transfer is read within half a second of its end, its status is not compared.");
  return { ...answer, body: { ...answer.body, status: REDACTED, failureReason: REDACTED, updatedAt: REDACTED } };
}

/** Whether a request is about something from before the recording that no answer shows. `status` is what the sandbox answers. */
export function isAboutUnknown(
  recorded: RecordedRequest,
  status: number,
  { company, bindings, note }: Uncompared,
): boolean {
  const { path, operation, answer } = recorded;
  if (operation === undefined || !operations[operation].path.includes(":id")) return false;
  // The id as the recording has it, with its prefix.
  const id = path.split(/[/?]/)[3] ?? "";
  // Without the endpoint, a 404 says nothing about the charge.
  const isPayAbsent = operation === "payCharge" && company.profile.charges.payEndpoint === "absent";
  const isUnknown = status === 404 && !isPayAbsent && !bindings.isBound(id);
  if (!isUnknown || saysAbsent(recorded, answer?.status ?? 0)) return false;
  note(`${subjectOf(recorded)} of ${id} is not compared: the recording does not show how it was made.`);
  return true;
}

/** Whether the service says that it does not have the resource. It may refuse a payment or a refund of what it has, but not a read. */
function saysAbsent({ exchange: { method } }: RecordedRequest, status: number): boolean {
  if (status === 404 || status === 410) return true;
  return method !== "POST" && status >= 400 && status < 500 && status !== 401 && status !== 429;
}
