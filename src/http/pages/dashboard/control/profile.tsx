import { isDeepStrictEqual } from "node:util";
import { type DescribedSetting, describeProfile } from "../../../../domain/profile/describe-profile.js";
import { findSetting, groupOf, settings } from "../../../../domain/profile/settings.js";
import { UsageError } from "../../../../kernel/messages/problem.js";
import { didYouMean } from "../../../../kernel/messages/suggest.js";
import { quote } from "../../../../kernel/messages/text.js";
import { profileValuesOf } from "../../../control/render-control.js";
import { Action, TextArea } from "../parts/action.js";
import { Code, CodeLink, Pill, Sentence } from "../parts/show.js";
import { DataTable, Facts, Panel, Section } from "../parts/table.js";
import { type DashboardPage, linkTo, type View } from "../view/view.js";

export const profilePage: DashboardPage = {
  path: "/profile",
  title: "Profile",
  lead: "The contract leaves these points open. Each has a default, alternatives, and the contract's own sentence.",
  render: (view) => {
    const described = describeProfile(profileValuesOf(view.company));
    const groups = new Set(described.map(({ setting }) => groupOf(setting)));
    return (
      <>
        {[...groups].map((group) => (
          <Section title={group}>
            <DataTable
              caption={`Settings of ${group}`}
              rows={described.filter(({ setting }) => groupOf(setting) === group)}
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
                      {!isDefault(setting) && <Pill tone="info">changed</Pill>}
                    </span>
                  ),
                },
              ]}
            />
          </Section>
        ))}
      </>
    );
  },
};

export const settingPage: DashboardPage = {
  path: "/profile/:id",
  title: ({ id }) => id,
  render: (view) => {
    const described = getSetting(view);
    const { setting, summary, value, contract } = described;
    const isUnchanged = isDefault(described);
    const json = JSON.stringify(value, undefined, 2);
    return (
      <>
        <p>
          <Sentence text={summary} />
        </p>
        <div class="panels">
          <Panel title="Now">
            <Facts
              of={[
                ["Value", <Code>{showValue(value)}</Code>],
                ["Default", <Code>{showValue(described.default)}</Code>],
                ["", isUnchanged ? <Pill>default</Pill> : <Pill tone="info">changed</Pill>],
              ]}
            />
            {!isUnchanged && (
              <Action
                view={view}
                name="setting"
                label="Back to the default"
                fields={{ setting, value: "null" }}
                tone="quiet"
              />
            )}
          </Panel>
          <Panel title="The contract">
            <blockquote>
              <Sentence text={contract} />
            </blockquote>
          </Panel>
        </div>
        <Alternatives view={view} setting={setting} />
        <Panel title="Another value">
          <Action
            view={view}
            name="setting"
            label="Set"
            fields={{ setting }}
            example={{ value: JSON.stringify(value) }}
          >
            <TextArea name="value" label="Value, as JSON" rows={Math.min(12, json.split("\n").length + 1)}>
              {json}
            </TextArea>
          </Action>
        </Panel>
        <p>
          <a href={linkTo(view, "/profile")}>← All settings</a>
        </p>
      </>
    );
  },
};

function getSetting({ company, id }: View): DescribedSetting {
  const found = describeProfile(profileValuesOf(company)).find(({ setting }) => setting === id);
  if (found !== undefined) return found;
  const known = settings.map(({ path }) => path);
  throw new UsageError("not-found", `No setting has the name ${quote(id)}.${didYouMean(id, known)}`);
}

function Alternatives({ view, setting }: { readonly view: View; readonly setting: string }) {
  return (
    <Section title="Alternatives">
      <DataTable
        caption="Alternatives"
        rows={findSetting(setting)?.alternatives ?? []}
        empty="There is none."
        columns={[
          {
            title: "Value",
            cell: ({ value, form }) => (form === true ? showValue(value) : <Code>{showValue(value)}</Code>),
          },
          { title: "What it does", kind: "wide", cell: ({ effect }) => <Sentence text={effect} /> },
          {
            title: "",
            cell: ({ value, form }) => {
              if (form === true) return false;
              const shared = { view, fields: { setting, value: JSON.stringify(value) } };
              return (
                <Action
                  {...shared}
                  name="setting"
                  label="Choose"
                  describes={`Choose ${showValue(value)}`}
                  tone="quiet"
                />
              );
            },
          },
        ]}
      />
    </Section>
  );
}

function isDefault({ value, default: byDefault }: DescribedSetting): boolean {
  return isDeepStrictEqual(value, byDefault);
}

function showValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
