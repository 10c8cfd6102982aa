import type { RuleKind } from "../../../../domain/model/rule.js";
import { shorten } from "../../../../kernel/messages/text.js";
import { describeRendered, renderRule } from "../../../../sandbox/state/rules.js";
import { Action } from "../parts/action.js";
import { renderPager } from "../parts/list.js";
import { Code, Panel, Pill, TablePanel } from "../parts/show.js";
import { readList } from "../view/read-list.js";
import type { DashboardPage, View } from "../view/view.js";

export const rulesPage: DashboardPage = {
  path: "/rules",
  title: "Faults",
  lead: "Rules make things go wrong on purpose. Only the newest rule that matches applies, as often as it says.",
  render: (view) => (
    <>
      {renderInForce(view)}
      {renderFaults(view)}
      {renderOwn(view)}
    </>
  ),
};

function renderInForce(view: View) {
  const { company, redactor } = view;
  const { rules } = company.world;
  const { rows, older } = readList(rules, view.query["before"]);
  const shown = (value: unknown): string => JSON.stringify(redactor.value(value));
  const removeAll = rules.size > 1 && (
    <Action
      view={view}
      name="removeRules"
      label="Switch all off"
      asks={`Switch all ${rules.size} rules off? A snapshot is saved first.`}
      tone="danger"
    />
  );
  return (
    <TablePanel
      caption="In force"
      note={removeAll}
      rows={rows.map(renderRule)}
      idOf={({ id }) => id}
      empty="No rule is in force. Everything works as the contract says."
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
        { title: "Times left", kind: "number", cell: ({ times }) => times ?? "always" },
        { title: "Fired", kind: "number", cell: ({ fired }) => fired },
        {
          title: "",
          cell: (rule) => {
            const describes = `Switch off the rule ${shorten(redactor.text(describeRendered(rule)), 200)}`;
            const shared = { view, fields: { id: rule.id }, describes, curl: false };
            return <Action {...shared} name="removeRule" label="Switch off" tone="quiet" />;
          },
        },
      ]}
    >
      {renderPager(view, "/rules", older)}
    </TablePanel>
  );
}

function renderFaults(view: View) {
  return (
    <Panel title="Switch on">
      <div class="actions">
        {Object.entries(faults).map(([name, rule]) => {
          const fields = { rule: JSON.stringify({ name, ...rule }) };
          return <Action view={view} name="addRule" label={name} fields={fields} tone="quiet" curl={false} />;
        })}
      </div>
    </Panel>
  );
}

function renderOwn(view: View) {
  const value = JSON.stringify(faults["Decline the next payment"], undefined, 2);
  const label = "Rule, as JSON: {name?, on, match?, then, times?}";
  return (
    <details id="own-rule" open={view.outcome?.refused?.name === "addRule"}>
      <summary>Write a rule as JSON</summary>
      <Action
        view={view}
        name="addRule"
        label="Add the rule"
        inputs={[{ name: "rule", label, rows: 9, value, required: true }]}
      />
    </details>
  );
}

/** Rules to switch on, by their names. A test adds each of them. */
export const faults: Readonly<Record<string, { readonly on: RuleKind } & Readonly<Record<string, unknown>>>> = {
  "Lose the next payout's answer": {
    on: "request",
    match: { method: "POST", path: "/v1/transactions" },
    then: { fault: "reset", commit: true },
    times: 1,
  },
  "Answer three requests about charges with 503": {
    on: "request",
    match: { path: "/v1/charges" },
    then: { status: 503 },
    times: 3,
  },
  "Answer 2 s later": { on: "request", then: { delay: "2s" } },
  "Cut the next answer in the middle": { on: "request", then: { fault: "malformed" }, times: 1 },
  "Fail payouts above 100 000 XOF": {
    on: "transfer",
    match: { amount: { $gt: 100_000 } },
    then: { outcome: "failed", reason: "limit_exceeded" },
  },
  "Complete payouts two hours later": { on: "transfer", then: { after: "2h" } },
  "Leave the next payout pending": { on: "transfer", then: { outcome: "pending" }, times: 1 },
  "Decline the next payment": {
    on: "payment",
    then: { outcome: "failed", error: "insufficient_funds" },
    times: 1,
  },
  "Confirm payments 5 minutes later": { on: "payment", then: { outcome: "paid", after: "5m" } },
  "Send webhooks twice": { on: "delivery", then: { duplicate: 1 } },
  "Send webhooks one hour late": { on: "delivery", then: { delay: "1h" } },
  "Send the next webhook before the answer": { on: "delivery", then: { before: "response" }, times: 1 },
  "Forge the next signature": { on: "delivery", then: { corruptSignature: true }, times: 1 },
  "Lose the next acknowledgement": { on: "delivery", then: { loseAnswers: 1 }, times: 1 },
  "Drop the next webhook": { on: "delivery", then: { drop: true }, times: 1 },
};
