import { said } from "../view/said.js";
import { listTransfers, searchedFor, transferStatuses } from "../view/lists.js";
import { transactionId } from "../../../../domain/values/ids.js";
import { apiCurl } from "../view/api-curl.js";
import type { DashboardPage } from "../view/page.js";
import { ShortId, TransferLink } from "../parts/links.js";
import { Filter, Pager } from "../parts/pager.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Amount, Code, Status, Time } from "../parts/show.js";
import { type Column, DataTable } from "../parts/table.js";
import type { View } from "../view/view.js";
import type { Transfer } from "../../../../domain/model/transfer.js";

const path = "/transfers";

export const transfersPage: DashboardPage = {
  path,
  title: "Transfers",
  lead: "Money sent to wallets, newest first. The API calls them transactions.",
  render: (view) => {
    if (view.company.world.transfers.size === 0) return <NoTransfer view={view} />;
    const list = listTransfers(view.company, view.query);
    return (
      <>
        <Tools>
          <Filter view={view} path={path} name="status" label="Status" values={transferStatuses} />
          <Search view={view} path={path} by="id, reference, phone number" />
        </Tools>
        <DataTable
          caption="Transfers"
          rows={list.rows}
          idOf={({ id }) => id}
          empty={searchedFor(view.query) === undefined ? "No transfer has this status." : "No transfer was found."}
          columns={transferColumns(view)}
        />
        <CutNote list={list} what="transfers" />
        <Pager view={view} path={path} list={list} />
      </>
    );
  },
};

export function transferColumns(view: View): readonly Column<Transfer>[] {
  return [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Reference", cell: (transfer) => <TransferLink view={view} transfer={transfer} /> },
    { title: "Id", cell: ({ id }) => <ShortId id={transactionId(id)} /> },
    { title: "To", cell: ({ msisdn }) => <Code>{msisdn}</Code> },
    {
      title: "Description",
      kind: "wide",
      cell: ({ description, failureReason }) => (
        <>
          {description === undefined ? "" : said(view, description)}
          {failureReason !== null && <span class="soft"> {said(view, failureReason)}</span>}
        </>
      ),
    },
    { title: "Status", cell: ({ status }) => <Status of={status} /> },
    { title: "Fee", kind: "number", cell: ({ fee }) => <Amount money={fee} /> },
    { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
  ];
}

function NoTransfer({ view }: { readonly view: View }) {
  const { testNumbers } = view.company.profile;
  const order = { amount: 5_000, msisdn: testNumbers.success, reference: "payout-1", type: "transfer" };
  return (
    <Hint of="Send money" line={apiCurl(view, "POST", "/v1/transactions", order)}>
      No transfer so far. This sends one to the test number that succeeds; its page shows where it stands and settles it
      by hand.
    </Hint>
  );
}
