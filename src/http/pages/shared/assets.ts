import { createHash } from "node:crypto";
import idiomorphText from "idiomorph/dist/idiomorph.min.js?raw";
import type { HttpContext } from "../../shared/env.js";
import checkoutScriptText from "./checkout.js?raw";
import checkoutStyleText from "./checkout.css?raw";
import dashboardScriptText from "./dashboard.js?raw";
import dashboardStyleText from "./dashboard.css?raw";
import iconText from "./icon.svg?raw";
import pageStyleText from "./page.css?raw";
import signInScriptText from "./sign-in.js?raw";

/** A style sheet, script or image of the pages, served by the sandbox itself: the pages load nothing from another host. */
export interface Asset {
  /** The name below {@link ASSETS}. It includes a hash of the content, so it may be cached for ever. */
  readonly file: string;
  readonly contentType: string;
  readonly text: string;
}

/** The assets' path from the sandbox's root. They need no admin token, because they contain nothing about any company. */
export const ASSETS = "_sandbox/assets/";

const contentTypes = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

function asset(name: string, kind: keyof typeof contentTypes, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { file: `${name}-${hash}.${kind}`, contentType: contentTypes[kind], text };
}

export const icon = asset("icon", "svg", iconText);
export const pageStyle = asset("page", "css", pageStyleText);
export const checkoutStyle = asset("checkout", "css", checkoutStyleText);
export const checkoutScript = asset("checkout", "js", checkoutScriptText);
export const dashboardStyle = asset("dashboard", "css", dashboardStyleText);
/** The order matters: the second script uses the first. */
export const dashboardScripts = [
  asset("idiomorph", "js", idiomorphText),
  asset("dashboard", "js", dashboardScriptText),
] as const;

export const signInScript = asset("sign-in", "js", signInScriptText);

const all = [icon, pageStyle, checkoutStyle, checkoutScript, dashboardStyle, ...dashboardScripts, signInScript];

/** GET /_sandbox/assets/:file; undefined for an unknown name. */
export function answerAsset(c: HttpContext): Response | undefined {
  const asset = all.find(({ file }) => file === c.req.param("file"));
  if (asset === undefined) return undefined;
  return c.body(asset.text, 200, {
    "content-type": asset.contentType,
    // The name changes with the content.
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
}
