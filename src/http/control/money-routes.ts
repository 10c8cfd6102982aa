import { object } from "../../kernel/fields.js";
import { parseRequest } from "../../contract/parse.js";
import { renderBalance } from "../../contract/queries.js";
import { accountIds } from "../../domain/model/account.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { fromXof, toXof } from "../../domain/values/money.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { amount, pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";
import { renderEntry } from "./render-control.js";

const balanceRequest = object({ balance: amount });
const query = listQuery({});

/** The balance, and the double-entry ledger that explains it. */
export const moneyRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/balance", company: "selected", handle: ({ company }) => renderBalance(balanceOf(company)) },
  {
    method: "PUT",
    path: "/balance",
    company: "selected",
    takes: "json",
    handle: ({ company, body, run }) => {
      run(setBalance, fromXof(parseRequest(balanceRequest, body).balance));
      return renderBalance(balanceOf(company));
    },
  },
  {
    method: "GET",
    path: "/ledger",
    company: "selected",
    query: pagingParameters,
    handle: ({ company, query: given }) => ({
      ...listOf(company.world.ledger, parseRequest(query, given, "query"), {}, renderEntry),
      ...renderBalance(balanceOf(company)),
      accounts: Object.fromEntries(accountIds.map((account) => [account, toXof(balanceOf(company, account))])),
    }),
  },
];
