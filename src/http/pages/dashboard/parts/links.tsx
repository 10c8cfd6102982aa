import { redactTarget, withOwnToken } from "../../../control/render-request.js";
import { pathOf, statusOf } from "../../../../sandbox/observation/verify-requests.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import type { FindingKind } from "../../../../sandbox/observation/finding.js";
import { type View, linkTo } from "../view/view.js";
import { CodeLink, Pill, Status, Time } from "./show.js";
import { redactAndTruncate } from "../view/text.js";
import { batchId, plainId, transactionId } from "../../../../domain/values/ids.js";
import type { Charge } from "../../../../domain/model/charge.js";
import type { Batch, Transfer } from "../../../../domain/model/transfer.js";

/** The beginning of a long id, with the whole id as title. */
export function ShortId({ id }: { readonly id: string }) {
  const shown = id.length > 16 ? `${id.slice(0, id.length - plainId(id).length + 8)}…` : id;
  return (
    <code class="code soft" title={id}>
      {shown}
    </code>
  );
}

interface LinkProps {
  readonly view: View;
}

export function batchUrl(view: View, { id }: Pick<Batch, "id">): string {
  return linkTo(view, `/batches/${batchId(id)}`);
}

export function ChargeLink({ view, charge }: LinkProps & { readonly charge: Charge }) {
  return <a href={linkTo(view, `/charges/${charge.id}`)}>{redactAndTruncate(view, charge.externalId)}</a>;
}

export function TransferLink({ view, transfer }: LinkProps & { readonly transfer: Transfer }) {
  const { id, reference } = transfer;
  return <a href={linkTo(view, `/transfers/${transactionId(id)}`)}>{redactAndTruncate(view, reference)}</a>;
}

/** The resource of an entry or a delivery, by its stored id; the id alone when the resource was deleted. */
export function ResourceLink({ view, id }: LinkProps & { readonly id: string | null }) {
  const { charges, transfers, batches } = view.company.world;
  if (id === null) return <span class="soft">—</span>;
  const charge = charges.get(id);
  if (charge !== undefined) return <ChargeLink view={view} charge={charge} />;
  const transfer = transfers.get(id);
  if (transfer !== undefined) return <TransferLink view={view} transfer={transfer} />;
  const batch = batches.get(id);
  if (batch === undefined) return <ShortId id={id} />;
  return <CodeLink href={batchUrl(view, batch)} text={batchId(id)} />;
}

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
      <Status of={status ?? null} />
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

export function FateMark({ entry: { fault, fate } }: { readonly entry: JournalEntry }) {
  if (fault !== undefined) return <Pill tone="bad">fault: {fault}</Pill>;
  return fate === "lost" ? <Pill tone="bad">answer lost</Pill> : <></>;
}

export function shownPath({ redactor }: View, entry: JournalEntry): string {
  const path = pathOf(redactTarget(entry, withOwnToken(redactor, entry)));
  return path.length > PATH_MAX ? `${path.slice(0, PATH_MAX)}…` : path;
}

/** The first message of an error body. */
function messageOf({ status, answer }: JournalEntry): string | undefined {
  if (status < 400 || typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  const { message } = answer;
  const [first, ...others] = Array.isArray(message) ? message.map(String) : [String(message)];
  return first === undefined || others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
