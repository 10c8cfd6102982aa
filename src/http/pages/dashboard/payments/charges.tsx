import { said } from "../view/said.js";
import { chargeStatuses, listCharges, searchedFor } from "../view/lists.js";
import { apiCurl } from "../view/api-curl.js";
import type { DashboardPage } from "../view/page.js";
import { ChargeLink, ShortId } from "../parts/links.js";
import { Filter, Pager } from "../parts/pager.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Amount, Status, Time } from "../parts/show.js";
import { DataTable } from "../parts/table.js";
import type { View } from "../view/view.js";

const path = "/charges";

export const chargesPage: DashboardPage = {
  path,
  title: "Charges",
  lead: "Payments that were asked for, newest first.",
  render: (view) => {
    if (view.company.world.charges.size === 0) return <NoCharge view={view} />;
    const list = listCharges(view.company, view.query);
    return (
      <>
        <Tools>
          <Filter view={view} path={path} name="status" label="Status" values={chargeStatuses} />
          <Search view={view} path={path} by="id, externalId, phone number" />
        </Tools>
        <DataTable
          caption="Charges"
          rows={list.rows}
          idOf={({ id }) => id}
          empty={searchedFor(view.query) === undefined ? "No charge has this status." : "No charge was found."}
          columns={[
            { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: "externalId", cell: (charge) => <ChargeLink view={view} charge={charge} /> },
            { title: "Id", cell: ({ id }) => <ShortId id={id} /> },
            { title: "Description", kind: "wide", cell: ({ description }) => said(view, description) },
            { title: "Attempts", kind: "number", cell: ({ attempts }) => String(attempts) },
            { title: "Status", cell: ({ status }) => <Status of={status} /> },
            { title: "Amount", kind: "number", cell: ({ amount }) => <Amount money={amount} /> },
          ]}
        />
        <CutNote list={list} what="charges" />
        <Pager view={view} path={path} list={list} />
      </>
    );
  },
};

function NoCharge({ view }: { readonly view: View }) {
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
}
