import type { Batch } from "../../../../domain/model/transfer.js";
import { batchUrl } from "../parts/links.js";
import { Hint, createListPage } from "../parts/list.js";
import { Amount, Status, Time, CodeLink } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { batchId, plainId } from "../../../../domain/values/ids.js";
import { shownBatchStatus } from "../../../../contract/transfers.js";

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
