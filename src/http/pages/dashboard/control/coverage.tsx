import type { Child } from "hono/jsx";
import type { Counted, Coverage, CoverageSection } from "../../../../sandbox/coverage/coverage-report.js";
import { redactCoverage, sectionTitles } from "../../../../sandbox/coverage/render-coverage.js";
import { describeRendered } from "../../../../sandbox/state/rules.js";
import { Code, CodeLink, Pill, soft } from "../parts/show.js";
import { DataTable, Panel, Section } from "../parts/table.js";
import { type DashboardPage, linkTo, type View } from "../view/view.js";

export const coveragePage: DashboardPage = {
  path: "/coverage",
  title: "Coverage",
  lead: "What the client under test covered of the contract, and what it did not. A reset keeps it.",
  render: (view) => {
    const coverage = redactCoverage(view.sandbox.coverage.of(view.company), view.redactor);
    const { transitions, causes, topics, rules } = coverage;
    return (
      <>
        {renderSummary(coverage)}
        {renderOperations(coverage)}
        <div class="panels">
          <Part section="transitions" items={transitions} what="Transition">
            {({ resource, from, action, to }) => [soft(resource), ` ${from} → ${to} `, soft(`(${action})`)]}
          </Part>
          <Part section="causes" items={causes} what="Cause">
            {({ of, cause, status }) => [<Code>{cause}</Code>, " ", soft(String(status ?? of))]}
          </Part>
          <Part section="topics" items={topics} what="Topic">
            {({ topic, delivered, met }) => [
              <Code>{topic}</Code>,
              !met && delivered > 0 && soft(" delivered, never acknowledged"),
            ]}
          </Part>
          <Part section="rules" items={rules} what="Rule" empty="There was no rule.">
            {(rule) => <Code>{describeRendered(rule)}</Code>}
          </Part>
        </div>
        {renderOpenPoints(view, coverage)}
      </>
    );
  },
};

function renderSummary({ percent, met, total, sections }: Coverage) {
  const shown = ["operations", "transitions", "causes", "topics"] as const satisfies CoverageSection[];
  return (
    <section class="panel">
      <h2 class="visually-hidden">In all</h2>
      <p class="big">
        {percent} % <span class="soft">{`${met} of ${total}`}</span>
      </p>
      <progress value={met} max={Math.max(1, total)} aria-label="Covered of the contract">
        {percent} %
      </progress>
      <dl class="tiles">
        {shown.map((section) => (
          <div>
            <dt>{sectionTitles[section]}</dt>
            <dd>{`${sections[section].met} of ${sections[section].total}`}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** One row for each operation, one column for each status. Statuses that an operation never answers are empty. */
function renderOperations({ operations }: Coverage) {
  const statuses = [...new Set(operations.map(({ status }) => status))].sort((a, b) => a - b);
  const nameOf = ({ method, path }: (typeof operations)[number]): string => `${method} ${path}`;
  return (
    <Section title={sectionTitles.operations}>
      <p class="soft">
        <Met count={3} met /> covered, with how often · <Met count={0} met={false} /> not covered · empty: does not
        answer so
      </p>
      <DataTable
        caption="Operations and the statuses that they answer"
        rows={[...new Set(operations.map(nameOf))]}
        empty=""
        columns={[
          { title: "Operation", kind: "wide", cell: (name) => <Code>{name}</Code> },
          ...statuses.map((status) => ({
            title: String(status),
            cell: (name: string) => {
              const item = operations.find((one) => one.status === status && nameOf(one) === name);
              return item && <Met {...item} title={item.means} />;
            },
          })),
        ]}
      />
    </Section>
  );
}

/** A mark and a number, with words for screen readers. */
function Met({ met, count, title }: Counted & { readonly title?: string }) {
  return (
    <span class={`met ${met ? "yes" : "no"}`} title={title}>
      <span aria-hidden="true">{met ? `✓ ${count}` : "○"}</span>
      <span class="visually-hidden">{met ? `covered ${count} times` : "not covered"}</span>
    </span>
  );
}

interface PartProps<Item> {
  readonly section: CoverageSection;
  readonly items: readonly Item[];
  readonly what: string;
  readonly empty?: string;
  readonly children: (item: Item) => Child;
}

function Part<Item extends Counted>({ section, items, what, empty = "", children }: PartProps<Item>) {
  const title = sectionTitles[section];
  return (
    <Panel title={title} note={`${items.filter(({ met }) => met).length} of ${items.length}`}>
      <DataTable
        caption={title}
        rows={items}
        empty={empty}
        columns={[
          { title: what, kind: "wide", cell: children },
          { title: "Covered", kind: "number", cell: ({ met, count }) => <Met met={met} count={count} /> },
        ]}
      />
    </Panel>
  );
}

/** "which assumptions a client's green test rests on". */
function renderOpenPoints(view: View, { openPoints }: Coverage) {
  const met = openPoints.filter((point) => point.met);
  return (
    <Section title="What the results rest on">
      <p class="soft">
        The contract leaves these open, and what was answered or done depended on the choice: {met.length} of{" "}
        {openPoints.length}.
      </p>
      <DataTable
        caption="Settings that an answer depended on"
        rows={met}
        empty="Nothing was asked yet."
        columns={[
          {
            title: "Setting",
            cell: ({ setting }) => <CodeLink href={linkTo(view, `/profile/${setting}`)} text={setting} />,
          },
          { title: "Value", kind: "wide", cell: ({ value }) => <Code>{JSON.stringify(value)}</Code> },
          {
            title: "Choice",
            cell: ({ isDefault }) => (isDefault ? <Pill>default</Pill> : <Pill tone="info">changed</Pill>),
          },
          { title: "Times", kind: "number", cell: ({ count }) => count },
        ]}
      />
    </Section>
  );
}
