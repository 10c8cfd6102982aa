import { describe, expect, it } from "vitest";
import { snippetLanguages, type SnippetLanguage } from "../../src/audit/checks/snippets.js";
import { auditReceiver, mistakesIn } from "../support/audits.js";
import { hasty } from "./applications.js";
import { type Mistake, startShop, whyMissing } from "./languages.js";

/** Mistakes that people make: each replaces a line of the correct receiver, and has the check that finds it. */
const mistakes: Readonly<Record<SnippetLanguage, Readonly<Record<string, readonly [...Mistake, named: string]>>>> = {
  node: {
    "compares hex": ['hmac.digest("base64")', 'hmac.digest("hex")', "signature-hex"],
    "lets timingSafeEqual throw": ["given.length === expected.length && ", "", "signature-length"],
    "ignores refunds": ['  refunded: ["due", "paid", "refunded_partially"],\n', "", "state-refunds"],
    "believes the last event": ["!BEFORE[status]?.includes(order.status)", "!BEFORE[status]", "state-reversed"],
  },
  python: {
    "compares hex": ["base64.b64encode(digest)", "digest.hex().encode()", "signature-hex"],
    "compares texts, not bytes": [
      "base64.b64encode(digest), headers[0].encode()",
      "base64.b64encode(digest).decode(), headers[0]",
      "signature-not-ascii",
    ],
    "ignores refunds": ['    "refunded": ["due", "paid", "refunded_partially"],\n', "", "state-refunds"],
    "cancels paid orders": ['"dropped": ["due"]', '"dropped": ["due", "paid"]', "state-dropped-after-paid"],
  },
  php: {
    "compares hex": ["$secretKey, true)", "$secretKey)", "signature-hex"],
    "hashes the JSON printed again": [
      "$rawBody, $secretKey, true",
      "json_encode(json_decode($rawBody)), $secretKey, true",
      "signature-reprinted",
    ],
    "compares as much as came": [
      "hash_equals(base64_encode($digest), $header)",
      "strncmp(base64_encode($digest), $header, strlen($header)) === 0",
      "signature-prefix",
    ],
    "decodes the header": [
      "hash_equals(base64_encode($digest), $header)",
      "hash_equals($digest, base64_decode($header))",
      "signature-white-space",
    ],
    "continues without a header": [
      "if ($header === null || $secretKey === '') {\n        return false;",
      "if ($header === null) {\n        return true;",
      "signature-missing",
    ],
    "ignores refunds": ["    'refunded' => ['due', 'paid', 'refunded_partially'],\n", "", "state-refunds"],
    "believes the last event": ["status IN ($known)", "(status IN ($known) OR 1 = 1)", "state-reversed"],
  },
};

const WARNINGS = ["signature-not-ascii", "signature-white-space"];

/** Correct in another way: an inbox table with a unique key, and a view that derives the statuses from it. */
const phpInbox: Mistake = [
  "        move_order($db, $event['data']);",
  `        $db->exec('CREATE TABLE IF NOT EXISTS inbox (key TEXT PRIMARY KEY, body TEXT NOT NULL)');
        $data = $event['data'];
        $db->beginTransaction();
        $insert = $db->prepare('INSERT OR IGNORE INTO inbox VALUES (?, ?)');
        $insert->execute(["{$data['id']} {$data['status']} {$data['refunded']}", $rawBody]);
        if ($insert->rowCount() === 1) {
            move_order($db, $data);
        }
        $db->commit();`,
];

describe("a shop in php with an inbox table", { timeout: 60_000 }, () => {
  it("passes every check", async ({ skip }) => {
    const why = whyMissing("php");
    skip(why !== undefined, why);
    const { webhooks: url, state: check, orders: order } = await startShop("php", phpInbox);
    const report = await auditReceiver(url, { system: hasty, topic: "charges/events", check, order });
    expect([report.verdict, mistakesIn(report)]).toEqual(["passed", []]);
  });
});

describe.each(snippetLanguages)("a shop in %s", { timeout: 60_000 }, (language) => {
  async function verdictsOf(mistake?: Mistake) {
    const { webhooks: url, state: check, orders: order } = await startShop(language, mistake);
    const options = { system: hasty, topic: "charges/events", oldSecret: "old" };
    const { checks } = await auditReceiver(url, { ...options, check, order });
    return checks.map(({ id, verdict }) => [id, verdict] as const);
  }

  it("that consists of the audit's snippets passes every check", async ({ skip }) => {
    const why = whyMissing(language);
    skip(why !== undefined, why);
    expect((await verdictsOf()).filter(([, verdict]) => verdict !== "pass")).toEqual([
      ["signature-topics", "skipped"],
      ["state-restart", "skipped"],
    ]);
  });

  it.for(Object.entries(mistakes[language]))(
    "with the bug %s fails that check, and no other",
    async ([, mistake], { skip }) => {
      const why = whyMissing(language);
      skip(why !== undefined, why);
      const [right, wrong, named] = mistake;
      const failed = (await verdictsOf([right, wrong])).filter(
        ([, verdict]) => verdict === "fail" || verdict === "warn",
      );
      expect(failed).toEqual([[named, WARNINGS.includes(named) ? "warn" : "fail"]]);
    },
  );
});
