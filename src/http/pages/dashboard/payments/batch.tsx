import { said } from "../view/said.js";
import { shownBatchStatus } from "../../../../contract/transfers.js";
import { transactionId } from "../../../../domain/values/ids.js";
import { drawBatch } from "../parts/lifecycle-drawing.js";
import { relatedTo } from "../view/related.js";
import { visitsOfBatch } from "../parts/visits.js";
import type { DashboardPage } from "../view/page.js";
import { Action } from "../parts/action.js";
import { Lifecycle } from "../parts/lifecycle.js";
import { foundOr } from "../parts/not-found.js";
import { Pager } from "../parts/pager.js";
import { RequestsAbout } from "../parts/related.js";
import { Amount, Code, Status, Time } from "../parts/show.js";
import { DataTable, Facts, Panel } from "../parts/table.js";
import type { View } from "../view/view.js";
import { transferColumns } from "./transfers.js";
import type { Batch, Transfer } from "../../../../domain/model/transfer.js";
import { batchId, plainId } from "../../../../domain/values/ids.js";

/** Of a batch, so many transfers at a time. */
const TRANSFERS_SHOWN = 50;

export const batchPage: DashboardPage = {
  path: "/batches/:id",
  title: (view) => `Batch of ${countOf(batchOf(view))}`,
  render: async (view) => {
    const { company, sandbox } = view;
    const { events, requests } = await relatedTo(
      company,
      sandbox.observationOf(company.id).journal.entries,
      batchOf(view),
    );
    const batch = batchOf(view);
    const visits = visitsOfBatch(batch, events);
    return (
      <>
        <div class="panels">
          <Panel title="Terms">
            <Facts
              of={[
                ["Status", <Status of={shownBatchStatus(batch, company.profile)} />],
                ["Total", <Amount money={batch.totalAmount} />],
                ["Of it fees", <Amount money={batch.totalFee} />],
                ["Transfers", String(batch.transactionIds.length)],
                ["Still pending", String(batch.open)],
                ["Id", <Code>{batchId(batch.id)}</Code>],
                ["Created", <Time at={batch.createdAt} />],
                ["Updated", <Time at={batch.updatedAt} />],
              ]}
            />
          </Panel>
          <Panel title="Lifecycle">
            <Lifecycle drawing={drawBatch(visits)} visits={visits} what="batch" />
          </Panel>
        </div>
        <Transfers view={view} batch={batch} />
        <RequestsAbout view={view} some={requests} />
      </>
    );
  },
};

function batchOf({ company, id }: View): Batch {
  return foundOr(company.world.batches.get(plainId(id)), "batch", id);
}

function countOf({ transactionIds: { length } }: Batch): string {
  return length === 1 ? "1 transfer" : `${length} transfers`;
}

/** In the order of the request. */
function Transfers({ view, batch }: { readonly view: View; readonly batch: Batch }) {
  const { transactionIds } = batch;
  const from = Math.min(Number(/^\d{1,6}$/.exec(view.query["cursor"] ?? "")?.[0] ?? 0), transactionIds.length);
  const rows = transactionIds
    .slice(from, from + TRANSFERS_SHOWN)
    .flatMap((id) => view.company.world.transfers.get(id) ?? []);
  const next = from + TRANSFERS_SHOWN < transactionIds.length ? String(from + TRANSFERS_SHOWN) : null;
  const prev = from > 0 ? String(Math.max(0, from - TRANSFERS_SHOWN)) : null;
  return (
    <section class="stack">
      <h2>Its transfers</h2>
      <DataTable
        caption="Transfers of the batch"
        rows={rows}
        idOf={({ id }) => id}
        empty="It has no transfers."
        columns={[
          ...transferColumns(view).filter(({ title }) => title !== "Created" && title !== "Id"),
          { title: "By hand", cell: (transfer) => <SettleByHand view={view} transfer={transfer} /> },
        ]}
      />
      <Pager view={view} path={`/batches/${batchId(batch.id)}`} list={{ prev, next }} order="oldest" />
    </section>
  );
}

function SettleByHand({ view, transfer }: { readonly view: View; readonly transfer: Transfer }) {
  if (transfer.status !== "pending") return <></>;
  const fields = { id: transactionId(transfer.id) };
  const name = said(view, transfer.reference);
  return (
    <div class="actions">
      <Action
        view={view}
        name="complete"
        fields={fields}
        label="Complete"
        describes={`Complete ${name}`}
        tone="quiet"
        curl={false}
      />
      <Action
        view={view}
        name="fail"
        fields={fields}
        label="Fail"
        describes={`Fail ${name}`}
        tone="danger"
        curl={false}
      />
    </div>
  );
}
