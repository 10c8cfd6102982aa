import { usableToken } from "../../../../sandbox/state/company-record.js";
import { CommandLine } from "../parts/action.js";
import { Code, Facts, Panel } from "../parts/show.js";
import { quoteForShell } from "../../../../kernel/messages/text.js";
import type { DashboardPage, View } from "../view/view.js";

export const connectPage: DashboardPage = {
  path: "/connect",
  title: "Connect",
  lead: "What your application needs to use this company.",
  render: (view) => {
    const values = connectionOf(view);
    const env = Object.entries(values).map(([name, { value }]) => `${name}=${inEnvFile(value)}`);
    return (
      <>
        <Panel title="This company">
          <Facts
            of={Object.values(values).map(({ title, value }) => [title, <CommandLine line={value} of={title} />])}
          />
        </Panel>
        <Panel title=".env">
          <p>
            The sandbox's commands read these names too; <Code>sandbox exec</Code> sets them.
          </p>
          <CommandLine line={env.join("\n")} of=".env" />
        </Panel>
        <Panel title="A first request">
          <p>Each snippet reads the names above and prints the balance.</p>
          {snippets.map(({ language, how, code }, index) => (
            <details id={`snippet-${language}`} open={index === 0}>
              <summary>
                {language} <span class="soft">{how}</span>
              </summary>
              <CommandLine line={code} of={language} />
            </details>
          ))}
        </Panel>
      </>
    );
  },
};

/** Keyed by the name of the environment variable. */
function connectionOf({ sandbox, company, here }: View) {
  const { identity } = company.record;
  return {
    SANDBOX_URL: { title: "Base URL", value: sandbox.options.publicUrl ?? here.origin },
    SANDBOX_ACCESS_TOKEN: { title: "Access token", value: usableToken(identity) },
    SANDBOX_COMPANY_ID: { title: "Company id", value: identity.id },
    SANDBOX_SECRET_KEY: { title: "Secret key", value: identity.secretKey },
  };
}

function inEnvFile(value: string): string {
  return /^[\w:/.@%+-]*$/.test(value) ? value : quoteForShell(value);
}

/** The snippets read the `.env` of the page; `how` says how to run them. */
const snippets = [
  {
    language: "curl",
    how: "in a shell, after set -a; . ./.env; set +a",
    code: `curl "$SANDBOX_URL/v1/balance" -H "Authorization: Bearer $SANDBOX_ACCESS_TOKEN"`,
  },
  {
    language: "Node",
    how: "node --env-file=.env balance.mjs",
    code: `const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN } = process.env;
const headers = { authorization: \`Bearer \${SANDBOX_ACCESS_TOKEN}\` };
const answer = await fetch(\`\${SANDBOX_URL}/v1/balance\`, { headers });
console.log(answer.status, await answer.json());`,
  },
  {
    language: "Python",
    how: "python3 balance.py",
    code: `import json, os, urllib.request

headers = {"Authorization": "Bearer " + os.environ["SANDBOX_ACCESS_TOKEN"]}
request = urllib.request.Request(os.environ["SANDBOX_URL"] + "/v1/balance", headers=headers)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`,
  },
  {
    language: "PHP",
    how: "php balance.php",
    code: `<?php
$headers = "Authorization: Bearer " . getenv("SANDBOX_ACCESS_TOKEN");
$context = stream_context_create(["http" => ["header" => $headers]]);
echo file_get_contents(getenv("SANDBOX_URL") . "/v1/balance", false, $context), PHP_EOL;`,
  },
] as const;
