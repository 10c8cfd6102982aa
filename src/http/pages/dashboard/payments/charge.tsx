import { FACT_MAX, said, shortened } from "../view/said.js";
import { textsIn } from "../../checkout/texts.js";
import { showMsisdn, testNumberChoices } from "../../checkout/test-number-choices.js";
import { drawCharge } from "../parts/lifecycle-drawing.js";
import { RELATED_SHOWN, pendingPaymentsOf, relatedTo } from "../view/related.js";
import { visitsOfCharge } from "../parts/visits.js";
import type { DashboardPage } from "../view/page.js";
import { Action, Choice, Field } from "../parts/action.js";
import { Lifecycle } from "../parts/lifecycle.js";
import { foundOr } from "../parts/not-found.js";
import { DeliveriesOf, EntriesOf, RequestsAbout } from "../parts/related.js";
import { Amount, Code, Status, Text, Time, describeDistance } from "../parts/show.js";
import { DataTable, Facts, Panel } from "../parts/table.js";
import type { View } from "../view/view.js";
import { type Charge, dueOf, refundableOf } from "../../../../domain/model/charge.js";
import { toXof } from "../../../../domain/values/money.js";
import { dueId } from "../../../../domain/model/work.js";

export const chargePage: DashboardPage = {
  path: "/charges/:id",
  title: (view) => `Charge ${said(view, chargeOf(view).externalId)}`,
  render: async (view) => {
    const { company, sandbox } = view;
    const related = await relatedTo(company, sandbox.observationOf(company.id).journal.entries, chargeOf(view));
    const charge = chargeOf(view);
    const visits = visitsOfCharge(charge, related.events);
    return (
      <>
        <div class="panels">
          <Terms view={view} charge={charge} />
          <Steering view={view} charge={charge} />
        </div>
        <Panel title="Lifecycle">
          <Lifecycle drawing={drawCharge(visits)} visits={visits} what="charge" />
        </Panel>
        <Payments view={view} charge={charge} />
        <RequestsAbout view={view} some={related.requests} />
        <DeliveriesOf view={view} some={related.deliveries} />
        <EntriesOf view={view} some={related.entries} />
      </>
    );
  },
};

function chargeOf({ company, id }: View): Charge {
  return foundOr(company.world.charges.get(id), "charge", id);
}

interface Props {
  readonly view: View;
  readonly charge: Charge;
}

function Terms({ view, charge }: Props) {
  const { redactor, company } = view;
  const { id, status, droppedReason, amount, paid, refunded, fee, feeRate, attempts, createdAt, expiresAt } = charge;
  return (
    <Panel title="Terms">
      <Facts
        of={[
          [
            "Status",
            <>
              <Status of={status} />
              {droppedReason !== null && ` ${said(view, droppedReason, FACT_MAX)}`}
            </>,
          ],
          ["Amount", <Amount money={amount} />],
          ["Due", <Amount money={dueOf(charge)} />],
          ["Paid", <Amount money={paid} />],
          ["Refunded", <Amount money={refunded} />],
          [
            "Fee",
            <>
              <Amount money={fee} /> <span class="soft">rate {feeRate}</span>
            </>,
          ],
          ["Attempts", String(attempts)],
          ["Description", said(view, charge.description, FACT_MAX)],
          ["externalId", <Code>{said(view, charge.externalId, FACT_MAX)}</Code>],
          ["Id", <Code>{id}</Code>],
          ["Created", <Time at={createdAt} />],
          ...(status === "due"
            ? [
                [
                  "Drops at",
                  <>
                    <Time at={expiresAt} />{" "}
                    <span class="soft">{describeDistance(expiresAt, company.now())} if nobody pays</span>
                  </>,
                ] as const,
              ]
            : []),
          ["If completed", <Code>{said(view, charge.onCompletedRedirectionUrl, FACT_MAX)}</Code>],
          ["If canceled", <Code>{said(view, charge.onCanceledRedirectionUrl, FACT_MAX)}</Code>],
        ]}
      />
      <details id="metadata">
        <summary>Metadata</summary>
        <Text label="Metadata">{shortened(JSON.stringify(redactor.value(charge.metadata), undefined, 2))}</Text>
      </details>
    </Panel>
  );
}

function Steering({ view, charge }: Props) {
  if (charge.status === "due") return <WhileDue view={view} charge={charge} />;
  const left = refundableOf(charge);
  const mayRefund =
    charge.status === "paid" ||
    (charge.status === "refunded_partially" && view.company.profile.refunds.further === "allowed");
  if (!mayRefund)
    return (
      <Panel title="Do">
        <p class="soft">
          Nothing more can happen to this charge: {charge.status.replaceAll("_", " ")} is its last state.
        </p>
      </Panel>
    );
  const part = String(Math.max(1, Math.floor(toXof(left) / 2)));
  return (
    <Panel title="Do">
      <p>
        <Amount money={left} /> can be refunded.
      </p>
      <Action view={view} name="refund" fields={{ id: charge.id }} label="Refund all that is left" />
      <Action
        view={view}
        name="refund"
        fields={{ id: charge.id }}
        label="Refund a part"
        example={{ amount: part }}
        tone="quiet"
      >
        <Field id="amount" name="amount" label="XOF" placeholder={part} required />
      </Action>
    </Panel>
  );
}

function WhileDue({ view, charge: { id } }: Props) {
  const { testNumbers } = view.company.profile;
  const numbers = testNumberChoices(view.company.profile, textsIn.en);
  return (
    <Panel title="Do">
      <p>
        <a href={`${view.root}checkout/${id}`}>The customer's payment page</a>
      </p>
      <div class="actions">
        <Action view={view} name="pay" fields={{ id }} label="Pay" />
        <Action
          view={view}
          name="pay"
          fields={{ id, msisdn: testNumbers.failure }}
          label="Fail a payment"
          tone="quiet"
        />
        <Action view={view} name="cancel" fields={{ id }} label="Cancel as the customer" tone="quiet" />
      </div>
      <Action
        view={view}
        name="pay"
        fields={{ id }}
        label="Pay with this number"
        example={{ msisdn: testNumbers.limit }}
        tone="quiet"
      >
        <Choice
          id="payer"
          name="msisdn"
          label="Test number"
          choices={numbers.map(({ msisdn, effect }) => [msisdn, `${showMsisdn(msisdn)}: ${effect}`])}
          chosen={testNumbers.limit}
        />
      </Action>
      <Action view={view} name="drop" fields={{ id }} label="Drop" example={{ reason: "expired" }} tone="danger">
        <Field id="reason" name="reason" label="Reason" placeholder={view.company.profile.charges.droppedReason} />
      </Action>
    </Panel>
  );
}

/** Attempts and refunds as the API's answers list them. */
function Payments({ view, charge }: Props) {
  const { due } = view.company.world;
  const pending = pendingPaymentsOf(view.company.world, charge);
  return (
    <section class="stack">
      <h2>Payments and refunds</h2>
      {pending.slice(0, RELATED_SHOWN).map(({ id, msisdn }) => {
        const at = due.get(dueId("payment.settle", id))?.dueAt;
        return (
          <p id={`pending-${id}`}>
            <Status of="pending" /> A rule holds the result of a payment by <Code>{msisdn}</Code> back
            {at === undefined ? (
              "."
            ) : (
              <>
                {" "}
                until <Time at={at} /> ({describeDistance(at, view.company.now())}).
              </>
            )}
          </p>
        );
      })}
      <DataTable
        caption="Payments and refunds"
        rows={charge.entries.slice(0, RELATED_SHOWN)}
        idOf={({ id }) => id}
        empty="Nobody has tried to pay."
        columns={[
          { title: "Entry", cell: ({ type }) => type },
          { title: "Phone number", cell: ({ recipientMsisdn }) => <Code>{recipientMsisdn}</Code> },
          { title: "Id", kind: "wide", cell: ({ id }) => <Code>{id}</Code> },
          {
            title: "Status",
            cell: ({ status, error }) => (
              <>
                <Status of={status} />
                {error !== null && <span class="soft"> {said(view, error)}</span>}
              </>
            ),
          },
          { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
        ]}
      />
      {charge.entries.length > RELATED_SHOWN && <p class="soft">And {charge.entries.length - RELATED_SHOWN} older.</p>}
    </section>
  );
}
