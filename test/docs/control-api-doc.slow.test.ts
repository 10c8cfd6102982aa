import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { openPage } from "../support/open-page.js";
import { runShell } from "../support/shell.js";

const page = openPage("docs/control-api.md");
const commands = page.take("bash");

describe("docs/control-api.md", () => {
  it("has commands that work", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    const receiver = await startReceiver();
    const instead = { "http://127.0.0.1:4020/webhooks": receiver.url };
    const script = commands.map(({ text }) => text).join("\n");
    const printed = await runShell(script, { url, instead, cwd: await folderWith({}) });
    expect(printed).toContain('"openapi"');
    expect(receiver.received.length).toBeGreaterThan(0);
  });
});
