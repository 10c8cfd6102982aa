import { type DueKind, shownSubject } from "../../../../domain/model/work.js";
import { toIso } from "../../../../kernel/time/instant.js";
import { Action, Field } from "../parts/action.js";
import { CodeLink, describeDistance, Pill, Status, Time } from "../parts/show.js";
import { DataTable, Facts, Panel, Section } from "../parts/table.js";
import { type DashboardPage, linkTo, type View } from "../view/view.js";

const DUE_SHOWN = 25;

export const clockPage: DashboardPage = {
  path: "/clock",
  title: "Clock",
  lead: "Everything with a time hangs on this company's own clock. It never skips by itself.",
  render: (view) => (
    <>
      <div class="panels">
        {renderNow(view)}
        {renderMove(view)}
      </div>
      {renderDue(view)}
    </>
  ),
};

function renderNow(view: View) {
  const { clock, world } = view.company;
  const now = view.company.now();
  const next = world.due.peek();
  return (
    <Panel title="Now">
      <p class="big">
        <Time at={now} /> <Status of={clock.mode} />
      </p>
      <Facts
        of={[
          ["Due", `${world.due.size} ${world.due.size === 1 ? "timer" : "timers"}`],
          ["Next", next === undefined ? "nothing" : describeDistance(next.dueAt, now)],
        ]}
      />
      {clock.mode === "running" ? (
        <Action view={view} name="freeze" label="Freeze" />
      ) : (
        <Action view={view} name="resume" label="Let it run" />
      )}
    </Panel>
  );
}

function renderMove(view: View) {
  const tomorrow = toIso(view.company.now() + 86_400_000);
  return (
    <Panel title="Move it forward">
      <div class="actions">
        <Action view={view} name="advance" fields={{ by: "1m" }} label="Advance 1 min" tone="quiet" />
        <Action view={view} name="advance" fields={{ by: "1h" }} label="Advance 1 h" tone="quiet" />
        <Action view={view} name="next" label="To the next due" tone="quiet" />
      </div>
      <Action view={view} name="advance" example={{ by: "2h30m" }} label="Advance" tone="quiet" inline>
        <Field name="by" label="By a duration" placeholder="2h30m, PT1H, or milliseconds" required />
      </Action>
      <Action view={view} name="set" example={{ now: tomorrow }} label="Go there" inline tone="quiet">
        <Field name="now" label="To a time, ISO 8601" placeholder={tomorrow} required />
      </Action>
      <Action view={view} name="settle" label="Wait until no webhook is in flight" tone="quiet" />
    </Panel>
  );
}

/** What happens, and where its resource is shown. A payment is shown with its charge. */
const kinds: Readonly<Record<DueKind, readonly [what: string, path: string]>> = {
  "charge.expire": ["charge is dropped", "/charges/"],
  "payment.settle": ["payment settles", "/charges/"],
  "transfer.settle": ["transfer settles", "/transfers/"],
  "delivery.attempt": ["webhook is sent", "/deliveries/"],
};

function renderDue(view: View) {
  const { company } = view;
  const { due, payments } = company.world;
  const more = due.size - DUE_SHOWN;
  return (
    <Section title="What is due next">
      <DataTable
        caption="What is due next"
        rows={due.values().slice(0, DUE_SHOWN)}
        idOf={({ id }) => `due-${id}`}
        empty="Nothing is due. A charge that waits for its payment, a transfer that settles, a webhook that is sent again would stand here."
        columns={[
          {
            title: "At",
            cell: ({ dueAt }) => [
              <Time at={dueAt} />,
              <span class="soft"> {describeDistance(dueAt, company.now())}</span>,
            ],
          },
          { title: "What", cell: ({ kind }) => <Pill>{kinds[kind][0]}</Pill> },
          {
            title: "Of",
            kind: "wide",
            cell: (item) => {
              const payment = item.kind === "payment.settle" ? payments.get(item.subject) : undefined;
              const id = payment?.chargeId ?? shownSubject(item);
              return <CodeLink href={linkTo(view, kinds[item.kind][1] + encodeURIComponent(id))} text={id} />;
            },
          },
        ]}
      />
      {more > 0 && <p class="soft">And {more} more.</p>}
    </Section>
  );
}
