import { isDeepStrictEqual } from "node:util";
import { type DescribedSetting, describeProfile } from "../../../../domain/profile/describe-profile.js";
import { findSetting } from "../../../../domain/profile/settings.js";
import { profileValuesOf } from "../../../control/render-control.js";
import { Action } from "../parts/action.js";
import { Code, CodeLink, Pill, Sentence, DataTable, Panel, TablePanel } from "../parts/show.js";
import { type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";

export const profilePage: DashboardPage = {
  path: "/profile",
  title: "Profile",
  lead: "The contract leaves these points open. Each setting has a default, alternatives and a quote of the contract.",
  render: (view) => (
    <DataTable
      caption="Settings"
      rows={describeProfile(profileValuesOf(view.company))}
      idOf={({ setting }) => `setting-${setting}`}
      empty=""
      columns={[
        {
          title: "Setting",
          cell: ({ setting }) => <CodeLink href={linkTo(view, `/profile/${setting}`)} text={setting} />,
        },
        { title: "What it says", kind: "wide", cell: ({ summary }) => <Sentence text={summary} /> },
        {
          title: "Value",
          cell: (setting) => (
            <span class="value">
              <Code>{showValue(setting.value)}</Code>
              {!isDeepStrictEqual(setting.value, setting.default) && <Pill tone="info">changed</Pill>}
            </span>
          ),
        },
      ]}
    />
  ),
};

export const settingPage: DashboardPage = {
  path: "/profile/:id",
  title: ({ id }) => id,
  render: (view) => {
    const found = describeProfile(profileValuesOf(view.company)).find(({ setting: path }) => path === view.id);
    const described = getOrNotFound(found, "setting", view.id);
    const { setting, summary, contract } = described;
    const value = JSON.stringify(described.value, undefined, 2);
    const input = { name: "value", label: "Value, as JSON", rows: 6, value, required: true };
    return (
      <>
        <Panel title="What it says">
          <p>
            <Sentence text={summary} />
          </p>
          <blockquote>
            <Sentence text={contract} />
          </blockquote>
        </Panel>
        {renderValues(view, described)}
        <Panel title="Another value">
          <Action view={view} name="setting" label="Set" fields={{ setting }} inputs={[input]} />
        </Panel>
      </>
    );
  },
};

/** The default and its alternatives. */
function renderValues(view: View, { setting, value: current, default: byDefault }: DescribedSetting) {
  const alternatives = findSetting(setting)?.alternatives ?? [];
  return (
    <TablePanel
      caption="Values"
      rows={[{ value: byDefault, form: false, effect: "The default." }, ...alternatives]}
      empty=""
      columns={[
        {
          title: "Value",
          cell: ({ value, form }) => (form === true ? showValue(value) : <Code>{showValue(value)}</Code>),
        },
        { title: "What it does", kind: "wide", cell: ({ effect }) => <Sentence text={effect} /> },
        {
          title: "",
          cell: ({ value, form }) => {
            if (isDeepStrictEqual(value, current)) return <Pill tone="good">chosen</Pill>;
            if (form === true) return false;
            const shared = { view, fields: { setting, value: JSON.stringify(value) }, curl: false };
            const describes = `Choose ${showValue(value)}`;
            return <Action {...shared} name="setting" label="Choose" describes={describes} tone="quiet" />;
          },
        },
      ]}
    />
  );
}

function showValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
