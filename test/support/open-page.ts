import { expect, it } from "vitest";
import { type Block, type Page, readPage } from "./markdown.js";

/** A page of documentation whose code a test file executes. pages.slow.test.ts checks that each page is opened once. */
export interface OpenPage extends Page {
  /** Takes the remaining blocks of a language, in the order of the page. The caller executes them. */
  take(language: string, matches?: (block: Block) => boolean): readonly Block[];
  /** Takes blocks that are not executed, with the reason. */
  leave(reason: string, language: string, matches?: (block: Block) => boolean): void;
}

/** Languages that are not executed. A test may compare them with output. */
export const shownLanguages: readonly string[] = ["", "text", "diff", "json"];

/** Adds a test that fails when a block is not taken, so call it and its methods while tests are collected. */
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
