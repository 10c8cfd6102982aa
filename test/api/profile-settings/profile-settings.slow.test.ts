import { describe, expect, it } from "vitest";
import { useWorlds } from "../../support/describe-api.js";
import { startReceiver } from "../../support/receiver.js";
import { named, nested } from "./cases.js";

const openPlain = useWorlds();

describe.each(named)("%s", (_, { setting, value, shows }) => {
  it("works in a company that was opened with it, and after a reset", async () => {
    const world = { ...(await openPlain({ profile: nested(setting, value) })), receiver: startReceiver };
    await shows(world);
    expect((await world.control("POST", "/reset")).status).toBe(200);
    await shows(world);
  });
});
