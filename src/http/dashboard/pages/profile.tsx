import { isDeepStrictEqual } from "node:util";
import { type DescribedSetting, describeProfile } from "../../../domain/profile/describe-profile.js";
import { groupOf } from "../../../domain/profile/settings.js";
import { profileValuesOf } from "../../control/render-control.js";
import type { DashboardPage } from "../page.js";
import { Code, Pill } from "../parts/show.js";
import { DataTable } from "../parts/table.js";
import { linkTo, type View } from "../view.js";

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
    return [...groups].map(([group, settings]) => <Group view={view} name={group} settings={settings} />);
  },
};

interface GroupProps {
  readonly view: View;
  readonly name: string;
  readonly settings: readonly DescribedSetting[];
}

function Group({ view, name, settings }: GroupProps) {
  return (
    <section class="stack">
      <h2>{name}</h2>
      <DataTable
        caption={`Settings of ${name}`}
        rows={settings}
        empty=""
        idOf={({ setting }) => `setting-${setting}`}
        columns={[
          {
            title: "Setting",
            cell: ({ setting }) => (
              <a href={linkTo(view, `/profile/${setting}`)}>
                <Code>{setting}</Code>
              </a>
            ),
          },
          { title: "What it says", kind: "wide", cell: ({ summary }) => summary },
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
    </section>
  );
}

export function isDefault({ value, default: byDefault }: DescribedSetting): boolean {
  return isDeepStrictEqual(value, byDefault);
}

export function showValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
