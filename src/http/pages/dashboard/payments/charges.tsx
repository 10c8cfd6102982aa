import { type Charge, chargeLifecycle, dueOf, refundableOf } from "../../../../domain/model/charge.js";
import { toXof } from "../../../../domain/values/money.js";
import { showMsisdn, testNumberChoices, textsIn } from "../../checkout/texts.js";
import { Action } from "../parts/action.js";
import { RELATED_SHOWN, createDetailPage } from "../parts/detail.js";
import { Amount, Code, Status, Text, Time, describeDistance, TablePanel } from "../parts/show.js";
import { FACT_MAX, redactAndTruncate, truncateBody, type View, getOrNotFound } from "../view/view.js";
import { statusesOf } from "../../../../kernel/records/lifecycle.js";
import { chargeLink } from "../parts/links.js";
import { createListPage } from "../parts/list.js";

export const chargesPage = createListPage<Charge>({
  path: "/charges",
  title: "Charges",
  lead: "Payments that your application requested, newest first.",
  names: ["charge", "charges"],
  table: ({ company }) => company.world.charges,
  statuses: statusesOf(chargeLifecycle),
  statusesOf: ({ status }) => [status],
  searchedBy: "id, externalId, phone number",
  textsOf: ({ id, externalId, description, entries }) => [
    id,
    externalId,
    description,
    ...entries.map(({ recipientMsisdn }) => recipientMsisdn),
  ],
  columns: (view) => [
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "externalId", cell: (charge) => chargeLink(view, charge) },
    { title: "Description", kind: "wide", cell: ({ description }) => redactAndTruncate(view, description) },
    { title: "Attempts", kind: "number", cell: ({ attempts }) => String(attempts) },
    { title: "Status", cell: ({ status }) => <Status of={status} /> },
    { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
  ],
  make: ({ here, company }) => {
    const list = here.origin + here.pathname;
    const externalId = `test-charge-${company.world.charges.size + 1}`;
    return {
      what: "charge",
      name: "newCharge",
      label: "Create, and open its payment page",
      inputs: [
        { name: "amount", label: "Amount in XOF", value: "10000", required: true },
        { name: "externalId", label: "externalId", value: externalId, required: true },
        { name: "description", label: "Description", value: "Shoes", required: true },
        { name: "onCompletedRedirectionUrl", type: "url", label: "After payment, to", value: list, required: true },
        { name: "onCanceledRedirectionUrl", type: "url", label: "After cancelling, to", value: list, required: true },
      ],
    };
  },
  hint: "No charge so far. Create one here or with POST /v1/charges.",
});

export const chargePage = createDetailPage<Charge>({
  path: "/charges/:id",
  get: ({ company, id }) => getOrNotFound(company.world.charges.get(id), "charge", id),
  title: (view, { externalId }) => `Charge ${redactAndTruncate(view, externalId)}`,
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
      [
        "Metadata",
        <details id="metadata">
          <summary>As JSON</summary>
          <Text label="Metadata">
            {truncateBody(JSON.stringify(view.redactor.value(charge.metadata), undefined, 2))}
          </Text>
        </details>,
      ],
    ];
  },
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
  const amount = { name: "amount", label: "XOF", placeholder: `all: ${toXof(left)}` };
  return [
    <p>
      <Amount money={left} /> can be refunded.
    </p>,
    <Action view={view} name="refund" fields={{ id }} label="Refund" inputs={[amount]} />,
  ];
}

function renderWhileDue(view: View, id: string) {
  const { profile } = view.company;
  const numbers = testNumberChoices(profile, textsIn.en).map(
    ({ msisdn, effect }) => [msisdn, `${showMsisdn(msisdn)}: ${effect}`] as const,
  );
  const number = { name: "msisdn", label: "With this number", choices: numbers };
  const reason = { name: "reason", label: "Reason", placeholder: profile.charges.droppedReason };
  const shared = { view, fields: { id } };
  // A fixture or a copied state may give another company a charge of the same id.
  const company = new URLSearchParams({ company: view.company.id });
  return (
    <>
      <p>
        <a href={`${view.root}checkout/${id}?${String(company)}`}>The customer's payment page</a>
      </p>
      <Action {...shared} name="pay" label="Pay" inputs={[number]} />
      <Action {...shared} name="cancel" label="Cancel as the customer" tone="quiet" />
      <Action {...shared} name="drop" label="Drop" inputs={[reason]} tone="danger" />
    </>
  );
}

/** Payments and refunds in the order of the API's answers. */
function renderPayments(view: View, charge: Charge) {
  return (
    <TablePanel
      caption="Payments and refunds"
      rows={charge.entries}
      most={RELATED_SHOWN}
      idOf={({ id }) => id}
      empty="No payment was attempted."
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
  );
}
