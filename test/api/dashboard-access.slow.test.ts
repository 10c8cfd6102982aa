import { describe, expect, it } from "vitest";
import { SESSIONS_MAX } from "../../src/http/pages/dashboard/sessions.js";
import { DASHBOARD, signIn, visit, type Visitor } from "../support/dashboard.js";
import { openWorld, type TestWorld, type WorldOptions } from "../support/world.js";

let world: TestWorld;

function open(options: WorldOptions = {}): Visitor {
  world = openWorld(options);
  return visit(world.app);
}

describe("the admin token", () => {
  it("is remembered for a bounded number of browsers", async () => {
    const first = open({ adminToken: "s3cret" });
    await signIn(first);
    for (let count = 0; count < SESSIONS_MAX; count++) await signIn(visit(world.app));
    expect((await first.get(`${DASHBOARD}/clock`)).status).toBe(303);
  });
});
