import { createAsset } from "./asset.js";

/** A phone with a coin. */
export const icon = createAsset(
  "icon",
  "svg",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b6b4c"/>
<rect x="9" y="5" width="14" height="22" rx="3" fill="none" stroke="#fff" stroke-width="2"/>
<circle cx="16" cy="16" r="4" fill="#f5c45e"/>
</svg>
`,
);
