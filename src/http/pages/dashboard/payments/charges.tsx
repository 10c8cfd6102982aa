import { type Charge, chargeLifecycle, dueOf, refundableOf } from "../../../../domain/model/charge.js";
import { dueId } from "../../../../domain/model/work.js";
import { toXof } from "../../../../domain/values/money.js";
import { showMsisdn, testNumberChoices, textsIn } from "../../checkout/texts.js";
import { Action, Choice, Field } from "../parts/action.js";
import { RELATED_SHOWN, createDetailPage } from "../parts/detail.js";
import { Amount, Code, Status, Text, Time, describeDistance } from "../parts/show.js";
import { DataTable, Section } from "../parts/table.js";
import { FACT_MAX, redactAndTruncate, truncateBody } from "../view/text.js";
import { type View, getOrNotFound } from "../view/view.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { ChargeLink, ShortId } from "../parts/links.js";
import { Hint, createListPage } from "../parts/list.js";
import { apiCurl } from "../view/curl.js";

export const chargesPage = createListPage<Charge>({
  path: "/charges",
  title: "Charges",
  lead: "Payments that were asked for, newest first.",
  names: ["charge", "charges"],
  table: ({ world }) => world.charges,
  filters: [
    { name: "status", label: "Status", values: () => statusesOf(chargeLifecycle), valueOf: ({ status }) => status },
  ],
  search: {
    by: "id, externalId, phone number",
    exactly: (text, { world: { charges } }) => charges.get(text) ?? charges.findBy("externalId", text),
    texts: ({ id, externalId, description }) => [id, externalId, description],
    numbers: ({ entries }) => entries.map(({ recipientMsisdn }) => recipientMsisdn),
  },
  columns: (view) => [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "externalId", cell: (charge) => <ChargeLink view={view} charge={charge} /> },
    { title: "Id", cell: ({ id }) => <ShortId id={id} /> },
    { title: "Description", kind: "wide", cell: ({ description }) => redactAndTruncate(view, description) },
    { title: "Attempts", kind: "number", cell: ({ attempts }) => String(attempts) },
    { title: "Status", cell: ({ status }) => <Status of={status} /> },
    { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
  ],
  hint: (view) => {
    const line = apiCurl(view, "POST", "/v1/charges", {
      amount: 10_000,
      externalId: "order-1",
      description: "Shoes",
      onCanceledRedirectionUrl: "https://shop.example/canceled",
      onCompletedRedirectionUrl: "https://shop.example/completed",
    });
    return (
      <Hint of="Create a charge" line={line}>
        No charge so far. This creates one; its page then shows the payment link, what happens to it, and ways to pay,
        fail or drop it.
      </Hint>
    );
  },
});

export const chargePage = createDetailPage<Charge>({
  path: "/charges/:id",
  what: "charge",
  get: ({ company, id }) => getOrNotFound(company.world.charges.get(id), "charge", id),
  title: (view, { externalId }) => `Charge ${redactAndTruncate(view, externalId)}`,
  lifecycle: chargeLifecycle,
  // A payment that comes too late does not change the status.
  statusIn: ({ type, subject }) =>
    subject.kind === "charge" && type !== "charge.payment_lost" ? subject.charge.status : undefined,
  movesMoney: true,
  terms: (view, charge) => {
    const { status, droppedReason, expiresAt } = charge;
    const fact = (text: string): string => redactAndTruncate(view, text, FACT_MAX);
    return [
      ["Status", <Status of={status} />, droppedReason !== null && ` ${fact(droppedReason)}`],
      ["Amount", <Amount money={charge.amount} />],
      ["Due", <Amount money={dueOf(charge)} />],
      ["Paid", <Amount money={charge.paid} />],
      ["Refunded", <Amount money={charge.refunded} />],
      ["Fee", <Amount money={charge.fee} />, <span class="soft"> rate {charge.feeRate}</span>],
      ["Attempts", String(charge.attempts)],
      ["Description", fact(charge.description)],
      ["externalId", <Code>{fact(charge.externalId)}</Code>],
      ["Id", <Code>{charge.id}</Code>],
      ["Created", <Time at={charge.createdAt} />],
      status === "due" && [
        "Drops at",
        <Time at={expiresAt} />,
        <span class="soft"> {describeDistance(expiresAt, view.company.now())} if nobody pays</span>,
      ],
      ["If completed", <Code>{fact(charge.onCompletedRedirectionUrl)}</Code>],
      ["If canceled", <Code>{fact(charge.onCanceledRedirectionUrl)}</Code>],
    ];
  },
  metadata: ({ redactor }, { metadata }) => (
    <details id="metadata">
      <summary>Metadata</summary>
      <Text label="Metadata">{truncateBody(JSON.stringify(redactor.value(metadata), undefined, 2))}</Text>
    </details>
  ),
  steering: renderSteering,
  parts: renderPayments,
});

function renderSteering(view: View, charge: Charge) {
  const { id, status } = charge;
  if (status === "due") return renderWhileDue(view, id);
  const { further } = view.company.profile.refunds;
  if (status !== "paid" && !(status === "refunded_partially" && further === "allowed"))
    return <p class="soft">Nothing more can happen to this charge: {status.replaceAll("_", " ")} is its last state.</p>;
  const left = refundableOf(charge);
  const part = String(Math.max(1, Math.floor(toXof(left) / 2)));
  return (
    <>
      <p>
        <Amount money={left} /> can be refunded.
      </p>
      <Action view={view} name="refund" fields={{ id }} label="Refund all that is left" />
      <Action view={view} name="refund" fields={{ id }} label="Refund a part" example={{ amount: part }} tone="quiet">
        <Field name="amount" label="XOF" placeholder={part} required />
      </Action>
    </>
  );
}

function renderWhileDue(view: View, id: string) {
  const { profile } = view.company;
  const { failure, limit } = profile.testNumbers;
  const numbers = testNumberChoices(profile, textsIn.en);
  return (
    <>
      <p>
        <a href={`${view.root}checkout/${id}`}>The customer's payment page</a>
      </p>
      <div class="actions">
        <Action view={view} name="pay" fields={{ id }} label="Pay" />
        <Action view={view} name="pay" fields={{ id, msisdn: failure }} label="Fail a payment" tone="quiet" />
        <Action view={view} name="cancel" fields={{ id }} label="Cancel as the customer" tone="quiet" />
      </div>
      <Action
        view={view}
        name="pay"
        fields={{ id }}
        label="Pay with this number"
        example={{ msisdn: limit }}
        tone="quiet"
      >
        <Choice
          id="payer"
          name="msisdn"
          label="Test number"
          choices={numbers.map(({ msisdn, effect }) => [msisdn, `${showMsisdn(msisdn)}: ${effect}`])}
          chosen={limit}
        />
      </Action>
      <Action view={view} name="drop" fields={{ id }} label="Drop" example={{ reason: "expired" }} tone="danger">
        <Field name="reason" label="Reason" placeholder={profile.charges.droppedReason} />
      </Action>
    </>
  );
}

/** Attempts and refunds as the API's answers list them, and payments whose result comes later. */
function renderPayments(view: View, charge: Charge) {
  const { due, payments } = view.company.world;
  const pending = payments.values().filter(({ chargeId }) => chargeId === charge.id);
  const older = charge.entries.length - RELATED_SHOWN;
  return (
    <Section title="Payments and refunds">
      {pending.slice(0, RELATED_SHOWN).map(({ id, msisdn }) => {
        const at = due.get(dueId("payment.settle", id))?.dueAt;
        return (
          <p id={`pending-${id}`}>
            <Status of="pending" /> A rule holds the result of a payment by <Code>{msisdn}</Code> back
            {at !== undefined && [" until ", <Time at={at} />, ` (${describeDistance(at, view.company.now())})`]}.
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
            cell: ({ status, error }) => [
              <Status of={status} />,
              error !== null && <span class="soft"> {redactAndTruncate(view, error)}</span>,
            ],
          },
          { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
        ]}
      />
      {older > 0 && <p class="soft">And {older} older.</p>}
    </Section>
  );
}
