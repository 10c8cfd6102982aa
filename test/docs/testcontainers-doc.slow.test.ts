import { execFileSync } from "node:child_process";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { openPage, textOf } from "../support/open-page.js";

describe("docs/testcontainers.md", () => {
  const page = openPage("docs/testcontainers.md");
  const recipes = {
    Node: textOf(page.take("ts")),
    Java: textOf(page.take("java")),
    Python: textOf(page.take("python")),
    Go: textOf(page.take("go")),
  };

  it.each(Object.entries(recipes))("has a recipe for %s: the port, the wait and the clock", (_, recipe) => {
    expect(recipe).toMatch(/"?business-payments-sandbox:local"/);
    expect(recipe).toMatch(/exposed_?ports\W.*4010/i);
    expect(recipe).toMatch(/http\w*\(.*"\/_sandbox\/health"/i);
    expect(recipe).toMatch(/"?SANDBOX_CLOCK"?.*"frozen"/);
  });

  it("has recipes that parse, where there is a parser", () => {
    expect(parseSync("recipe.ts", recipes.Node).errors).toEqual([]);
    execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: recipes.Python });
  });
});
