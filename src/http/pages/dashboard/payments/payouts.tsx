import { shownBatchStatus } from "../../../../contract/transfers.js";
import { batchId, plainId, transactionId } from "../../../../domain/values/ids.js";
import { type Batch, type Transfer, totalOf, transferLifecycle } from "../../../../domain/model/transfer.js";
import { Action } from "../parts/action.js";
import { RELATED_SHOWN, createDetailPage } from "../parts/detail.js";
import { Amount, Code, Status, Time, type Column, TablePanel } from "../parts/show.js";
import { FACT_MAX, redactAndTruncate, type View, getOrNotFound, linkTo } from "../view/view.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { transferLink, batchLink } from "../parts/links.js";
import { createListPage } from "../parts/list.js";
import { pluralize } from "../../../../kernel/messages/text.js";

export const transfersPage = createListPage<Transfer>({
  path: "/transfers",
  title: "Transfers",
  lead: "Money sent to wallets, newest first. The API calls them transactions.",
  names: ["transfer", "transfers"],
  table: ({ company }) => company.world.transfers,
  statuses: statusesOf(transferLifecycle),
  statusesOf: ({ status }) => [status],
  searchedBy: "id, reference, phone number",
  textsOf: ({ id, reference, description, batchId: batch, msisdn }) => [
    id,
    reference,
    description ?? "",
    batch ?? "",
    msisdn,
  ],
  columns: transferColumns,
  make: ({ company: { world, profile } }) => {
    const numbers = Object.entries(profile.testNumbers).map(([role, number]) => [number, role] as const);
    const reference = `test-payout-${world.transfers.size + 1}`;
    return {
      what: "payout",
      name: "newPayout",
      label: "Send",
      inputs: [
        { name: "amount", label: "Amount in XOF", value: "5000", required: true },
        {
          name: "msisdn",
          type: "tel",
          label: "To",
          value: profile.testNumbers.success,
          suggested: numbers,
          required: true,
        },
        { name: "reference", label: "Reference", value: reference, required: true },
        { name: "description", label: "Description" },
      ],
    };
  },
  hint: "No transfer so far. Send one here or with POST /v1/transactions.",
});

function transferColumns(view: View): readonly Column<Transfer>[] {
  return [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Reference", cell: (transfer) => transferLink(view, transfer) },
    { title: "To", cell: ({ msisdn }) => <Code>{msisdn}</Code> },
    {
      title: "Description",
      kind: "wide",
      cell: ({ description, failureReason }) => (
        <>
          {redactAndTruncate(view, description ?? "")}
          {failureReason !== null && <span class="soft"> {redactAndTruncate(view, failureReason)}</span>}
        </>
      ),
    },
    { title: "Status", cell: ({ status }) => <Status of={status} /> },
    { title: "Fee", kind: "number", cell: ({ fee }) => <Amount money={fee} /> },
    { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
  ];
}

export const transferPage = createDetailPage<Transfer>({
  path: "/transfers/:id",
  get: ({ company, id }) => getOrNotFound(company.world.transfers.get(plainId(id)), "transaction", id),
  title: (view, { reference }) => `Transfer ${redactAndTruncate(view, reference)}`,
  terms: (view, transfer) => {
    const { failureReason, description, batchId: batch } = transfer;
    const fact = (text: string): string => redactAndTruncate(view, text, FACT_MAX);
    return [
      ["Status", <Status of={transfer.status} />, failureReason !== null && ` ${fact(failureReason)}`],
      ["Amount", <Amount money={transfer.amount} />],
      ["Fee", <Amount money={transfer.fee} />],
      ["Total", <Amount money={totalOf(transfer)} />],
      ["To", <Code>{transfer.msisdn}</Code>],
      ["Reference", <Code>{fact(transfer.reference)}</Code>],
      ["Description", description === undefined ? <span class="soft">none</span> : fact(description)],
      ["Id", <Code>{transactionId(transfer.id)}</Code>],
      batch !== null && ["Batch", batchLink(view, { id: batch })],
      ["Created", <Time at={transfer.createdAt} />],
    ];
  },
  steering: renderSteering,
});

function renderSteering(view: View, transfer: Transfer) {
  const { status } = transfer;
  if (status !== "pending")
    return <p class="soft">Nothing more can happen to this transfer: {status} is its last state.</p>;
  const shared = { view, fields: { id: transactionId(transfer.id) } };
  const reason = { name: "reason", label: "Reason", placeholder: "recipient_unreachable" };
  return (
    <>
      <Action {...shared} name="complete" label="Complete" />
      <Action {...shared} name="fail" label="Fail" inputs={[reason]} tone="danger" />
    </>
  );
}

export const batchesPage = createListPage<Batch>({
  path: "/batches",
  title: "Batches",
  lead: "Transfers that were requested together, newest first.",
  names: ["batch", "batches"],
  table: ({ company }) => company.world.batches,
  searchedBy: "id, status",
  textsOf: (batch, { profile }) => [batch.id, shownBatchStatus(batch, profile)],
  columns: (view) => [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "Id",
      kind: "wide",
      cell: (batch) => batchLink(view, batch),
    },
    { title: "Transfers", kind: "number", cell: ({ transactionIds }) => String(transactionIds.length) },
    { title: "Pending", kind: "number", cell: ({ open }) => String(open) },
    { title: "Status", cell: (batch) => <Status of={shownBatchStatus(batch, view.company.profile)} /> },
    { title: "Fees", kind: "number", cell: ({ totalFee }) => <Amount money={totalFee} /> },
    { title: "Total", kind: "number", cell: ({ totalAmount }) => <Amount money={totalAmount} /> },
  ],
  hint: "No batch so far. POST /v1/transactions/batch sends several transfers at once.",
});

export const batchPage = createDetailPage<Batch>({
  path: "/batches/:id",
  get: ({ company, id }) => getOrNotFound(company.world.batches.get(plainId(id)), "batch", id),
  title: (_, { transactionIds: { length } }) => `Batch of ${pluralize(length, "transfer")}`,
  isBatch: true,
  terms: ({ company }, batch) => [
    ["Status", <Status of={shownBatchStatus(batch, company.profile)} />],
    ["Total", <Amount money={batch.totalAmount} />],
    ["Of it fees", <Amount money={batch.totalFee} />],
    ["Transfers", String(batch.transactionIds.length)],
    ["Still pending", String(batch.open)],
    ["Id", <Code>{batchId(batch.id)}</Code>],
    ["Created", <Time at={batch.createdAt} />],
  ],
  parts: renderTransfers,
});

/** The transfers of a batch in the order of the request. */
function renderTransfers(view: View, { id, transactionIds }: Batch) {
  return (
    <TablePanel
      caption="Its transfers"
      note={<a href={linkTo(view, "/transfers", { q: batchId(id) })}>All in the list of transfers</a>}
      rows={transactionIds.flatMap((one) => view.company.world.transfers.get(one) ?? [])}
      most={RELATED_SHOWN}
      idOf={({ id }) => id}
      empty="It has no transfers."
      columns={transferColumns(view).filter(({ title }) => title !== "Created")}
    />
  );
}
