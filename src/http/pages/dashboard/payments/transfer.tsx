import { FACT_MAX, said } from "../view/said.js";
import { transactionId } from "../../../../domain/values/ids.js";
import { drawTransfer } from "../parts/lifecycle-drawing.js";
import { relatedTo } from "../view/related.js";
import { visitsOfTransfer } from "../parts/visits.js";
import type { DashboardPage } from "../view/page.js";
import { Action, Field } from "../parts/action.js";
import { Lifecycle } from "../parts/lifecycle.js";
import { foundOr } from "../parts/not-found.js";
import { DeliveriesOf, EntriesOf, RequestsAbout } from "../parts/related.js";
import { Amount, Code, Status, Time, describeDistance } from "../parts/show.js";
import { Facts, Panel } from "../parts/table.js";
import { type View, linkTo } from "../view/view.js";
import { type Transfer, totalOf } from "../../../../domain/model/transfer.js";
import { dueId } from "../../../../domain/model/work.js";
import { batchId, plainId } from "../../../../domain/values/ids.js";

export const transferPage: DashboardPage = {
  path: "/transfers/:id",
  title: (view) => `Transfer ${said(view, transferOf(view).reference)}`,
  render: async (view) => {
    const { company, sandbox } = view;
    const related = await relatedTo(company, sandbox.observationOf(company.id).journal.entries, transferOf(view));
    const transfer = transferOf(view);
    const visits = visitsOfTransfer(transfer, related.events);
    return (
      <>
        <div class="panels">
          <Terms view={view} transfer={transfer} />
          <Steering view={view} transfer={transfer} />
        </div>
        <Panel title="Lifecycle">
          <Lifecycle drawing={drawTransfer(visits)} visits={visits} what="transfer" />
        </Panel>
        <RequestsAbout view={view} some={related.requests} />
        <DeliveriesOf view={view} some={related.deliveries} />
        <EntriesOf view={view} some={related.entries} />
      </>
    );
  },
};

function transferOf({ company, id }: View): Transfer {
  return foundOr(company.world.transfers.get(plainId(id)), "transaction", id);
}

interface Props {
  readonly view: View;
  readonly transfer: Transfer;
}

function Terms({ view, transfer }: Props) {
  const { status, failureReason, amount, fee, msisdn, reference, description, batchId: batch } = transfer;
  return (
    <Panel title="Terms">
      <Facts
        of={[
          [
            "Status",
            <>
              <Status of={status} />
              {failureReason !== null && ` ${said(view, failureReason, FACT_MAX)}`}
            </>,
          ],
          ["Amount", <Amount money={amount} />],
          ["Fee", <Amount money={fee} />],
          ["Total", <Amount money={totalOf(transfer)} />],
          ["To", <Code>{msisdn}</Code>],
          ["Reference", <Code>{said(view, reference, FACT_MAX)}</Code>],
          [
            "Description",
            description === undefined ? <span class="soft">none</span> : said(view, description, FACT_MAX),
          ],
          ["Id", <Code>{transactionId(transfer.id)}</Code>],
          ...(batch === null
            ? []
            : [
                [
                  "Batch",
                  <a href={linkTo(view, `/batches/${batchId(batch)}`)}>
                    <Code>{batchId(batch)}</Code>
                  </a>,
                ] as const,
              ]),
          ["Created", <Time at={transfer.createdAt} />],
          ["Updated", <Time at={transfer.updatedAt} />],
        ]}
      />
    </Panel>
  );
}

function Steering({ view, transfer }: Props) {
  const id = transactionId(transfer.id);
  if (transfer.status !== "pending")
    return (
      <Panel title="Do">
        <p class="soft">Nothing more can happen to this transfer: {transfer.status} is its last state.</p>
      </Panel>
    );
  return (
    <Panel title="Do">
      <p>{describeEnd(view, transfer)}</p>
      <Action view={view} name="complete" fields={{ id }} label="Complete" />
      <Action
        view={view}
        name="fail"
        fields={{ id }}
        label="Fail"
        example={{ reason: "recipient_unreachable" }}
        tone="danger"
      >
        <Field id="reason" name="reason" label="Reason" placeholder="recipient_unreachable" />
      </Action>
    </Panel>
  );
}

/** What becomes of it by itself. */
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
