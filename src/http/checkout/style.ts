import { createAsset } from "../pages/asset.js";

/** The payment page's own style. */
export const checkoutStyle = createAsset("checkout", "css", "");
