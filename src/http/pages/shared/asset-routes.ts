import type { Hono } from "hono";
import type { HttpEnv } from "../../shared/env.js";

/** GET /_sandbox/assets/:file. The assets are loaded by the first request. The control API answers an unknown name with its 404. */
export function addAssetRoutes(app: Hono<HttpEnv>): void {
  app.get("/_sandbox/assets/:file", async (c, next) => {
    const { findAsset } = await import("./assets.js");
    const asset = findAsset(c.req.param("file"));
    if (asset === undefined) return next();
    return c.body(asset.text, 200, {
      "content-type": asset.contentType,
      // The name changes with the content.
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
  });
}
