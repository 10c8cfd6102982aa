import { describe, expect, it } from "vitest";
import { createControlApp } from "../../src/http/server/control-app.js";
import { createReplayer } from "../../src/scenarios/replayer.js";
import { type Block, readPage } from "../support/markdown.js";
import { createWorld } from "../support/world.js";

const page = readPage("docs/control-api.md");
const titles = page.headings.map(({ text }) => text).filter((text) => /^[A-Z]+ \/_sandbox/.test(text));
const commands = page.blocks.filter(({ language }) => language === "bash");

/** Pages for people. The page names only their address. */
const PAGES = /^\/_sandbox(?:\/?$|\/(?:assets|dashboard)(?:\/|$))/;

/** `PUT /_sandbox/customers/:id`, as the server has it. */
async function registeredRoutes(): Promise<string[]> {
  const world = createWorld();
  await world.close();
  const { sandbox } = world;
  const replayer = createReplayer({ sandbox, fetch, folder: ".", env: {} });
  const routes = createControlApp(sandbox, { replayer }).routes.filter(
    ({ method, path }) => method !== "ALL" && !PAGES.test(path),
  );
  return routes.map(({ method, path }) => `${method} ${path}`);
}

describe("docs/control-api.md", () => {
  it("has every call of the control API, and no others", async () => {
    const routes = await registeredRoutes();
    expect(titles.map(withoutNames).sort()).toEqual(routes.map(withoutNames).sort());
  });

  it.each(titles)("has a curl command for %s", (title) => {
    const lines = commands.filter(({ heading }) => heading === title).flatMap(linesOf);
    expect(lines.map(callOf).filter((call) => call !== undefined)).toContainEqual(matcherOf(title));
  });

  it("shows answers that are JSON", () => {
    const answers = page.blocks.filter(({ language }) => language === "json");
    expect(answers.length).toBeGreaterThan(0);
    for (const { text } of answers) expect(() => JSON.parse(text)).not.toThrow();
  });
});

/** The names of parameters may differ. */
function withoutNames(call: string): string {
  return call.replaceAll(/:\w+/g, ":");
}

function linesOf({ text }: Block): string[] {
  return text.split("\n");
}

/** The call that a curl command makes: `POST /_sandbox/settle`. */
function callOf(line: string): string | undefined {
  const path = /\$url(\/_sandbox[^\s"?)]*)/.exec(line)?.[1];
  if (path === undefined || !line.includes("curl")) return undefined;
  const method = /-X (\w+)/.exec(line)?.[1] ?? (/ (?:-d|--data-binary) /.test(line) ? "POST" : "GET");
  return `${method} ${path}`;
}

function matcherOf(title: string): unknown {
  return expect.stringMatching(new RegExp(`^${title.replaceAll(/:\w+/g, "[^/]+")}$`));
}
