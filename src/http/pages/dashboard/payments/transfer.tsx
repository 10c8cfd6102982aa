import { transactionId } from "../../../../domain/values/ids.js";
import { type Transfer, totalOf, transferLifecycle } from "../../../../domain/model/transfer.js";
import { dueId } from "../../../../domain/model/work.js";
import { Action, Field } from "../parts/action.js";
import { LifecyclePanel, visitsOf } from "../parts/lifecycle.js";
import { Related, rowsAbout } from "../parts/related.js";
import { Amount, Code, Status, Time, describeDistance, CodeLink } from "../parts/show.js";
import { Facts, Panel } from "../parts/table.js";
import { FACT_MAX, redactAndTruncate } from "../view/text.js";
import { type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";
import { batchId, plainId } from "../../../../domain/values/ids.js";

export const transferPage: DashboardPage = {
  path: "/transfers/:id",
  title: (view) => `Transfer ${redactAndTruncate(view, transferOf(view).reference)}`,
  render: (view) => {
    const transfer = transferOf(view);
    const { createdAt, updatedAt, status } = transfer;
    const visits = visitsOf(
      rowsAbout(view.company.world.events, transfer),
      ({ subject }) => (subject.kind === "transaction" ? subject.transaction.status : undefined),
      { status: "pending", at: createdAt },
      { status, at: updatedAt },
    );
    return (
      <>
        <div class="panels">
          <Terms view={view} transfer={transfer} />
          <Panel title="Do">
            <Steering view={view} transfer={transfer} />
          </Panel>
        </div>
        <LifecyclePanel lifecycle={transferLifecycle} visits={visits} what="transfer" />
        <Related view={view} resource={transfer} isPaid />
      </>
    );
  },
};

function transferOf({ company, id }: View): Transfer {
  return getOrNotFound(company.world.transfers.get(plainId(id)), "transaction", id);
}

interface Props {
  readonly view: View;
  readonly transfer: Transfer;
}

function Terms({ view, transfer }: Props) {
  const { failureReason, description, batchId: batch } = transfer;
  const fact = (text: string): string => redactAndTruncate(view, text, FACT_MAX);
  return (
    <Panel title="Terms">
      <Facts
        of={[
          ["Status", <Status of={transfer.status} />, failureReason !== null && ` ${fact(failureReason)}`],
          ["Amount", <Amount money={transfer.amount} />],
          ["Fee", <Amount money={transfer.fee} />],
          ["Total", <Amount money={totalOf(transfer)} />],
          ["To", <Code>{transfer.msisdn}</Code>],
          ["Reference", <Code>{fact(transfer.reference)}</Code>],
          ["Description", description === undefined ? <span class="soft">none</span> : fact(description)],
          ["Id", <Code>{transactionId(transfer.id)}</Code>],
          batch !== null && [
            "Batch",
            <CodeLink href={linkTo(view, `/batches/${batchId(batch)}`)} text={batchId(batch)} />,
          ],
          ["Created", <Time at={transfer.createdAt} />],
          ["Updated", <Time at={transfer.updatedAt} />],
        ]}
      />
    </Panel>
  );
}

function Steering({ view, transfer }: Props) {
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
        <Field id="reason" name="reason" label="Reason" placeholder={reason} />
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
