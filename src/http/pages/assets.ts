import { checkoutScript } from "./checkout/script.js";
import { checkoutStyle } from "./checkout/style.js";
import { dataStyle } from "./dashboard/data-style.js";
import { dashboardScript } from "./dashboard/script.js";
import { dashboardStyle } from "./dashboard/style.js";
import type { Asset } from "./asset.js";
import { icon } from "./icon.js";
import { pageStyle } from "./style.js";

/** Every asset of every page, by its file's name. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [icon, pageStyle, checkoutStyle, checkoutScript, dashboardStyle, dataStyle, dashboardScript].map((asset) => [
    asset.file,
    asset,
  ]),
);
