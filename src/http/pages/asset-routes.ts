import type { Hono } from "hono";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import { ASSETS } from "./asset.js";

/** GET /_sandbox/assets/:file. They are loaded when a page first asks for one. An unknown name goes on to the control API's 404. */
export function addAssetRoutes(app: Hono<HttpEnv>): void {
  app.get(`/${ASSETS}:file`, async (c, next) => {
    const { assets } = await import("./assets.js");
    const asset = assets.get(c.req.param("file"));
    return asset === undefined ? next() : answerAsset(c, asset);
  });
}

function answerAsset(c: HttpContext, { text, contentType }: { readonly text: string; readonly contentType: string }) {
  return c.body(text, 200, {
    "content-type": contentType,
    // The name changes with the content.
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
}
