import { balanceOf } from "../../../../domain/accounts/ledger.js";
import { type BalancePlot, plotBalance } from "./balance-plot.js";
import { listEntries } from "../view/lists.js";
import { orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import type { DashboardPage } from "../view/page.js";
import { Action, Field } from "../parts/action.js";
import { Filter, Pager } from "../parts/pager.js";
import { BalanceFigure } from "./plot.js";
import { entryColumns } from "../parts/related.js";
import { CutNote, Hint, Search, Tools } from "../parts/search.js";
import { Amount } from "../parts/show.js";
import { DataTable, Facts, Panel } from "../parts/table.js";
import { type View, linkTo } from "../view/view.js";
import { accountIds, ledgerEntryTypes } from "../../../../domain/model/account.js";
import { toXof } from "../../../../domain/values/money.js";

const path = "/ledger";

const meanings = {
  balance: "what GET /v1/balance shows",
  pending: "debited for transfers that are not final",
  wallets: "what customers received less what they paid",
  fees: "what the service earned",
  capital: "openings and adjustments",
} as const;

export const ledgerPage: DashboardPage = {
  path,
  title: "Ledger",
  lead: "Every movement of money, in double entry: the postings of an entry add up to nothing.",
  render: (view) => {
    const { company, query } = view;
    const along = query["along"] === "entries" ? "entries" : "time";
    const plot = plotBalance(company.world.ledger, { until: company.now(), along });
    const list = listEntries(company, query);
    return (
      <>
        {plot === undefined ? <NoEntry view={view} /> : <BalancePanel view={view} plot={plot} />}
        <div class="panels">
          <Accounts view={view} />
          <Panel title="Set the balance">
            <Action view={view} name="balance" label="Set" example={{ balance: "250000" }} tone="quiet">
              <Field
                id="balance"
                name="balance"
                label="XOF"
                placeholder={String(toXof(balanceOf(company)))}
                hint="An entry says that it was adjusted."
                required
              />
            </Action>
          </Panel>
        </div>
        {plot !== undefined && (
          <>
            <Tools>
              <Filter view={view} path={path} name="type" label="Kind of entry" values={ledgerEntryTypes} />
              <Search view={view} path={path} by="id of entry, charge or transfer" />
            </Tools>
            <DataTable
              caption="Ledger entries"
              rows={list.rows}
              idOf={({ id }) => id}
              empty="No entry was found."
              columns={entryColumns(view)}
            />
            <CutNote list={list} what="entries" />
            <Pager view={view} path={path} list={list} />
          </>
        )}
      </>
    );
  },
};

interface BalanceProps {
  readonly view: View;
  readonly plot: BalancePlot;
}

function BalancePanel({ view, plot }: BalanceProps) {
  const hrefOf = (along: string | undefined): string => linkTo(view, path, { ...view.query, along });
  return (
    <Panel title="Balance over time">
      <BalanceFigure plot={plot} />
      {plot.from !== plot.to && (
        <nav class="filter" aria-label="What goes from left to right">
          <a href={hrefOf(undefined)} aria-current={plot.along === "time" ? "true" : undefined}>
            by time
          </a>
          <a href={hrefOf("entries")} aria-current={plot.along === "entries" ? "true" : undefined}>
            entry by entry
          </a>
        </nav>
      )}
    </Panel>
  );
}

function Accounts({ view: { company } }: { readonly view: View }) {
  return (
    <Panel title="Accounts">
      <Facts
        of={accountIds.map((account) => [
          account,
          <>
            <Amount money={balanceOf(company, account)} /> <span class="soft">{meanings[account]}</span>
          </>,
        ])}
      />
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
