import { readFileSync } from "node:fs";
import { settings } from "../../src/domain/profile/settings.js";
import type { Page } from "./markdown.js";
import type { Setting } from "../../src/domain/profile/setting.js";

/** The contract, word for word. */
export const contractText = readFileSync("test/fidelity/contract.md", "utf8");

/** A sentence of the contract that leaves something open. */
export interface OpenPoint {
  readonly sentence: string;
  /** The fields, or the headings, that the sentence is about. */
  readonly about: readonly string[];
}

/** Every sentence with "not shown", "not carried" or "ambiguous", in the contract's order, each once. */
export function openPoints(): readonly OpenPoint[] {
  const abouts = new Map<string, Set<string>>();
  let heading = "";
  for (const line of contractText.split("\n")) {
    heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
    const cells = line.split("|").map((cell) => cell.trim());
    const about = line.startsWith("|") ? (cells[1] ?? "") : heading;
    for (const [, sentence = ""] of line.matchAll(OPEN)) {
      abouts.set(sentence, (abouts.get(sentence) ?? new Set()).add(about));
    }
  }
  return [...abouts].map(([sentence, about]) => ({ sentence, about: [...about] }));
}

const OPEN = /(?:^|[.|] *|^\d+\. )([A-Z][^.|]*?(?:not shown(?! in)|not carried[^.|]*|is therefore ambiguous))/g;

export function settingsFor(sentence: string): readonly Setting[] {
  return settings.filter(({ contract }) => contract.includes(sentence));
}

/** A row of the table "Decisions". */
export interface Decision {
  readonly quotes: readonly string[];
  readonly choice: string;
  readonly question: string;
}

export function decisionsOf(page: Page): readonly Decision[] {
  const table = page.tables.find(({ heading }) => heading === "Decisions");
  return (table?.rows ?? []).map(([contract = "", choice = "", question = ""]) => ({
    quotes: [...contract.matchAll(/"([^"]+)"/g)].map(([, quote = ""]) => quote),
    choice,
    question,
  }));
}

/** The table of docs/fidelity.md. */
export function renderOpenPoints(decisions: readonly Decision[]): string {
  const rows = openPoints().map(({ sentence, about }) => {
    const chosen = settingsFor(sentence);
    const decided = decisions.filter(({ quotes }) => quotes.includes(sentence));
    const here = chosen.map(
      ({ path, default: value }) => `[\`${path}\`](profile.md#${anchorOf(path)}): \`${JSON.stringify(value)}\``,
    );
    const questions = new Set([...chosen, ...decided].map(({ question }) => question));
    return [
      `${about.map(asCode).join(", ")}: "${sentence}"`,
      [...here, ...decided.map(() => "[decided](#decisions)")].join("<br>"),
      [...questions].join(" "),
    ];
  });
  return [["The contract", "Here", "Ask the provider"], ["---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** A field is code, a heading is text. */
function asCode(about: string): string {
  return /^[a-z]\w*$/.test(about) ? `\`${about}\`` : about;
}

function anchorOf(path: string): string {
  return path.replaceAll(".", "").toLowerCase();
}
