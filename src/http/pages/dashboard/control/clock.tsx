import type { DueItem } from "../../../../kernel/due-work.js";
import { toIso } from "../../../../kernel/instant.js";
import { Action, Field } from "../parts/action.js";
import { Code, Pill, Status, Time, describeDistance } from "../parts/show.js";
import { DataTable, Facts, Panel } from "../parts/table.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { type DueKind, shownSubject } from "../../../../domain/model/work.js";

/** Of what is due, as much as one looks at. */
const DUE_SHOWN = 25;

export const clockPage: DashboardPage = {
  path: "/clock",
  title: "Clock",
  lead: "Everything with a time hangs on this company's own clock. It never skips by itself.",
  render: (view) => (
    <>
      <div class="panels">
        <Now view={view} />
        <Move view={view} />
      </div>
      <Due view={view} />
    </>
  ),
};

function Now({ view }: { readonly view: View }) {
  const { company } = view;
  const { mode } = company.clock;
  const next = company.world.due.peek();
  return (
    <Panel title="Now">
      <p class="big">
        <Time at={company.now()} /> <Status of={mode} />
      </p>
      <Facts
        of={[
          ["Due", `${company.world.due.size} ${company.world.due.size === 1 ? "timer" : "timers"}`],
          ["Next", next === undefined ? "nothing" : describeDistance(next.dueAt, company.now())],
        ]}
      />
      {mode === "running" ? (
        <Action view={view} name="freeze" label="Freeze" />
      ) : (
        <Action view={view} name="resume" label="Let it run" />
      )}
    </Panel>
  );
}

function Move({ view }: { readonly view: View }) {
  const { company } = view;
  return (
    <Panel title="Move it forward">
      <div class="actions">
        <Action view={view} name="advance" fields={{ by: "1m" }} label="Advance 1 min" tone="quiet" />
        <Action view={view} name="advance" fields={{ by: "1h" }} label="Advance 1 h" tone="quiet" />
        <Action view={view} name="next" label="To the next due" tone="quiet" />
      </div>
      <Action view={view} name="advance" example={{ by: "2h30m" }} label="Advance" tone="quiet" inline>
        <Field id="by" name="by" label="By a duration" placeholder="2h30m, PT1H, or milliseconds" required />
      </Action>
      <Action
        view={view}
        name="set"
        example={{ now: toIso(company.now() + 86_400_000) }}
        label="Go there"
        inline
        tone="quiet"
      >
        <Field
          id="now"
          name="now"
          label="To a time, ISO 8601"
          placeholder={toIso(company.now() + 86_400_000)}
          required
        />
      </Action>
      <Action view={view} name="settle" label="Wait until no webhook is in flight" tone="quiet" />
    </Panel>
  );
}

function Due({ view }: { readonly view: View }) {
  const { company } = view;
  const { due } = company.world;
  const soonest = due.values().slice(0, DUE_SHOWN);
  const more = due.size - soonest.length;
  return (
    <section class="stack">
      <h2>What is due next</h2>
      <DataTable
        caption="What is due next"
        rows={soonest}
        idOf={({ id }) => `due-${id}`}
        empty="Nothing is due. A charge that waits for its payment, a transfer that settles, a webhook that is sent again would stand here."
        columns={[
          {
            title: "At",
            cell: ({ dueAt }) => (
              <>
                <Time at={dueAt} /> <span class="soft">{describeDistance(dueAt, company.now())}</span>
              </>
            ),
          },
          { title: "What", cell: ({ kind }) => <Pill>{words[kind]}</Pill> },
          { title: "Of", kind: "wide", cell: (item) => <Subject view={view} item={item} /> },
        ]}
      />
      {more > 0 && <p class="soft">And {more} more.</p>}
    </section>
  );
}

const words: Readonly<Record<DueKind, string>> = {
  "charge.expire": "charge is dropped",
  "transfer.settle": "transfer settles",
  "payment.settle": "payment settles",
  "delivery.attempt": "webhook is sent",
};

function Subject({ view, item }: { readonly view: View; readonly item: DueItem<DueKind> }) {
  const id = subjectOf(view, item);
  return (
    <a href={linkTo(view, sections[item.kind] + encodeURIComponent(id))}>
      <Code>{id}</Code>
    </a>
  );
}

const sections: Readonly<Record<DueKind, string>> = {
  "charge.expire": "/charges/",
  "payment.settle": "/charges/",
  "transfer.settle": "/transfers/",
  "delivery.attempt": "/deliveries/",
};

/** A payment is seen at its charge. */
function subjectOf({ company: { world } }: View, item: DueItem<DueKind>): string {
  const payment = item.kind === "payment.settle" ? world.payments.get(item.subject) : undefined;
  return payment?.chargeId ?? shownSubject(item);
}
