import { expect, it } from "vitest";
import { type Block, type Page, readPage } from "./markdown.js";

/** A page whose code is executed by the test file that opens it. pages.slow.test.ts checks that each page is opened once. */
export interface OpenPage extends Page {
  /** The blocks of a language that were not taken before, in the order of the page. The caller executes them. */
  take(language: string, matches?: (block: Block) => boolean): readonly Block[];
  /** As `take`, for blocks that are not executed, with the reason. */
  leave(reason: string, language: string, matches?: (block: Block) => boolean): void;
}

/** Languages with nothing to execute. A test may compare them with what is printed. */
export const shownLanguages: readonly string[] = ["", "text", "diff", "json"];

/** Call it and its methods while tests are collected: it adds a test that fails when a block is left over. */
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
