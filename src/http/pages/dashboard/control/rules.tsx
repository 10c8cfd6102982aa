import { Action } from "../parts/action.js";
import { Code, Pill } from "../parts/show.js";
import { DataTable, Panel } from "../parts/table.js";
import { ruleExamples } from "./rule-examples.js";
import { searchList } from "../view/search-list.js";
import type { DashboardPage, View } from "../view/view.js";
import { Pager, TALL_ROWS_SHOWN } from "../parts/list.js";
import { type RenderedRule, describeRendered, renderRule } from "../../../../sandbox/state/rules.js";

export const rulesPage: DashboardPage = {
  path: "/rules",
  title: "Rules",
  lead: "How the world misbehaves. The newest rule that matches applies, and no other; times counts down and the rule goes.",
  render: (view) => (
    <>
      <InForce view={view} />
      <SwitchedOff view={view} />
      <Add view={view} />
    </>
  ),
};

function InForce({ view }: { readonly view: View }) {
  const { company, redactor } = view;
  const list = searchList(company.world.rules, { limit: TALL_ROWS_SHOWN, cursor: view.query["cursor"] });
  const shown = (value: unknown): string => JSON.stringify(redactor.value(value));
  return (
    <section class="stack">
      <div class="row">
        <h2>In force</h2>
        {company.world.rules.size > 1 && <Action view={view} name="removeRules" label="Switch all off" tone="danger" />}
      </div>
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
          { title: "", cell: (rule) => <SwitchOff view={view} rule={rule} /> },
        ]}
      />
      <Pager view={view} path="/rules" list={list} />
    </section>
  );
}

function SwitchOff({ view, rule }: { readonly view: View; readonly rule: RenderedRule }) {
  const { redactor } = view;
  const describes = `Switch off the rule ${redactor.text(describeRendered(rule))}`;
  const fields = { id: rule.id };
  return <Action view={view} name="removeRule" label="Switch off" fields={fields} tone="quiet" describes={describes} />;
}

function SwitchedOff({ view }: { readonly view: View }) {
  const rules = view.switchedOff;
  if (rules.length === 0) return <></>;
  return (
    <section class="stack">
      <h2>Switched off</h2>
      <DataTable
        caption="Rules that were switched off here"
        rows={rules}
        empty=""
        columns={[
          { title: "Rule", kind: "wide", cell: ({ text }) => <Code>{view.redactor.text(text)}</Code> },
          {
            title: "",
            cell: ({ name, text }) => (
              <Action
                view={view}
                name="addRule"
                label="Switch on"
                fields={{ rule: text }}
                tone="quiet"
                curl={false}
                describes={`Switch on the rule ${view.redactor.text(name ?? text)}`}
              />
            ),
          },
        ]}
      />
    </section>
  );
}

function Add({ view }: { readonly view: View }) {
  const [first] = ruleExamples;
  const chosen = ruleExamples.find(({ title }) => title === view.query["example"]) ?? first;
  const text = JSON.stringify(chosen?.rule, undefined, 2);
  return (
    <Panel title="Add a rule">
      <form method="get" class="row" action="rules">
        {view.sandbox.defaultCompany !== view.company && <input type="hidden" name="company" value={view.company.id} />}
        <label class="labelled grow" for="example">
          <span>Start from an example</span>
          <select id="example" name="example" class="input" data-submits>
            {ruleExamples.map(({ title }) => (
              <option value={title} selected={title === chosen?.title}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button class="act quiet scriptless">Take it</button>
      </form>
      <Action view={view} name="addRule" label="Add the rule" example={{ rule: text }}>
        <label class="labelled" for="rule">
          <span>
            Rule, as JSON: <code>{"{name?, on, match?, then, times?}"}</code>
          </span>
          <textarea id="rule" name="rule" class="input" rows={9} spellcheck={false} required>
            {text}
          </textarea>
        </label>
      </Action>
    </Panel>
  );
}
