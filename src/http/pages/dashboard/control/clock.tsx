import { type DueKind, shownSubject } from "../../../../domain/model/work.js";
import { toIso } from "../../../../kernel/time/instant.js";
import { Action } from "../parts/action.js";
import { CodeLink, describeDistance, Pill, Status, Time, Panel, TablePanel } from "../parts/show.js";
import { type DashboardPage, linkTo, type View } from "../view/view.js";

const DUE_SHOWN = 25;

export const clockPage: DashboardPage = {
  path: "/clock",
  title: "Clock",
  lead: "Expiry, settlement and webhook retries follow this company's own clock.",
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
  const { clock } = view.company;
  return (
    <Panel title="Now">
      <p class="big">
        <Time at={view.company.now()} /> <Status of={clock.mode} />
      </p>
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
  const duration = { name: "by", label: "By a duration", placeholder: "2h30m", required: true };
  const time = { name: "now", label: "To a time, ISO 8601", placeholder: tomorrow, required: true };
  return (
    <Panel title="Move it forward">
      <div class="actions">
        <Action view={view} name="advance" fields={{ by: "1m" }} label="Advance 1 min" tone="quiet" />
        <Action view={view} name="advance" fields={{ by: "1h" }} label="Advance 1 h" tone="quiet" />
        <Action view={view} name="next" label="To the next due" tone="quiet" />
      </div>
      <Action view={view} name="advance" label="Advance" tone="quiet" inputs={[duration]} />
      <Action view={view} name="set" label="Go there" tone="quiet" inputs={[time]} />
    </Panel>
  );
}

/** What happens, and the path of the page that shows its resource. A payment is shown with its charge. */
const kinds: Readonly<Record<DueKind, readonly [what: string, path: string]>> = {
  "charge.expire": ["charge is dropped", "/charges/"],
  "payment.settle": ["payment settles", "/charges/"],
  "transfer.settle": ["transfer settles", "/transfers/"],
  "delivery.attempt": ["webhook is sent", "/deliveries/"],
};

function renderDue(view: View) {
  const { company } = view;
  const { due, payments } = company.world;
  return (
    <TablePanel
      caption="What is due next"
      rows={due.values()}
      most={DUE_SHOWN}
      idOf={({ id }) => `due-${id}`}
      empty="Nothing is due. Charges that expire, transfers that settle and webhooks that are sent again are listed here."
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
          title: "Resource",
          kind: "wide",
          cell: (item) => {
            const payment = item.kind === "payment.settle" ? payments.get(item.subject) : undefined;
            const id = payment?.chargeId ?? shownSubject(item);
            return <CodeLink href={linkTo(view, kinds[item.kind][1] + encodeURIComponent(id))} text={id} />;
          },
        },
      ]}
    />
  );
}
