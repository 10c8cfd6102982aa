import { readFile, writeFile } from "node:fs/promises";

/** The result as Markdown: the machine, then a row for each figure. */
export function renderTable({ version, at, machine, isShort, lines }) {
  const { cpu, cores, memoryGib, system, node, isPinned, loadAverage } = machine;
  const pinned = isPinned ? "server and client each on a core of its own" : "nothing pinned to a core";
  const rows = lines.map((line) =>
    cells([
      line.name,
      targetOf(line.target),
      `**${figure(line.median)}**`,
      `${figure(line.lowest)} to ${figure(line.highest)}`,
      line.isMet === undefined ? "" : line.isMet ? "yes" : "no",
      Object.entries(line.medians)
        .map(([name, number]) => `${name} ${figure(number)}`)
        .join(", ") + (line.unit === "" || Object.keys(line.medians).length === 0 ? "" : ` ${line.unit}`),
    ]),
  );
  return [
    `Version ${version}, ${at.slice(0, 10)}, Node ${node.slice(1)} on ${cpu} (${cores} cores, ${memoryGib} GiB, ${system}), ${pinned}, load average ${loadAverage} at the start.`,
    ...(isShort ? ["Short form: these figures mean little."] : []),
    "",
    cells(["What", "Target", "Sandbox", "Lowest to highest", "Met", "Medians"]),
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Between the markers of a page. */
export async function writeInto(file, text) {
  const page = await readFile(file, "utf8");
  const [begin, end] = ["<!-- bench -->", "<!-- /bench -->"];
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`${file} has no ${begin} … ${end}.`);
  const [before] = page.split(begin);
  const [, after] = page.split(end);
  await writeFile(file, `${before}${begin}\n${text}\n${end}${after}`);
}

function cells(texts) {
  return `| ${texts.join(" | ")} |`;
}

function targetOf({ least, most }) {
  if (least !== undefined) return `≥ ${least}`;
  return most === undefined ? "" : `≤ ${most}`;
}

function figure(number) {
  return Math.abs(number) >= 100 ? number.toFixed(0) : number.toFixed(2);
}
