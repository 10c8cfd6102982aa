import { isDeepStrictEqual } from "node:util";
import { type DescribedSetting, describeProfile } from "../../../../domain/profile/describe-profile.js";
import { groupOf } from "../../../../domain/profile/settings.js";
import { profileValuesOf } from "../../../control/render-control.js";
import { Code, Pill, Sentence } from "../parts/show.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";

export const profilePage: DashboardPage = {
  path: "/profile",
  title: "Profile",
  lead: "The contract leaves these points open. Each has a default, alternatives, and the contract's own sentence.",
  render: (view) => {
    const groups = new Map<string, DescribedSetting[]>();
    for (const setting of describeProfile(profileValuesOf(view.company))) {
      const group = groupOf(setting.setting);
      groups.set(group, [...(groups.get(group) ?? []), setting]);
    }
    return (
      <div class="scroll" tabindex={0} role="region" aria-label="Settings">
        <table class="settings">
          <caption class="visually-hidden">Settings</caption>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">What it says</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          {[...groups].map(([name, settings]) => (
            <tbody>
              <tr>
                <th scope="rowgroup" colspan={3}>
                  {name}
                </th>
              </tr>
              {settings.map((setting) => (
                <SettingRow view={view} setting={setting} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    );
  },
};

function SettingRow({ view, setting }: { readonly view: View; readonly setting: DescribedSetting }) {
  return (
    <tr id={`setting-${setting.setting}`}>
      <td>
        <a href={linkTo(view, `/profile/${setting.setting}`)}>
          <Code>{setting.setting}</Code>
        </a>
      </td>
      <td class="wide">
        <Sentence text={setting.summary} />
      </td>
      <td>
        <span class="value">
          <Code>{showValue(setting.value)}</Code>
          {!isDefault(setting) && <Pill tone="info">changed</Pill>}
        </span>
      </td>
    </tr>
  );
}

export function isDefault({ value, default: byDefault }: DescribedSetting): boolean {
  return isDeepStrictEqual(value, byDefault);
}

export function showValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
