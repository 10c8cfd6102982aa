import { type Charge, chargeLifecycle } from "../../../../domain/model/charge.js";
import { statusesOf } from "../../../../kernel/lifecycle.js";
import { ChargeLink, ShortId } from "../parts/links.js";
import { Hint, createListPage } from "../parts/list.js";
import { Amount, Status, Time } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { redactAndTruncate } from "../view/text.js";

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
