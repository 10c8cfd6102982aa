import { expect, it } from "vitest";
import { type Block, type Page, readPage } from "./markdown.js";

/** A page whose code is executed by the test file that opens it. pages.test.ts sees to it that one opens each. */
export interface OpenPage extends Page {
  /** Blocks of a language that nobody took before, in the order of the page. Whoever takes them executes them. */
  take(language: string, matches?: (block: Block) => boolean): readonly Block[];
  /** As `take`, of blocks that are not executed here, and why. */
  leave(reason: string, language: string, matches?: (block: Block) => boolean): void;
}

/** Of these a test may compare what is shown; there is nothing to execute. */
export const shownLanguages: readonly string[] = ["", "text", "diff", "json"];

/** Call it, and what it gives, while tests are collected: it adds the test that fails when a block is left over. */
export function openPage(path: string): OpenPage {
  const page = readPage(path);
  const left = new Set(page.blocks);
  const take: OpenPage["take"] = (language, matches = () => true) => {
    const taken = [...left].filter((block) => block.language === language && matches(block));
    for (const block of taken) left.delete(block);
    return taken;
  };
  it(`${path} has no code that is not executed`, () => {
    const unexecuted = [...left].filter(({ language }) => !shownLanguages.includes(language));
    expect(unexecuted.map(({ heading, language, text }) => `${heading}: ${language}: ${text}`)).toEqual([]);
  });
  return {
    ...page,
    take,
    leave(reason, language, matches) {
      if (take(language, matches).length === 0)
        throw new Error(`${path} has no ${language} that is not run: ${reason}`);
    },
  };
}

export function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join("\n");
}
