import { transactionId } from "../../../../domain/values/ids.js";
import { type Transfer, transferLifecycle } from "../../../../domain/model/transfer.js";
import { statusesOf } from "../../../../kernel/lifecycle.js";
import { ShortId, TransferLink } from "../parts/links.js";
import { Hint, createListPage } from "../parts/list.js";
import { Amount, Code, Status, Time } from "../parts/show.js";
import type { Column } from "../parts/table.js";
import { apiCurl } from "../view/curl.js";
import { redactAndTruncate } from "../view/text.js";
import type { View } from "../view/view.js";
import { plainId } from "../../../../domain/values/ids.js";

export const transfersPage = createListPage<Transfer>({
  path: "/transfers",
  title: "Transfers",
  lead: "Money sent to wallets, newest first. The API calls them transactions.",
  names: ["transfer", "transfers"],
  table: ({ world }) => world.transfers,
  filters: [
    { name: "status", label: "Status", values: () => statusesOf(transferLifecycle), valueOf: ({ status }) => status },
  ],
  search: {
    by: "id, reference, phone number",
    exactly: (text, { world: { transfers } }) => transfers.get(plainId(text)) ?? transfers.findBy("reference", text),
    texts: ({ id, reference, description = "" }) => [id, reference, description],
    numbers: ({ msisdn }) => [msisdn],
  },
  columns: transferColumns,
  hint: (view) => {
    const { success } = view.company.profile.testNumbers;
    const order = { amount: 5_000, msisdn: success, reference: "payout-1", type: "transfer" };
    return (
      <Hint of="Send money" line={apiCurl(view, "POST", "/v1/transactions", order)}>
        No transfer so far. This sends one to the test number that succeeds; its page shows where it stands and settles
        it by hand.
      </Hint>
    );
  },
});

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
