import { batchId, plainId, transactionId } from "../../../../domain/values/ids.js";
import { type Batch, type Transfer, batchLifecycle } from "../../../../domain/model/transfer.js";
import { Action } from "../parts/action.js";
import { Hint, Pager, ROWS_SHOWN, createListPage } from "../parts/list.js";
import { createDetailPage } from "../parts/detail.js";
import { Amount, Code, CodeLink, Status, Time } from "../parts/show.js";
import { DataTable, Section } from "../parts/table.js";
import { redactAndTruncate } from "../view/text.js";
import { type View, getOrNotFound } from "../view/view.js";
import { transferColumns } from "./transfers.js";
import { shownBatchStatus } from "../../../../contract/transfers.js";
import { batchUrl } from "../parts/links.js";
import { apiCurl } from "../view/curl.js";

export const batchesPage = createListPage<Batch>({
  path: "/batches",
  title: "Batches",
  lead: "Transfers that were asked for together, newest first.",
  names: ["batch", "batches"],
  table: ({ world }) => world.batches,
  filters: [
    {
      name: "status",
      label: "Status",
      values: ({ profile }) => ["processing", profile.batch.finalStatus],
      valueOf: (batch, { profile }) => shownBatchStatus(batch, profile),
    },
  ],
  search: {
    by: "id",
    exactly: (text, { world }) => world.batches.get(plainId(text)),
    texts: ({ id }) => [id],
  },
  columns: (view) => [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "Id",
      kind: "wide",
      cell: (batch) => <CodeLink href={batchUrl(view, batch)} text={batchId(batch.id)} />,
    },
    { title: "Transfers", kind: "number", cell: ({ transactionIds }) => String(transactionIds.length) },
    { title: "Pending", kind: "number", cell: ({ open }) => String(open) },
    { title: "Status", cell: (batch) => <Status of={shownBatchStatus(batch, view.company.profile)} /> },
    { title: "Fees", kind: "number", cell: ({ totalFee }) => <Amount money={totalFee} /> },
    { title: "Total", kind: "number", cell: ({ totalAmount }) => <Amount money={totalAmount} /> },
  ],
  hint: (view) => {
    const { success, failure } = view.company.profile.testNumbers;
    const transactions = [
      { amount: 5_000, msisdn: success, reference: "salary-1" },
      { amount: 7_500, msisdn: failure, reference: "salary-2" },
    ];
    return (
      <Hint of="Send a batch" line={apiCurl(view, "POST", "/v1/transactions/batch", { transactions })}>
        No batch so far. This sends two transfers, of which the second fails.
      </Hint>
    );
  },
});

export const batchPage = createDetailPage<Batch>({
  path: "/batches/:id",
  what: "batch",
  get: ({ company, id }) => getOrNotFound(company.world.batches.get(plainId(id)), "batch", id),
  title: (_, { transactionIds: { length } }) => `Batch of ${length === 1 ? "1 transfer" : `${length} transfers`}`,
  lifecycle: batchLifecycle,
  statusIn: ({ subject }) => (subject.kind === "batch" ? subject.batch.status : undefined),
  movesMoney: false,
  terms: ({ company }, batch) => [
    ["Status", <Status of={shownBatchStatus(batch, company.profile)} />],
    ["Total", <Amount money={batch.totalAmount} />],
    ["Of it fees", <Amount money={batch.totalFee} />],
    ["Transfers", String(batch.transactionIds.length)],
    ["Still pending", String(batch.open)],
    ["Id", <Code>{batchId(batch.id)}</Code>],
    ["Created", <Time at={batch.createdAt} />],
    ["Updated", <Time at={batch.updatedAt} />],
  ],
  parts: renderTransfers,
});

/** In the order of the request. */
function renderTransfers(view: View, { id: ownId, transactionIds }: Batch) {
  const from = Math.min(Number(/^\d{1,6}$/.exec(view.query["cursor"] ?? "")?.[0] ?? 0), transactionIds.length);
  const to = from + ROWS_SHOWN;
  const next = to < transactionIds.length ? String(to) : null;
  const prev = from > 0 ? String(Math.max(0, from - ROWS_SHOWN)) : null;
  return (
    <Section title="Its transfers">
      <DataTable
        caption="Transfers of the batch"
        rows={transactionIds.slice(from, to).flatMap((id) => view.company.world.transfers.get(id) ?? [])}
        idOf={({ id }) => id}
        empty="It has no transfers."
        columns={[
          ...transferColumns(view).filter(({ title }) => title !== "Created" && title !== "Id"),
          { title: "By hand", cell: (transfer) => <SettleByHand view={view} transfer={transfer} /> },
        ]}
      />
      <Pager view={view} path={`/batches/${batchId(ownId)}`} list={{ prev, next }} oldestFirst />
    </Section>
  );
}

function SettleByHand({ view, transfer }: { readonly view: View; readonly transfer: Transfer }) {
  if (transfer.status !== "pending") return <></>;
  const shared = { view, fields: { id: transactionId(transfer.id) }, curl: false };
  const reference = redactAndTruncate(view, transfer.reference);
  return (
    <div class="actions">
      <Action {...shared} name="complete" label="Complete" describes={`Complete ${reference}`} tone="quiet" />
      <Action {...shared} name="fail" label="Fail" describes={`Fail ${reference}`} tone="danger" />
    </div>
  );
}
