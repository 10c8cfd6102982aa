import { findConfigFile } from "../../adapters/files/find-config.js";
import { makeFolder } from "../../adapters/files/write-to.js";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, messageOf, UsageError } from "../../kernel/messages/problem.js";
import { addClosing, type Verb } from "../shared/help.js";
import { DOCS_NAME, nameAsCalled } from "../shared/name.js";
import { printData } from "../shared/output.js";

export const verb: Verb = (command) => {
  command
    .description(
      "Writes a commented sandbox.config.yaml, a first scenario and a first test into a\nfolder. Existing files stay as they are.",
    )
    .argument("[folder]", "default: this one")
    .action(async (folder: string | undefined) => init(folder));
  addClosing(
    command,
    `Examples:
  sandbox init
  sandbox init payments-tests`,
  );
};

/** Writes the files that a folder does not have. */
async function init(folder = "."): Promise<void> {
  const written: string[] = [];
  const left: string[] = [];
  for (const [name, text] of Object.entries(initFiles)) {
    const path = join(folder, name);
    await makeFolder(dirname(path)).catch((error: unknown) => {
      throw failure(path, error, written);
    });
    // `start` refuses a second configuration beside sandbox.config.json.
    const config = name === "sandbox.config.yaml" ? findConfigFile(folder) : undefined;
    if (config !== undefined) {
      left.push(config);
      continue;
    }
    try {
      // "wx" fails if the file exists.
      await writeFile(path, nameAsCalled(text, DOCS_NAME), { flag: "wx" });
      written.push(path);
    } catch (error) {
      if (codeOf(error) === "EEXIST") left.push(path);
      else {
        // On a full disk, a part of the file may have been written, which the next `init` would leave as it is.
        await rm(path, { force: true }).catch(() => undefined);
        throw failure(path, error, written);
      }
    }
  }
  const lists = [listOf("Written", written), listOf("Left as it is", left), `Next:\n${NEXT}`];
  printData(nameAsCalled(lists.filter((list) => list !== "").join("\n\n")));
}

function listOf(title: string, paths: readonly string[]): string {
  return paths.length === 0 ? "" : `${title}:\n${paths.map((path) => `  ${path}`).join("\n")}`;
}

const NEXT = `  sandbox start                   run it with this configuration
  sandbox replay scenarios        replay the first scenario
  sandbox exec -- node --test     run the first test beside a sandbox`;

function failure(path: string, error: unknown, written: readonly string[]): UsageError {
  const already = written.length === 0 ? "" : ` Written before it: ${written.join(", ")}.`;
  return new UsageError("cannot-run", `Failed to write ${path}: ${messageOf(error)}.${already}`);
}

/** The texts of the files by name. Tests run each of them. */
const initFiles: Readonly<Record<string, string>> = {
  "sandbox.config.yaml": `# yaml-language-server: $schema=./node_modules/business-payments-sandbox/schema/config.schema.json
# Every line is optional; what is commented out shows the default.
# A flag of \`sandbox start\` wins over a SANDBOX_* variable, and that over this file.

# port: 4010
# host: 127.0.0.1

# running: real time. frozen: moves only on command. Or an instant: every run begins then.
clock: running

# XOF.
balance: 10000000

# What the contract leaves open; \`sandbox profile\` lists every choice.
profile:
  transfers:
    # 2 seconds on the sandbox's clock. Or: immediate, manual, { polls: 3 }.
    settlement: { after: 2s }
  webhooks:
    # Gaps between attempts. Or: none, fast, realistic.
    retry: [10s, 1m, 5m, 30m, 2h]

# Companies, customers, charges and other records to begin with:
# fixtures: [fixtures/shop.yaml]
`,
  "scenarios/first.yaml": `# yaml-language-server: $schema=../node_modules/business-payments-sandbox/schema/scenario.schema.json
# A first scenario. Replay it: sandbox replay scenarios
name: A charge is paid, and its webhook reports it
tags: [first]

given:
  # Time stands here, and moves only by steps such as { advance: 1h }.
  clock: 2026-01-15T09:00:00Z
  # No url: the runner's own receiver catches it, and checks its signature.
  webhooks: [{ topic: charges/events }]

steps:
  - name: create a charge
    request: POST /v1/charges
    body:
      amount: 10000
      externalId: order-\${uuid}
      description: Shoes
      onCanceledRedirectionUrl: https://shop.test/no
      onCompletedRedirectionUrl: https://shop.test/yes
    expect: { status: 201, body: { status: created, due: 10000 } }
    save: { charge: body.id }

  - name: the customer pays
    request: POST /v1/charges/\${charge}/pay
    body: { msisdn: "\${testNumbers.success}" }
    expect: { status: 200, body: { status: paid, due: 0, paid: 10000 } }

  - webhook: { topic: charges/events, data: { id: "\${charge}", status: paid }, count: 1 }
`,
  "test/first.test.mjs": `// Run it beside a sandbox: sandbox exec -- node --test
import assert from "node:assert/strict";
import { test } from "node:test";

const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID } = process.env;

/** Your own client goes here. */
async function call(method, path, body) {
  const response = await fetch(SANDBOX_URL + path, {
    method,
    headers: {
      authorization: \`Bearer \${SANDBOX_ACCESS_TOKEN}\`,
      "x-company-id": SANDBOX_COMPANY_ID,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

test("a charge that nobody pays is dropped after one hour", async () => {
  const charge = await call("POST", "/v1/charges", {
    amount: 10000,
    externalId: \`order-\${Date.now()}\`,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  });
  // Nobody waits an hour: the sandbox's clock is moved.
  await call("POST", "/_sandbox/clock/advance", { by: "1h" });
  const { status } = await call("GET", \`/v1/charges/\${charge.id}\`);
  assert.equal(status, "dropped");
});
`,
};
