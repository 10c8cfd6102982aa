import { batchId, plainId, transactionId } from "../../../../domain/values/ids.js";
import { type Transfer, totalOf, transferLifecycle } from "../../../../domain/model/transfer.js";
import { dueId } from "../../../../domain/model/work.js";
import { Action, Field } from "../parts/action.js";
import { createDetailPage } from "../parts/detail.js";
import { Amount, Code, CodeLink, Status, Time, describeDistance } from "../parts/show.js";
import type { Column } from "../parts/table.js";
import { FACT_MAX, redactAndTruncate } from "../view/text.js";
import { type View, getOrNotFound, linkTo } from "../view/view.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { ShortId, TransferLink } from "../parts/links.js";
import { Hint, createListPage } from "../parts/list.js";
import { apiCurl } from "../view/curl.js";

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

export const transferPage = createDetailPage<Transfer>({
  path: "/transfers/:id",
  what: "transfer",
  get: ({ company, id }) => getOrNotFound(company.world.transfers.get(plainId(id)), "transaction", id),
  title: (view, { reference }) => `Transfer ${redactAndTruncate(view, reference)}`,
  lifecycle: transferLifecycle,
  statusIn: ({ subject }) => (subject.kind === "transaction" ? subject.transaction.status : undefined),
  movesMoney: true,
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
      batch !== null && ["Batch", <CodeLink href={linkTo(view, `/batches/${batchId(batch)}`)} text={batchId(batch)} />],
      ["Created", <Time at={transfer.createdAt} />],
      ["Updated", <Time at={transfer.updatedAt} />],
    ];
  },
  steering: renderSteering,
});

function renderSteering(view: View, transfer: Transfer) {
  const { status } = transfer;
  if (status !== "pending")
    return <p class="soft">Nothing more can happen to this transfer: {status} is its last state.</p>;
  const fields = { id: transactionId(transfer.id) };
  const reason = "recipient_unreachable";
  return (
    <>
      <p>{describeEnd(view, transfer)}</p>
      <Action view={view} name="complete" fields={fields} label="Complete" />
      <Action view={view} name="fail" fields={fields} label="Fail" example={{ reason }} tone="danger">
        <Field name="reason" label="Reason" placeholder={reason} />
      </Action>
    </>
  );
}

/** What happens to a pending transfer by itself. */
function describeEnd({ company }: View, { id, plan, pollsLeft }: Transfer) {
  const planned = plan.outcome === "failed" ? `fails (${plan.reason})` : "is completed";
  const at = company.world.due.get(dueId("transfer.settle", id))?.dueAt;
  if (plan.outcome === "pending") return "By itself it stays pending for ever.";
  if (pollsLeft !== null) return `By itself it ${planned} with GET number ${pollsLeft} of it from now.`;
  if (at === undefined) return "By itself it stays pending: transfers.settlement is manual.";
  return (
    <>
      By itself it {planned} at <Time at={at} /> ({describeDistance(at, company.now())}).
    </>
  );
}
