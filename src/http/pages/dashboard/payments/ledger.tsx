import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { accountIds, type LedgerEntry, ledgerEntryTypes } from "../../../../domain/model/account.js";
import { toXof } from "../../../../domain/values/money.js";
import { Action, Field } from "../parts/action.js";
import { Hint, List, type ListSpec } from "../parts/list.js";
import { entryColumns } from "../parts/detail.js";
import { Amount } from "../parts/show.js";
import { Facts, Panel } from "../parts/table.js";
import { orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import { type DashboardPage, linkTo, type View } from "../view/view.js";
import { renderBalancePlot } from "./balance-plot.js";

const entries: ListSpec<LedgerEntry> = {
  path: "/ledger",
  title: "Ledger entries",
  names: ["entry", "entries"],
  table: ({ world }) => world.ledger,
  filters: [{ name: "type", label: "Kind of entry", values: () => ledgerEntryTypes, valueOf: ({ type }) => type }],
  search: {
    by: "id of entry, charge or transfer",
    exactly: (text, { world }) => world.ledger.get(text),
    texts: ({ id, resource }) => [id, resource ?? ""],
  },
  columns: entryColumns,
  hint: () => <></>,
};

const meanings = {
  balance: "what GET /v1/balance shows",
  pending: "debited for transfers that are not final",
  wallets: "what customers received less what they paid",
  fees: "what the service earned",
  capital: "openings and adjustments",
} as const;

export const ledgerPage: DashboardPage = {
  path: entries.path,
  title: "Ledger",
  lead: "Every movement of money, in double entry: the postings of an entry add up to nothing.",
  render: (view) => {
    const { company } = view;
    return (
      <>
        {company.world.ledger.size === 0 ? <NoEntry view={view} /> : <BalancePanel view={view} />}
        <div class="panels">
          <Panel title="Accounts">
            <Facts
              of={accountIds.map((account) => [
                account,
                <Amount money={balanceOf(company, account)} />,
                <span class="soft"> {meanings[account]}</span>,
              ])}
            />
          </Panel>
          <Panel title="Set the balance">
            <Action view={view} name="balance" label="Set" example={{ balance: "250000" }} tone="quiet">
              <Field
                name="balance"
                label="XOF"
                placeholder={String(toXof(balanceOf(company)))}
                hint="An entry says that it was adjusted."
                required
              />
            </Action>
          </Panel>
        </div>
        <List view={view} spec={entries} />
      </>
    );
  },
};

function BalancePanel({ view }: { readonly view: View }) {
  const { company, query } = view;
  const along = query["along"] === "entries" ? "entries" : "time";
  const all = company.world.ledger.values();
  const hrefOf = (along: string | undefined): string => linkTo(view, entries.path, { ...query, along });
  return (
    <Panel title="Balance over time">
      {renderBalancePlot(all, company.now(), along)}
      {all[0]?.at !== company.now() && (
        <nav class="filter" aria-label="What goes from left to right">
          <a href={hrefOf(undefined)} aria-current={along === "time" ? "true" : undefined}>
            by time
          </a>
          <a href={hrefOf("entries")} aria-current={along === "entries" ? "true" : undefined}>
            entry by entry
          </a>
        </nav>
      )}
    </Panel>
  );
}

function NoEntry({ view }: { readonly view: View }) {
  return (
    <Hint of="Set the balance" line={curlOf(view, orderOf("balance", { balance: "250000" }))}>
      No money has moved: the account was opened without any. This gives it some.
    </Hint>
  );
}
