import { parseXml, type XmlElement } from "./xml.js";

interface Shape {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly children?: readonly string[];
  readonly hasText?: true;
}

const outcome: Shape = { optional: ["type", "message"], hasText: true };
const output: Shape = { hasText: true };

/** The attributes and children that the schema of the Jenkins xUnit plugin (junit-10.xsd) permits, for the elements that the reporters write. */
const shapes: Readonly<Record<string, Shape>> = {
  testsuites: { optional: ["name", "time", "tests", "failures", "errors"], children: ["testsuite"] },
  testsuite: {
    required: ["name", "tests", "failures", "errors"],
    optional: ["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
    children: ["testsuite", "properties", "testcase", "system-out", "system-err"],
  },
  testcase: {
    required: ["name"],
    optional: ["time", "classname", "group"],
    children: ["skipped", "error", "failure", "system-out", "system-err"],
  },
  failure: outcome,
  error: outcome,
  skipped: outcome,
  "system-out": output,
  "system-err": output,
};

const TIME = /^(?:(?:\d{0,3},)*\d{3}|\d{0,3})*(?:\.\d*)?$/;

/** The root of a JUnit report. Throws with every breach of the schema. */
export function parseJunit(report: string): XmlElement {
  const root = parseXml(report);
  const breaches = root.name === "testsuites" ? breachesOf(root) : [`The root is ${root.name}`];
  if (breaches.length > 0) throw new Error(breaches.join("\n"));
  return root;
}

function breachesOf({ name, attributes, children, text }: XmlElement): string[] {
  const { required = [], optional = [], children: permitted = [], hasText } = shapes[name] ?? {};
  const given = Object.keys(attributes);
  const time = attributes["time"];
  return [
    ...required.filter((key) => !given.includes(key)).map((key) => `${name} has no ${key}`),
    ...given.filter((key) => ![...required, ...optional].includes(key)).map((key) => `${name} may not have ${key}`),
    ...(name !== "testcase" && time !== undefined && !TIME.test(time) ? [`${name} has the time ${time}`] : []),
    ...(hasText !== true && text.trim() !== "" ? [`${name} may not have text`] : []),
    ...children.filter((child) => !permitted.includes(child.name)).map((child) => `${name} may not have ${child.name}`),
    ...children.flatMap(breachesOf),
  ];
}
