import type { Child } from "hono/jsx";
import { transactionId } from "../../../../domain/values/ids.js";
import { type View, linkTo } from "../view/view.js";
import { CodeLink } from "./show.js";
import type { Charge } from "../../../../domain/model/charge.js";
import type { Batch, Transfer } from "../../../../domain/model/transfer.js";
import { redactAndTruncate } from "../view/text.js";
import { batchId, plainId } from "../../../../domain/values/ids.js";

/** The beginning of a long id; the title has the whole. */
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
  readonly children?: Child;
}

export function chargeUrl(view: View, { id }: Pick<Charge, "id">): string {
  return linkTo(view, `/charges/${id}`);
}

export function transferUrl(view: View, { id }: Pick<Transfer, "id">): string {
  return linkTo(view, `/transfers/${transactionId(id)}`);
}

export function batchUrl(view: View, { id }: Pick<Batch, "id">): string {
  return linkTo(view, `/batches/${batchId(id)}`);
}

/** A charge by its externalId. */
export function ChargeLink({ view, charge }: LinkProps & { readonly charge: Charge }) {
  return <a href={chargeUrl(view, charge)}>{redactAndTruncate(view, charge.externalId)}</a>;
}

export function TransferLink({ view, transfer }: LinkProps & { readonly transfer: Transfer }) {
  return <a href={transferUrl(view, transfer)}>{redactAndTruncate(view, transfer.reference)}</a>;
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
