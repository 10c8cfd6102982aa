import { expect, it } from "vitest";
import { readdirSync } from "node:fs";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { loadScenario } from "../../src/scenarios/file/parse-scenario.js";

const FOLDER = "test/scenarios/bad/";

const STEPS = "request, advance, clock, webhook, noWebhook, rule, settle, wait, parallel, repeat, use, eventually";
const MATCHERS = "$regex, $type, $gt, $gte, $lt, $lte, $in, $length, $contains, $absent, $any, $exact";
const ALWAYS = "uuid, now, url, token, companyId, secretKey, receiver, testNumbers, env, faker";
const NUMBERS = "success, failure, pending, late, silent, limit, refused, unverified, confirming";
const TOPICS =
  "transactions/started, transaction/started, transactions/completed, transaction/completed, transactions/failed, transaction/failed, charges/events, charge/events";
const METHODS = "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS";

/** All problems of each file of the folder, as `line:column: message`, or `file:line:column: message` for a problem in another file. */
const problems: Readonly<Record<string, readonly string[]>> = {
  "cycle-a.yaml": ["cycle-b.yaml:4:10: ./cycle-a.yaml uses itself: cycle-a.yaml → cycle-b.yaml → cycle-a.yaml"],
  "cycle-b.yaml": ["cycle-a.yaml:3:10: cycle-b.yaml uses itself: cycle-b.yaml → cycle-a.yaml → cycle-b.yaml"],
  "empty-steps.yaml": ["2:8: steps must be a list of at least one step, got a list of 0"],
  "empty.yaml": ["1:1: steps must be a list of at least one step, but it is missing"],
  "fields.yaml": [
    '1:10: $schema must be the address of the JSON Schema, got the number 1: write it in quotes, "1"',
    '2:7: name must be a sentence that says what the scenario shows, a string that is not blank, got ""',
    '3:7: tags must be a list of words, got "charges"',
    "4:1: author is not known here. Known are $schema, name, description, tags, given, steps",
    '6:10: given.clock must be an ISO 8601 time such as 2026-01-15T09:00:00Z, got "today"',
    "7:12: given.balance must be a number of XOF from 0 to 100000000000 with at most 4 decimals, got -1",
    '8:3: given.colour is not known here. Did you mean "clock"?',
    '9:27: transfers.setlement is not a setting. Did you mean "transfers.settlement"?',
    "10:15: given.customers[0].firstName must be the customer's first name, a string that is not blank, but it is missing",
    "10:15: given.customers[0].lastName must be the customer's last name, a string that is not blank, but it is missing",
    '10:25: given.customers[0].msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, got the number 700: write it in quotes, "700"',
    '11:19: given.charges[0].id must be an id: 1 to 100 letters, digits, dots, dashes and underscores, got "a b"',
    '11:74: given.charges[0].status must be one of due, paid, refunded_partially, refunded, dropped, got "lost"',
    `12:23: given.webhooks[0].topic must be one of ${TOPICS}, got "charges/event". Did you mean "charges/events"?`,
    '12:43: given.webhooks[0].url must be an absolute http or https URL, got "shop.test"',
    '13:11: given.rules[0] must be a rule, an object such as {on, match, then}, got "drop"',
    "14:13: Failed to read missing.yaml: there is no such file. Check its path.",
    '16:14: "1 hour" is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds',
    "17:14: steps[1].advance must have exactly one of by, to, toNext; it has by and toNext",
    "18:14: steps[2].advance must have exactly one of by, to, toNext; it has none",
    "19:24: steps[3].advance.toNext must be true, got false",
    '19:35: steps[3].advance.to must be an ISO 8601 instant such as 2026-01-15T09:00:00Z, got "tomorrow"',
    "19:53: steps[3].advance.settle must be true or false, got 1",
    "19:67: steps[3].advance.maxWaitMs must be a whole number from 0 to 600000, got -1",
    '20:12: steps[4].clock must be an ISO 8601 instant such as 2026-01-15T09:00:00Z, got "noon"',
    '21:11: "-5s" is not a duration: it must not be negative',
    '22:11: steps[6].wait must be a duration without variables, got "${charge}"',
    `22:11: \${charge} is not known here. (no step before it saves one; always there: ${ALWAYS})`,
    '23:13: steps[7].settle must be true, got "now"',
    `24:25: steps[8].noWebhook.topic must be one of ${TOPICS}, got "charges/evnts". Did you mean "charges/events"?`,
    "25:51: steps[9].webhook.count must be a whole number from 0 to 1000000, got -1",
    "26:15: steps[10].parallel must be a list of at least one step, got a list of 0",
    "27:22: steps[11].repeat.times must be a whole number from 1 to 100000, got 0",
    "27:32: steps[11].repeat.steps must be a list of steps, got a mapping",
    "28:13: steps[12].repeat must be a mapping with times and steps, got 3",
    "29:17: steps[13].eventually.within must be a duration such as 59m59s, PT1H, or a number of milliseconds, but it is missing",
    "30:17: steps[14].eventually.request must be a method and a path, such as POST /v1/charges, but it is missing",
    "30:32: steps[14].eventually.advance is not known here. Known are within, every, request, body, rawBody, as, token, headers, query, expect, save",
    '31:10: steps[15].use must be a path without variables: files are read before anything runs, got "${file}.yaml"',
    '32:10: steps[16].use must be the path of another scenario file, got the number 7: write it in quotes, "7"',
    "34:11: steps[17].with must be a mapping of variables to values, got a list of 1",
    '35:11: steps[18].rule must be a rule: { on, match, then }, got "drop"',
    "36:17: steps[19].eventually would ask more than 100000 times: make every longer, or within shorter",
  ],
  "given-world.yaml": [
    "3:13: given.fixtures must hold what every company has; this one opens companies (company_boutique, company_transport)",
  ],
  "json.json": ['1:42: "1x" is not a duration: unknown unit "x"; the units are d, h, m, s and ms'],
  "list.yaml": ["1:1: The file must be a mapping with name, given and steps, got a list of 1"],
  "matchers.yaml": [
    `5:28: steps[0].expect.status.$ltt is not a matcher. Did you mean "$lt"? There are ${MATCHERS}`,
    '6:39: steps[0].expect.headers.x-sandbox.$regex is not a regular expression: Invalid regular expression: /(/u: Unterminated group, got "("',
    "8:22: steps[0].expect.body.a.$regex must be a regular expression as a text, got 5",
    '9:21: steps[0].expect.body.b.$type must be one of string, number, integer, boolean, null, array, object, got "text"',
    "10:19: steps[0].expect.body.c.$gt must be a number or a text to compare with, got a list of 1",
    "11:19: steps[0].expect.body.d.$in must be a list of what is allowed, got a list of 0",
    "12:23: steps[0].expect.body.e.$length must be a whole number, or a matcher such as { $gt: 0 }, got -1",
    "13:23: steps[0].expect.body.f.$absent must be true, got false",
    "14:20: steps[0].expect.body.g.$any must be true, got 1",
    "16:14: steps[0].expect.body.i.$type is a matcher beside plain members. Use one or the other; data with such a key goes into $exact",
    `17:28: steps[0].expect.body.j[0].$contains.$wat is not a matcher. Did you mean "$gt"? There are ${MATCHERS}`,
    `18:29: steps[1].webhook.data.a.$lenght is not a matcher. Did you mean "$length"? There are ${MATCHERS}`,
    "20:48: steps[2].expect.fired.$length.$lt must be a number or a text to compare with, but it is empty",
  ],
  "much.yaml": ["3:3: Its repetitions come to more than 1000000 steps. Repeat less"],
  "no-steps.yaml": ["1:1: steps must be a list of at least one step, but it is missing"],
  "not-yaml.yaml": [
    "1:7: A mapping cannot begin on the line of its key. Put a text that contains ': ' in quotes, or begin a new line",
    "3:1: Tabs are not allowed as indentation. Use spaces",
  ],
  "requests.yaml": [
    `3:14: steps[0].request must be a method (${METHODS}), one space, and a path, such as POST /v1/charges, got "/v1/balance"`,
    `4:14: steps[1].request must be a method (${METHODS}), one space, and a path, such as POST /v1/charges, got "get /v1/balance"`,
    `5:14: steps[2].request must be a method (${METHODS}), one space, and a path, such as POST /v1/charges, got "GET v1/balance"`,
    "7:11: steps[3].body is not sent with GET: remove it",
    "10:14: steps[4].rawBody and body are both there: keep one",
    "12:14: steps[5].rawBody must be a text, got a mapping",
    '13:16: steps[5].headers."X Y" must be named as an HTTP header is: letters, digits and -',
    "13:31: steps[5].headers.X-Z must be a text, or null to leave the header out, got true",
    "14:21: steps[5].query.limit must be a text, a number, true or false, got a list of 1",
    "15:12: steps[5].token must be an access token, or null for none, got something else",
    '16:9: steps[5].as must be the name of another company, got ""',
    "18:13: steps[6].expect must be a mapping with status, headers, body, or lost, got 201",
    '19:13: steps[6].save."my id" must be named with letters, digits, _ and -, the first one a letter or _',
    '19:32: steps[6].save.a must be a dotted path such as body.id, beginning with status, headers, body, got "result.id"',
    '19:46: steps[6].save.b must be a dotted path such as body.id, beginning with status, headers, body, got "body..id"',
    '19:61: steps[6].save.c must be a dotted path such as body.id, beginning with status, headers, body, got the number 7: write it in quotes, "7"',
    '21:15: steps[7].expect.state is not known here. Did you mean "status"?',
    "21:36: steps[7].expect.headers must be a mapping of header names to what is expected, got a list of 0",
  ],
  "saves.yaml": [
    `3:5: "reqest" is not a step. Did you mean "request"? There are ${STEPS}`,
    "5:17: steps[1].eventually.within must be a duration such as 59m59s, PT1H, or a number of milliseconds, but it is missing",
    "6:13: steps[2].repeat.times must be a whole number from 1 to 100000, but it is missing",
    `7:14: \${d} is not known here. (known here: a, b, c; always there: ${ALWAYS})`,
  ],
  "steps.yaml": [
    `3:5: "advnace" is not a step. Did you mean "advance"? There are ${STEPS}`,
    `4:5: A step must be a mapping with one of ${STEPS}`,
    `5:5: A step must have one of ${STEPS}`,
    `6:5: A step must have one of ${STEPS}`,
    "7:5: A step does one thing, but this one has request and settle. Write two steps",
    '10:5: steps[5].expects is not known here. Did you mean "expect"?',
    "11:11: steps[6].name must be a text, got a list of 2",
    '12:13: steps[6].settle must be true, got "yes"',
    `13:5: "method" is not a step. There are ${STEPS}`,
  ],
  "unquoted.yaml": ['3:33: A mapping cannot begin inside of a text. Put a text with { in quotes, as "${name}"'],
  "uses.yaml": [
    "3:10: Failed to read missing.yaml: there is no such file. Check its path.",
    "6:10: not-yaml.yaml:1:7: A mapping cannot begin on the line of its key. Put a text that contains ': ' in quotes, or begin a new line",
    "6:10: not-yaml.yaml:3:1: Tabs are not allowed as indentation. Use spaces",
    "8:10: Failed to read test/scenarios/bad: it is a folder. Name a file in it.",
    'json.json:1:42: "1x" is not a duration: unknown unit "x"; the units are d, h, m, s and ms',
    "list.yaml:1:1: steps must be a list of at least one step",
  ],
  "variables.yaml": [
    `5:25: \${uid} is not known here. Did you mean "uuid"? (no step before it saves one; always there: ${ALWAYS})`,
    "5:49: A variable is not closed: write ${name}, or $${ for a plain ${",
    "5:74: What is between ${ and } must be a name with dots and [0], such as ${charge.transactions[0].id}. Write $${ for a plain ${",
    `7:14: \${chrge} is not known here. Did you mean "charge"? (known here: charge; always there: ${ALWAYS})`,
    `9:19: \${testNumbers.sucess} is not a test number. Did you mean "success"? There are ${NUMBERS}`,
    `9:47: \${testNumbers} is not a test number. There are ${NUMBERS}`,
    "9:68: ${env.HOME} is not open to scenarios: only variables that start with SANDBOX_ are",
    "9:86: ${now.year} has no value: ${now} is one value, without members",
    '11:26: ${faker.person.firstNam} is not made-up data. Did you mean "firstName"?',
    '11:57: ${faker.prson.x} is not made-up data. Did you mean "person"? It is faker.<module>.<method>, such as faker.person.firstName',
    "11:80: ${faker} is not made-up data. It is faker.<module>.<method>, such as faker.person.firstName",
    `15:18: \${one} is not known here. (known here: charge; always there: ${ALWAYS})`,
    `19:14: \${index} is not known here. (known here: charge, one; always there: ${ALWAYS})`,
    `20:11: \${unheard} is not known here. (known here: charge, one; always there: ${ALWAYS})`,
  ],
};

it.each(Object.entries(problems))("%s is refused with everything that is wrong, and where", async (file, expected) => {
  const messages = await loadScenario(FOLDER + file).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      expect(error.kind).toBe("file");
      return error.messages.map((message) => message.replaceAll(FOLDER, "").replace(`${file}:`, ""));
    },
  );
  expect(messages).toEqual(expected);
});

it("every bad file is tested", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(problems).sort());
});
