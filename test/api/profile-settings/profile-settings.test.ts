import { describe, expect, it } from "vitest";
import { settings } from "../../../src/domain/profile/settings.js";
import { credentials, readAnswer, requestInit } from "../../support/call.js";
import { type OpenWorld, useWorlds } from "../../support/describe-api.js";
import { startReceiver } from "../../support/receiver.js";
import { cases, named, nested } from "./cases.js";
import type { SettingWorld } from "./setting-case.js";

const openPlain: OpenWorld = useWorlds();

/** Its answers are not compared with the API description, which takes long to make for each profile: the slow suite does that. */
async function open(): Promise<SettingWorld> {
  const world = await openPlain({ forges: true });
  const api: SettingWorld["api"] = async (method, path, body, headers) =>
    readAnswer(await world.app.request(path, requestInit(method, body, { ...credentials, ...headers })));
  return { ...world, api, receiver: startReceiver };
}

describe.each(named)("%s", (_, { setting, value, shows }) => {
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
