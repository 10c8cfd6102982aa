import { redactPath, withOwnToken } from "../../../control/render-request.js";
import { statusOf } from "../../../../sandbox/observation/verify-requests.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import type { FindingKind } from "../../../../sandbox/observation/finding.js";
import { type View, linkTo } from "../view/view.js";
import { Pill, Status, Time } from "./show.js";
import { redactAndTruncate } from "../view/text.js";

const PATH_MAX = 200;
const WHY_MAX = 300;

interface RequestLineProps {
  readonly view: View;
  readonly entry: JournalEntry;
  readonly finding?: FindingKind | undefined;
}

/** A request on one line: its answer, its rule, and its finding. */
export function RequestLine({ view, entry, finding }: RequestLineProps) {
  const { id, at, method, rule } = entry;
  const status = statusOf(entry);
  const why = messageOf(entry);
  return (
    <div class="line">
      <Time at={at} />
      <span class="method">{method}</span>
      <a class="code" href={linkTo(view, `/requests/${id}`)}>
        {shownPath(view, entry)}
      </a>
      {status === undefined || status === 0 ? <Pill tone="bad">no answer</Pill> : <Status of={status} />}
      {rule !== undefined && (
        <Pill tone="warn">rule {rule.name === null ? rule.id : redactAndTruncate(view, rule.name)}</Pill>
      )}
      <FateMark entry={entry} />
      {finding !== undefined && <a href={linkTo(view, "/findings")}>finding: {finding.replaceAll("-", " ")}</a>}
      {why !== undefined && (
        <span class="soft">{redactAndTruncate({ redactor: withOwnToken(view.redactor, entry) }, why, WHY_MAX)}</span>
      )}
    </div>
  );
}

/** Marks an answer that the client did not receive. */
export function FateMark({ entry: { fault, fate } }: { readonly entry: JournalEntry }) {
  if (fault !== undefined) return <Pill tone="bad">fault: {fault}</Pill>;
  return fate === "lost" ? <Pill tone="bad">answer lost</Pill> : <></>;
}

export function shownPath({ redactor }: View, entry: JournalEntry): string {
  const path = redactPath(entry, withOwnToken(redactor, entry));
  return path.length > PATH_MAX ? `${path.slice(0, PATH_MAX)}…` : path;
}

/** The first message of an error body. */
function messageOf({ status, answer }: JournalEntry): string | undefined {
  if (status < 400 || typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  const { message } = answer;
  const [first, ...others] = Array.isArray(message) ? message.map(String) : [String(message)];
  return first === undefined || others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
