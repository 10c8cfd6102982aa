import type { RuleKind } from "../../../../domain/model/rule.js";
import { describeRendered, renderRule } from "../../../../sandbox/state/rules.js";
import { Action, Choice, TextArea } from "../parts/action.js";
import { Pager, TALL_ROWS_SHOWN } from "../parts/list.js";
import { Code, Pill } from "../parts/show.js";
import { DataTable, Panel, Section } from "../parts/table.js";
import { searchList } from "../view/search-list.js";
import type { DashboardPage, View } from "../view/view.js";

export const rulesPage: DashboardPage = {
  path: "/rules",
  title: "Rules",
  lead: "How the world misbehaves. The newest rule that matches applies, and no other; times counts down and the rule goes.",
  render: (view) => (
    <>
      {renderInForce(view)}
      {view.switchedOff.length > 0 && renderSwitchedOff(view)}
      {renderAdd(view)}
    </>
  ),
};

function renderInForce(view: View) {
  const { company, redactor } = view;
  const { rules } = company.world;
  const list = searchList(rules, { limit: TALL_ROWS_SHOWN, cursor: view.query["cursor"] });
  const shown = (value: unknown): string => JSON.stringify(redactor.value(value));
  const removeAll = rules.size > 1 && <Action view={view} name="removeRules" label="Switch all off" tone="danger" />;
  return (
    <Section title="In force" note={removeAll}>
      <DataTable
        caption="Rules in force"
        rows={list.rows.map(renderRule)}
        idOf={({ id }) => id}
        empty="No rule is in force: everything goes as the contract says."
        columns={[
          { title: "Rule", cell: ({ name, id }) => <b>{name === null ? id : redactor.text(name)}</b> },
          { title: "On", cell: ({ on }) => <Pill>{on}</Pill> },
          {
            title: "Match and then",
            kind: "wide",
            cell: ({ match, then }) => (
              <>
                <span class="soft">match </span>
                <Code>{Object.keys(match).length === 0 ? "all" : shown(match)}</Code>
                <br />
                <span class="soft">then </span>
                <Code>{shown(then)}</Code>
              </>
            ),
          },
          { title: "Left", kind: "number", cell: ({ times }) => times ?? "always" },
          { title: "Fired", kind: "number", cell: ({ fired }) => fired },
          {
            title: "",
            cell: (rule) => {
              const describes = `Switch off the rule ${redactor.text(describeRendered(rule))}`;
              const shared = { view, fields: { id: rule.id }, describes };
              return <Action {...shared} name="removeRule" label="Switch off" tone="quiet" />;
            },
          },
        ]}
      />
      <Pager view={view} path="/rules" list={list} />
    </Section>
  );
}

function renderSwitchedOff(view: View) {
  return (
    <Section title="Switched off">
      <DataTable
        caption="Rules that were switched off here"
        rows={view.switchedOff}
        empty=""
        columns={[
          { title: "Rule", kind: "wide", cell: ({ text }) => <Code>{view.redactor.text(text)}</Code> },
          {
            title: "",
            cell: ({ name, text }) => {
              const describes = `Switch on the rule ${view.redactor.text(name ?? text)}`;
              const shared = { view, fields: { rule: text }, describes, curl: false };
              return <Action {...shared} name="addRule" label="Switch on" tone="quiet" />;
            },
          },
        ]}
      />
    </Section>
  );
}

function renderAdd(view: View) {
  const chosen = ruleExamples.find(({ title }) => title === view.query["example"]) ?? ruleExamples[0];
  const text = JSON.stringify(chosen?.rule, undefined, 2);
  return (
    <Panel title="Add a rule">
      <form method="get" class="row" action="rules">
        {view.sandbox.defaultCompany !== view.company && <input type="hidden" name="company" value={view.company.id} />}
        <Choice
          name="example"
          label="Start from an example"
          choices={ruleExamples.map(({ title }) => [title, title])}
          chosen={chosen?.title}
          submits
        />
        <button class="act quiet scriptless">Take it</button>
      </form>
      <Action view={view} name="addRule" label="Add the rule" example={{ rule: text }}>
        <TextArea name="rule" label="Rule, as JSON: {name?, on, match?, then, times?}" rows={9}>
          {text}
        </TextArea>
      </Action>
    </Panel>
  );
}

/** A rule to start from. A test adds each of them. */
interface RuleExample {
  readonly title: string;
  readonly rule: { readonly on: RuleKind } & Readonly<Record<string, unknown>>;
}

export const ruleExamples: readonly RuleExample[] = [
  {
    title: "Request: the answer is lost after the work is done, once",
    rule: {
      name: "answer lost",
      on: "request",
      match: { method: "POST", path: "/v1/transactions" },
      then: { fault: "reset", commit: true },
      times: 1,
    },
  },
  {
    title: "Request: only the second payout is answered by 500",
    rule: {
      name: "second payout",
      on: "request",
      match: { method: "POST", path: "/v1/transactions", nth: 2 },
      then: { status: 500, commit: true },
      times: 1,
    },
  },
  {
    title: "Request: a transfer that has ended is read as pending, once",
    rule: {
      name: "stale read",
      on: "request",
      match: { path: "/v1/transactions/:id" },
      then: { stale: true },
      times: 1,
    },
  },
  {
    title: "Request: 503 three times",
    rule: { name: "unavailable", on: "request", match: { path: "/v1/charges" }, then: { status: 503 }, times: 3 },
  },
  {
    title: "Request: 429 with Retry-After",
    rule: {
      name: "too many requests",
      on: "request",
      match: { method: "GET" },
      then: { status: 429, headers: { "retry-after": "2" } },
      times: 3,
    },
  },
  { title: "Request: every answer comes 2 s later", rule: { name: "slow", on: "request", then: { delay: "2s" } } },
  {
    title: "Request: the answer is cut in the middle",
    rule: { name: "malformed", on: "request", match: { method: "GET" }, then: { fault: "malformed" }, times: 1 },
  },
  {
    title: "Transfer: fails above 100 000 XOF",
    rule: {
      name: "limit",
      on: "transfer",
      match: { amount: { $gt: 100_000 } },
      then: { outcome: "failed", reason: "limit_exceeded" },
    },
  },
  { title: "Transfer: completes two hours later", rule: { name: "late", on: "transfer", then: { after: "2h" } } },
  { title: "Transfer: never ends", rule: { name: "stuck", on: "transfer", then: { outcome: "pending" }, times: 1 } },
  {
    title: "Payment: declined twice",
    rule: { name: "declined", on: "payment", then: { outcome: "failed", error: "insufficient_funds" }, times: 2 },
  },
  {
    title: "Payment: its result comes 5 minutes later",
    rule: { name: "slow payment", on: "payment", then: { outcome: "paid", after: "5m" } },
  },
  {
    title: "Delivery: each webhook comes twice",
    rule: { name: "twice", on: "delivery", match: { topic: "charges/events" }, then: { duplicate: 1 } },
  },
  { title: "Delivery: one hour late", rule: { name: "late webhook", on: "delivery", then: { delay: "1h" } } },
  {
    title: "Delivery: with a forged signature, once",
    rule: { name: "forged", on: "delivery", then: { corruptSignature: true }, times: 1 },
  },
  {
    title: "Delivery: the webhook comes before the answer",
    rule: { name: "too early", on: "delivery", match: { data: { status: "paid" } }, then: { before: "response" } },
  },
  {
    title: "Delivery: after the next event of the same charge",
    rule: { name: "overtaken", on: "delivery", match: { data: { status: "paid" } }, then: { hold: "next" }, times: 1 },
  },
  {
    title: "Delivery: held until this rule is switched off",
    rule: { name: "held", on: "delivery", then: { hold: "end" } },
  },
  {
    title: "Delivery: the first acknowledgement is lost, and a retry comes",
    rule: { name: "acknowledgement lost", on: "delivery", then: { loseAnswers: 1 }, times: 1 },
  },
  {
    title: "Delivery: a forged copy comes first",
    rule: { name: "forged first", on: "delivery", then: { duplicate: 1, corruptSignature: "first" }, times: 1 },
  },
  {
    title: "Delivery: in reverse order",
    rule: { name: "reversed", on: "delivery", match: { topic: "charges/events" }, then: { reverse: true } },
  },
  { title: "Delivery: never sent", rule: { name: "dropped", on: "delivery", then: { drop: true }, times: 1 } },
];
