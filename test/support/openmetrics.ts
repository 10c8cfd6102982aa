/** One sample of a text in OpenMetrics: `name{label="value"} 1`. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The suffixes of the samples of each type, by OpenMetrics 1.0. */
const suffixes: Readonly<Record<string, RegExp>> = {
  counter: /^_(?:total|created)$/,
  gauge: /^$/,
  info: /^_info$/,
  histogram: /^_(?:bucket|count|sum|created)$/,
  summary: /^(?:_count|_sum|_created)?$/,
};

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const NUMBER = "[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?|[+-]?Inf|NaN";
const sampleLine = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)?\\})? (${NUMBER})$`);
const metadataLine = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);

interface Family {
  readonly name: string;
  readonly type: string;
  unit?: string;
  readonly samples: MetricSample[];
}

/** Reads a text by the grammar of OpenMetrics 1.0. Throws with the line that breaks a rule. */
export function parseOpenMetrics(text: string): MetricSample[] {
  if (!text.endsWith("# EOF\n")) throw new Error("the text must end with # EOF");
  const families = new Map<string, Family>();
  let current: Family | undefined;
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${JSON.stringify(line)}`);
    };
    const [, keyword, name = "", rest = ""] = metadataLine.exec(line) ?? [];
    if (keyword === "TYPE") {
      if (families.has(name)) fail("a family comes twice");
      if (suffixes[rest] === undefined) fail("the type is unknown");
      current = { name, type: rest, samples: [] };
      families.set(name, current);
    } else if (keyword !== undefined) {
      if (current?.name !== name || current.samples.length > 0) fail("metadata must stand before the samples");
      if (keyword === "UNIT" && !name.endsWith(`_${rest}`)) fail("the name must end with the unit");
    } else {
      const [, sampleName = fail("this is no sample"), labels = "", value = ""] = sampleLine.exec(line) ?? [];
      if (current === undefined || !sampleName.startsWith(current.name)) return fail("the sample is of no family");
      if (!suffixes[current.type]?.test(sampleName.slice(current.name.length))) fail("the suffix is wrong");
      current.samples.push({
        name: sampleName,
        labels: readLabels(labels),
        value: Number(value.replace("Inf", "Infinity")),
      });
    }
  }
  for (const family of families.values()) checkFamily(family);
  return [...families.values()].flatMap(({ samples }) => samples);
}

function readLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function checkFamily({ name, type, samples }: Family): void {
  const keys = samples.map((sample) => sample.name + JSON.stringify(sample.labels));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`);
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is below 0`);
  if (type !== "histogram") return;
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const counts = buckets.map(({ value }) => value);
  if (counts.some((count, at) => count < (counts[at - 1] ?? 0))) throw new Error(`${name} has buckets that shrink`);
  const count = samples.find((sample) => sample.name === `${name}_count`)?.value;
  if (buckets.at(-1)?.labels["le"] !== "+Inf" || counts.at(-1) !== count)
    throw new Error(`${name} needs a last bucket +Inf that equals its count`);
}
