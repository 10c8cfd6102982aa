import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { accountIds } from "../../../../domain/model/account.js";
import { toXof } from "../../../../domain/values/money.js";
import { Action } from "../parts/action.js";
import { createListPage } from "../parts/list.js";
import { entryColumns } from "../parts/detail.js";
import { Amount, Facts, Panel } from "../parts/show.js";

const meanings = {
  balance: "what GET /v1/balance shows",
  pending: "debited for transfers that are not final",
  wallets: "what customers received minus what they paid",
  fees: "what the service earned",
  capital: "opening balances and adjustments",
} as const;

export const ledgerPage = createListPage({
  path: "/ledger",
  title: "Ledger",
  lead: "Every movement of money, in double entry: the postings of an entry add up to zero.",
  names: ["entry", "entries"],
  table: ({ company }) => company.world.ledger,
  searchedBy: "kind or id",
  textsOf: ({ id, type, resource }) => [id, type.replaceAll(".", " "), resource ?? ""],
  columns: entryColumns,
  above: (view) => (
    <div class="panels">
      <Panel title="Accounts">
        <Facts
          of={accountIds.map((account) => [
            account,
            <Amount money={balanceOf(view.company, account)} />,
            <span class="soft"> {meanings[account]}</span>,
          ])}
        />
      </Panel>
      <Panel title="Set the balance">
        <Action
          view={view}
          name="balance"
          label="Set"
          tone="quiet"
          inputs={[
            { name: "balance", label: "XOF", placeholder: String(toXof(balanceOf(view.company))), required: true },
          ]}
        />
      </Panel>
    </div>
  ),
  hint: "No money has moved yet.",
});
