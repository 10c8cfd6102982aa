import type { Child } from "hono/jsx";
import type {
  Counted,
  Coverage,
  CoverageSection,
  OperationCoverage,
} from "../../../../sandbox/observation/coverage-report.js";
import { redactCoverage, sectionTitles } from "../../../../sandbox/observation/render-coverage.js";
import { Code, Pill } from "../parts/show.js";
import { DataTable } from "../parts/table.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { describeRendered } from "../../../../sandbox/state/rules.js";

export const coveragePage: DashboardPage = {
  path: "/coverage",
  title: "Coverage",
  lead: "What the client under test met of the contract, and what it never met. It outlives a reset.",
  render: (view) => {
    const coverage = redactCoverage(view.sandbox.coverage.of(view.company), view.redactor);
    return (
      <>
        <Summary coverage={coverage} />
        <Operations operations={coverage.operations} />
        <div class="panels">
          <Transitions coverage={coverage} />
          <Causes coverage={coverage} />
          <Topics coverage={coverage} />
          <Rules coverage={coverage} />
        </div>
        <OpenPoints view={view} coverage={coverage} />
      </>
    );
  },
};

function Summary({ coverage: { percent, met, total, sections } }: { readonly coverage: Coverage }) {
  const shown = ["operations", "transitions", "causes", "topics"] as const satisfies CoverageSection[];
  return (
    <section class="panel">
      <h2 class="visually-hidden">In all</h2>
      <p class="big">
        {percent} % <span class="soft">{`${met} of ${total}`}</span>
      </p>
      <progress value={met} max={Math.max(1, total)} aria-label="Met of the contract">
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

/** Each operation against each status that it answers. What can never come is empty. */
function Operations({ operations }: { readonly operations: Coverage["operations"] }) {
  const statuses = [...new Set(operations.map(({ status }) => status))].sort((a, b) => a - b);
  const byOperation = new Map<string, OperationCoverage[]>();
  for (const item of operations) {
    const name = `${item.method} ${item.path}`;
    byOperation.set(name, [...(byOperation.get(name) ?? []), item]);
  }
  return (
    <section class="stack">
      <h2>{sectionTitles.operations}</h2>
      <p class="soft legend">
        <Met count={3} met /> met, with how often · <Met count={0} met={false} /> never met · empty: does not answer so
      </p>
      <div class="scroll" tabindex={0} role="region" aria-label="Operations and statuses">
        <table class="matrix">
          <caption class="visually-hidden">Operations and the statuses that they answer</caption>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              {statuses.map((status) => (
                <th scope="col" class="mark">
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...byOperation].map(([name, items]) => (
              <tr>
                <th scope="row">
                  <Code>{name}</Code>
                </th>
                {statuses.map((status) => {
                  const item = items.find((one) => one.status === status);
                  return (
                    <td class="mark" title={item?.means}>
                      {item !== undefined && <Met {...item} />}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A mark and a number, and words for those who see neither. */
function Met({ met, count }: Counted) {
  return met ? (
    <span class="met yes">
      <span aria-hidden="true">✓ {count}</span>
      <span class="visually-hidden">met {count} times</span>
    </span>
  ) : (
    <span class="met no">
      <span aria-hidden="true">○</span>
      <span class="visually-hidden">never met</span>
    </span>
  );
}

interface PartProps<Item> {
  readonly section: CoverageSection;
  readonly items: readonly Item[];
  readonly what: string;
  readonly describe: (item: Item) => Child;
  readonly empty?: string;
}

function Part<Item extends Counted>({ section, items, what, describe, empty = "" }: PartProps<Item>) {
  const title = sectionTitles[section];
  return (
    <section class="panel">
      <h2>
        {title} <span class="soft">{`${items.filter(({ met }) => met).length} of ${items.length}`}</span>
      </h2>
      <DataTable
        caption={title}
        rows={items}
        empty={empty}
        columns={[
          { title: what, kind: "wide", cell: describe },
          { title: "Met", kind: "number", cell: ({ met, count }) => <Met met={met} count={count} /> },
        ]}
      />
    </section>
  );
}

function Transitions({ coverage: { transitions } }: { readonly coverage: Coverage }) {
  return (
    <Part
      section="transitions"
      items={transitions}
      what="Transition"
      describe={({ resource, from, action, to }) => (
        <>
          <span class="soft">{resource}</span> {from} → {to} <span class="soft">({action})</span>
        </>
      )}
    />
  );
}

function Causes({ coverage: { causes } }: { readonly coverage: Coverage }) {
  return (
    <Part
      section="causes"
      items={causes}
      what="Cause"
      describe={({ of, cause, status }) => (
        <>
          <Code>{cause}</Code> <span class="soft">{status ?? of}</span>
        </>
      )}
    />
  );
}

function Topics({ coverage: { topics } }: { readonly coverage: Coverage }) {
  return (
    <Part
      section="topics"
      items={topics}
      what="Topic"
      describe={({ topic, delivered, met }) => (
        <>
          <Code>{topic}</Code>
          {!met && delivered > 0 && <span class="soft"> delivered, never acknowledged</span>}
        </>
      )}
    />
  );
}

function Rules({ coverage: { rules } }: { readonly coverage: Coverage }) {
  return (
    <Part
      section="rules"
      items={rules}
      what="Rule"
      empty="There was no rule."
      describe={(rule) => <Code>{describeRendered(rule)}</Code>}
    />
  );
}

/** "which assumptions a client's green test rests on". */
function OpenPoints({ view, coverage: { openPoints } }: { readonly view: View; readonly coverage: Coverage }) {
  const met = openPoints.filter((point) => point.met);
  return (
    <section class="stack">
      <h2>What the results rest on</h2>
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
            cell: ({ setting }) => (
              <a href={linkTo(view, `/profile/${setting}`)}>
                <Code>{setting}</Code>
              </a>
            ),
          },
          { title: "Value", kind: "wide", cell: ({ value }) => <Code>{JSON.stringify(value)}</Code> },
          {
            title: "Choice",
            cell: ({ isDefault }) => (isDefault ? <Pill>default</Pill> : <Pill tone="info">changed</Pill>),
          },
          { title: "Times", kind: "number", cell: ({ count }) => count },
        ]}
      />
    </section>
  );
}
