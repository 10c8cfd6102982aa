import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeApi, renderOpenApiYaml } from "../../src/contract/openapi/describe-api.js";
import { operationIds } from "../../src/contract/operations.js";
import { startSandbox } from "../support/cli.js";
import { root } from "../support/markdown.js";
import { everyAlternative } from "../support/openapi-walk.js";

const run = promisify(execFile);

/** These tools are not dependencies, since together they are 400 packages. Their scripts must not run at installation. */
const env = { ...process.env, npm_config_ignore_scripts: "true", REDOCLY_TELEMETRY: "off" };
const redocly = "@redocly/cli@2.77.0";
const spectral = "@stoplight/spectral-cli@6.16.3";
const generator = "openapi-typescript@7.13.0";
const client = "openapi-fetch@0.17.0";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-openapi-"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function npx(...args: readonly string[]): Promise<{ code: number; stdout: string }> {
  return run("npx", ["--yes", ...args], { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  );
}

describe.each([
  ["the default profile", describeApi()],
  ["every setting another way", describeApi({ profile: everyAlternative().at(-1)![1] })],
])("the API description under %s", (_, document) => {
  beforeAll(async () => {
    await writeFile(join(folder, "openapi.yaml"), renderOpenApiYaml(document));
    await writeFile(join(folder, "spectral.yaml"), 'extends: ["spectral:oas"]\n');
  });

  it("has no finding of Redocly's recommended-strict", async () => {
    const options = ["--extends", "recommended-strict", "--format", "json"];
    const { code, stdout } = await npx(redocly, "lint", ...options, "openapi.yaml");
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
    expect(code).toBe(0);
  });

  it("has no finding of Spectral's oas", async () => {
    const options = ["--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    const { code, stdout } = await npx(spectral, "lint", ...options, "openapi.yaml");
    expect(stdout).toContain("No results with a severity of 'hint' or higher found!");
    expect(code).toBe(0);
  });
});

describe("a client that openapi-typescript generates", () => {
  it("compiles under strict, and calls every operation", async () => {
    const sandbox = await startSandbox();
    onTestFinished(async () => void (await sandbox.stop()));
    await run("npm", ["install", "--no-audit", "--no-fund", client], { cwd: folder, env });
    const generated = await npx(generator, `${sandbox.url}/openapi.json`, "--output", "api.ts");
    expect(generated).toMatchObject({ code: 0 });
    await writeFile(join(folder, "client.ts"), program);

    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const strict = [
      "--strict",
      "--exactOptionalPropertyTypes",
      "--noUncheckedIndexedAccess",
      "--skipLibCheck",
      "false",
    ];
    const language = ["--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom", "--types", "node"];
    const options = [...strict, ...language, "--typeRoots", join(root, "node_modules/@types"), "client.ts"];
    const compiled = await run(process.execPath, [tsc, ...options], { cwd: folder }).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: "" });

    const { stdout } = await run(process.execPath, ["client.js"], {
      cwd: folder,
      env: { SANDBOX_URL: sandbox.url },
      timeout: 30_000,
    });
    const called = Object.fromEntries(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(": ")),
    );
    expect(Object.keys(called).toSorted()).toEqual([...operationIds].toSorted());
    expect(called).toMatchObject({
      createTransaction: "201 pending, fee 50.5",
      getTransaction: "200 transfer of 5050",
      payCharge: "200 paid, to https://shop.example/thanks",
      refundCharge: "200 refunded_partially",
      listWebhooks: "200 charges/events",
      deleteWebhook: "204",
    });
  });
});

const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const { GET, POST, DELETE } = createClient<paths>({
  baseUrl: process.env["SANDBOX_URL"] ?? "",
  headers: { authorization: "Bearer at_sandbox" },
});

function show<Data>(
  operation: string,
  { data, error, response }: { data?: Data; error?: components["schemas"]["ErrorBody"]; response: Response },
  what: (data: Data) => string,
): Data {
  if (!response.ok || error !== undefined) throw new Error(operation + ": " + error?.message.join());
  console.log([operation + ": " + response.status, what(data as Data)].filter(Boolean).join(" "));
  return data as Data;
}

const transfer = { type: "transfer", amount: 5050, msisdn: "+2250700000001" } as const;
const created = show(
  "createTransaction",
  await POST("/v1/transactions", { body: { ...transfer, reference: "payout-1", description: "Salary" } }),
  ({ status, fee }) => status + ", fee " + fee,
);
show(
  "createBatch",
  await POST("/v1/transactions/batch", { body: { transactions: [{ ...transfer, reference: "payout-2" }] } }),
  ({ status }) => status,
);
show(
  "getTransaction",
  await GET("/v1/transactions/{id}", { params: { path: { id: created.id } } }),
  ({ type, amount }) => type + " of " + amount,
);
show(
  "checkCustomer",
  await GET("/v1/transactions/customers/check", { params: { query: { msisdn: transfer.msisdn } } }),
  ({ kycStatus }) => kycStatus,
);
show("getBalance", await GET("/v1/balance"), ({ balance }) => String(balance));

const charge = show(
  "createCharge",
  await POST("/v1/charges", {
    params: { header: { "X-Company-Id": "company_sandbox" } },
    body: {
      amount: 10_000,
      externalId: "order-1",
      description: "Shoes",
      onCanceledRedirectionUrl: "https://shop.example/canceled",
      onCompletedRedirectionUrl: "https://shop.example/thanks",
      metadata: { cart: "c-77" },
    },
  }),
  ({ status }) => status,
);
const path = { id: charge.id };
show(
  "payCharge",
  await POST("/v1/charges/{id}/pay", { params: { path }, body: { msisdn: transfer.msisdn } }),
  ({ status, webRedirectionUrl }) => status + ", to " + webRedirectionUrl,
);
show("getCharge", await GET("/v1/charges/{id}", { params: { path } }), ({ status }) => status);
show(
  "refundCharge",
  await POST("/v1/charges/{id}/refund", { params: { path }, body: { amount: 2500 } }),
  ({ status }) => status,
);

const subscription = show(
  "createWebhook",
  await POST("/v1/webhooks", { body: { topic: "charges/events", url: "https://shop.example/webhooks" } }),
  ({ topic }) => topic,
);
show("getWebhook", await GET("/v1/webhooks/{id}", { params: { path: subscription } }), ({ url }) => url);
show("listWebhooks", await GET("/v1/webhooks"), ({ data }) => data.map(({ topic }) => topic).join());
show("deleteWebhook", await DELETE("/v1/webhooks/{id}", { params: { path: subscription } }), () => "");
`;
