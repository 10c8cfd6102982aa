import { type DescribedSetting, describeProfile } from "../../../../domain/profile/describe-profile.js";
import { findSetting, settings } from "../../../../domain/profile/settings.js";
import { UsageError } from "../../../../kernel/problem.js";
import { quote } from "../../../../kernel/text.js";
import { didYouMean } from "../../../../kernel/suggest.js";
import { profileValuesOf } from "../../../control/render-control.js";
import { Action } from "../parts/action.js";
import { Code, Pill, Sentence } from "../parts/show.js";
import { DataTable, Facts, Panel } from "../parts/table.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { isDefault, showValue } from "./profile.js";

export const settingPage: DashboardPage = {
  path: "/profile/:id",
  title: ({ id }) => id,
  render: (view) => {
    const setting = getSetting(view);
    return (
      <>
        <p>
          <Sentence text={setting.summary} />
        </p>
        <div class="panels">
          <Panel title="Now">
            <Facts
              of={[
                ["Value", <Code>{showValue(setting.value)}</Code>],
                ["Default", <Code>{showValue(setting.default)}</Code>],
                ["", isDefault(setting) ? <Pill>default</Pill> : <Pill tone="info">changed</Pill>],
              ]}
            />
            {!isDefault(setting) && (
              <Action
                view={view}
                name="setting"
                label="Back to the default"
                fields={{ setting: setting.setting, value: "null" }}
                tone="quiet"
              />
            )}
          </Panel>
          <Panel title="The contract">
            <blockquote>
              <Sentence text={setting.contract} />
            </blockquote>
          </Panel>
        </div>
        <Alternatives view={view} setting={setting} />
        <Other view={view} setting={setting} />
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

interface SettingProps {
  readonly view: View;
  readonly setting: DescribedSetting;
}

function Alternatives({ view, setting }: SettingProps) {
  const alternatives = findSetting(setting.setting)?.alternatives ?? [];
  return (
    <section class="stack">
      <h2>Alternatives</h2>
      <DataTable
        caption="Alternatives"
        rows={alternatives}
        empty="There is none."
        columns={[
          {
            title: "Value",
            cell: ({ value, form }) => (form === true ? showValue(value) : <Code>{showValue(value)}</Code>),
          },
          { title: "What it does", kind: "wide", cell: ({ effect }) => <Sentence text={effect} /> },
          {
            title: "",
            cell: ({ value, form }) =>
              form !== true && (
                <Action
                  view={view}
                  name="setting"
                  label="Choose"
                  describes={`Choose ${showValue(value)}`}
                  fields={{ setting: setting.setting, value: JSON.stringify(value) }}
                  tone="quiet"
                />
              ),
          },
        ]}
      />
    </section>
  );
}

function Other({ view, setting }: SettingProps) {
  const value = JSON.stringify(setting.value, undefined, 2);
  return (
    <Panel title="Another value">
      <Action
        view={view}
        name="setting"
        label="Set"
        fields={{ setting: setting.setting }}
        example={{ value: JSON.stringify(setting.value) }}
      >
        <label class="labelled" for="value">
          <span>Value, as JSON</span>
          <textarea
            id="value"
            name="value"
            class="input"
            rows={Math.min(12, value.split("\n").length + 1)}
            spellcheck={false}
            required
          >
            {value}
          </textarea>
        </label>
      </Action>
    </Panel>
  );
}
