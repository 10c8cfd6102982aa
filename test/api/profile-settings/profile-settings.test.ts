import { describe, expect, it } from "vitest";
import { settings } from "../../../src/domain/profile/settings.js";
import type { Json } from "../../../src/kernel/messages/json.js";
import { type OpenWorld, useWorlds } from "../../support/describe-api.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeCases } from "./charge-cases.js";
import { httpCases } from "./http-cases.js";
import type { SettingCase, SettingWorld } from "./setting-case.js";
import { transferCases } from "./transfer-cases.js";
import { webhookCases } from "./webhook-cases.js";

const cases: readonly SettingCase[] = [...httpCases, ...transferCases, ...chargeCases, ...webhookCases];

const openPlain: OpenWorld = useWorlds();

async function open(profile: { [group: string]: Json } = {}): Promise<SettingWorld> {
  return { ...(await openPlain({ profile })), receiver: startReceiver };
}

/** `transfers.min`, 5 → `{transfers: {min: 5}}`. */
function nested(setting: string, value: Json): { [group: string]: Json } {
  const [group = "", name] = setting.split(".");
  return name === undefined ? { [group]: value } : { [group]: { [name]: value } };
}

const named = cases.map((one) => [`${one.setting}: ${JSON.stringify(one.value)}`, one] as const);

describe.each(named)("%s", (_, { setting, value, shows }) => {
  it("works in a company that was opened with it, and after a reset", async () => {
    const world = await open(nested(setting, value));
    await shows(world);
    expect((await world.control("POST", "/reset")).status).toBe(200);
    await shows(world);
  });

  it("works from the moment it is set, until a reset", async () => {
    const world = await open();
    const byDefault = (await world.control("GET", "/profile")).body;
    const patched = await world.control("PATCH", "/profile", nested(setting, value));
    expect(patched.status).toBe(200);
    await shows(world);
    expect((await world.control("POST", "/reset")).status).toBe(200);
    expect((await world.control("GET", "/profile")).body).toEqual(byDefault);
  });
});

// A case that passes without its setting proves nothing.
it.each(named.filter(([, { waitsByDefault }]) => waitsByDefault === undefined))(
  "%s is not the default behaviour",
  async (_, { shows }) => {
    await expect(shows(await open())).rejects.toThrow(/expected/);
  },
);

it("every alternative of every setting has a case", () => {
  const missing = settings.flatMap(({ path, alternatives }) => {
    const values = cases.filter(({ setting }) => setting === path).map(({ value }) => JSON.stringify(value));
    const literals = alternatives.filter(({ form }) => form === undefined).map(({ value }) => JSON.stringify(value));
    const others = values.filter((value) => !literals.includes(value));
    return [
      ...literals.filter((value) => !values.includes(value)).map((value) => `${path}: ${value}`),
      ...alternatives
        .filter(({ form }) => form === true && others.length === 0)
        .map(({ value }) => `${path}: ${JSON.stringify(value)}`),
    ];
  });
  expect(missing).toEqual([]);
});
