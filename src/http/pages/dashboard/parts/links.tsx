import { withOwnToken } from "../../../control/render-request.js";
import { pathOf, statusOf } from "../../../../sandbox/observation/verify-requests.js";
import { redactPath } from "../../../../sandbox/observation/redact.js";
import { shorten } from "../../../../kernel/messages/text.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import type { FindingKind } from "../../../../sandbox/findings/finding.js";
import { type View, linkTo, redactAndTruncate } from "../view/view.js";
import { Code, CodeLink, Pill, Status, Time, soft } from "./show.js";
import { showMs } from "../../shared/show.js";
import { batchId, transactionId } from "../../../../domain/values/ids.js";
import type { Charge } from "../../../../domain/model/charge.js";
import type { Batch, Transfer } from "../../../../domain/model/transfer.js";

export function batchLink(view: View, { id }: Pick<Batch, "id">) {
  return <CodeLink href={linkTo(view, `/batches/${batchId(id)}`)} text={batchId(id)} />;
}

export function chargeLink(view: View, { id, externalId }: Charge) {
  return <a href={linkTo(view, `/charges/${id}`)}>{redactAndTruncate(view, externalId)}</a>;
}

export function transferLink(view: View, { id, reference }: Transfer) {
  return <a href={linkTo(view, `/transfers/${transactionId(id)}`)}>{redactAndTruncate(view, reference)}</a>;
}

/** A link to the resource of an entry or a delivery, by its stored id; the id alone when the resource was deleted. */
export function resourceLink(view: View, id: string | null) {
  const { charges, transfers, batches } = view.company.world;
  if (id === null) return soft("—");
  const charge = charges.get(id);
  if (charge !== undefined) return chargeLink(view, charge);
  const transfer = transfers.get(id);
  if (transfer !== undefined) return transferLink(view, transfer);
  const batch = batches.get(id);
  return batch === undefined ? <Code>{id}</Code> : batchLink(view, batch);
}

/** A request on one line, with its answer, its rule and its finding. */
export function requestLine(view: View, entry: JournalEntry, finding?: FindingKind) {
  const { id, at, method, rule } = entry;
  const status = statusOf(entry);
  const why = messageOf(entry);
  return (
    <div class="line">
      <Time at={at} exact />
      <span class="method">{method}</span>
      <a class="code" href={linkTo(view, `/requests/${id}`)}>
        {shownPath(view, entry)}
      </a>
      <Status of={status ?? null} />
      {rule !== undefined && (
        <Pill tone="warn">rule {rule.name === null ? rule.id : redactAndTruncate(view, rule.name)}</Pill>
      )}
      {fateMark(entry)}
      {soft(showMs(entry.durationMs))}
      {finding !== undefined && <a href={linkTo(view, "/findings")}>finding: {finding.replaceAll("-", " ")}</a>}
      {why !== undefined && (
        <span class="soft">{redactAndTruncate({ redactor: withOwnToken(view.redactor, entry) }, why)}</span>
      )}
    </div>
  );
}

export function fateMark({ fault, fate }: JournalEntry) {
  if (fault !== undefined) return <Pill tone="bad">fault: {fault}</Pill>;
  return fate === "lost" ? <Pill tone="bad">answer lost</Pill> : undefined;
}

/** The most characters of a path whose parts are redacted one by one: a request may have thousands of parts. */
const PATH_READ_MAX = 1_000;

export function shownPath({ redactor }: View, entry: JournalEntry): string {
  const own = withOwnToken(redactor, entry);
  const path = shorten(pathOf({ path: own.text(entry.path) }), PATH_READ_MAX);
  return redactAndTruncate({ redactor }, redactPath(path, own));
}

/** The first message of an error body. */
function messageOf({ status, answer }: JournalEntry): string | undefined {
  if (status < 400 || typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  const { message } = answer;
  const [first, ...others] = Array.isArray(message) ? message.map(String) : [String(message)];
  return first === undefined || others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
