import { createHash } from "node:crypto";

/** A style sheet, script or image of the pages, from this very sandbox: nothing is asked of another host. */
export interface Asset {
  /** Its name below {@link ASSETS}, with a hash of what is in it: whoever has it may keep it for ever. */
  readonly file: string;
  readonly contentType: string;
  readonly text: string;
}

/** Where they stand, from the sandbox's root. No admin token is needed: they say nothing of any company. */
export const ASSETS = "_sandbox/assets/";

const contentTypes = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

export function createAsset(name: string, kind: keyof typeof contentTypes, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { file: `${name}-${hash}.${kind}`, contentType: contentTypes[kind], text };
}
