import { batchStatuses, listBatches, searchedFor } from "../view/lists.js";
import { shownBatchStatus } from "../../../../contract/transfers.js";
import { apiCurl } from "../view/api-curl.js";
import type { DashboardPage } from "../view/page.js";
import { batchUrl } from "../parts/links.js";
import { Filter, Pager } from "../parts/pager.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Amount, Code, Status, Time } from "../parts/show.js";
import { DataTable } from "../parts/table.js";
import type { View } from "../view/view.js";
import { batchId } from "../../../../domain/values/ids.js";

const path = "/batches";

export const batchesPage: DashboardPage = {
  path,
  title: "Batches",
  lead: "Transfers that were asked for together, newest first.",
  render: (view) => {
    const { company, query } = view;
    if (company.world.batches.size === 0) return <NoBatch view={view} />;
    const list = listBatches(company, query);
    return (
      <>
        <Tools>
          <Filter view={view} path={path} name="status" label="Status" values={batchStatuses(company)} />
          <Search view={view} path={path} by="id" />
        </Tools>
        <DataTable
          caption="Batches"
          rows={list.rows}
          idOf={({ id }) => id}
          empty={searchedFor(query) === undefined ? "No batch has this status." : "No batch was found."}
          columns={[
            { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: "Id",
              kind: "wide",
              cell: (batch) => (
                <a href={batchUrl(view, batch)}>
                  <Code>{batchId(batch.id)}</Code>
                </a>
              ),
            },
            { title: "Transfers", kind: "number", cell: ({ transactionIds }) => String(transactionIds.length) },
            { title: "Pending", kind: "number", cell: ({ open }) => String(open) },
            { title: "Status", cell: (batch) => <Status of={shownBatchStatus(batch, company.profile)} /> },
            { title: "Fees", kind: "number", cell: ({ totalFee }) => <Amount money={totalFee} /> },
            { title: "Total", kind: "number", cell: ({ totalAmount }) => <Amount money={totalAmount} /> },
          ]}
        />
        <CutNote list={list} what="batches" />
        <Pager view={view} path={path} list={list} />
      </>
    );
  },
};

function NoBatch({ view }: { readonly view: View }) {
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
}
