import { createAsset } from "./asset.js";

/** What all pages share: colours (light and dark, each with enough contrast), type, buttons, fields, focus. */
export const pageStyle = createAsset(
  "page",
  "css",
  `:root {
  color-scheme: light dark;
  --ground: #f3f0e9;
  --surface: #ffffff;
  --sunken: #f8f6f1;
  --ink: #1c2429;
  --soft: #566069;
  --line: #dbd6ca;
  --edge: #7f8a92;
  --accent: #0b6b4c;
  --accent-strong: #07523a;
  --accent-wash: #e3f1ea;
  --on-accent: #ffffff;
  --good: #0b6b4c;
  --bad: #a9251c;
  --bad-wash: #fdecea;
  --warn: #7d5200;
  --warn-wash: #fdf3dc;
  --shadow: 0 1px 2px rgb(28 36 41 / 8%), 0 12px 32px -12px rgb(28 36 41 / 22%);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
  line-height: 1.5;
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12171a;
    --surface: #1b2226;
    --sunken: #161c20;
    --ink: #eceff0;
    --soft: #a9b4bb;
    --line: #323c42;
    --edge: #74818a;
    --accent: #4fd09a;
    --accent-strong: #7be0b6;
    --accent-wash: #163328;
    --on-accent: #06281b;
    --good: #4fd09a;
    --bad: #ff9a90;
    --bad-wash: #3a1d1b;
    --warn: #f2c46d;
    --warn-wash: #352912;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px -12px rgb(0 0 0 / 60%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
h1, h2, h3, p, dl, dd, ul, ol, fieldset { margin: 0; padding: 0; }
fieldset { border: 0; min-width: 0; }
h1 { font-size: 1.5rem; line-height: 1.2; text-wrap: balance; }
h2 { font-size: 1.125rem; line-height: 1.3; }
code, .mono { font-family: var(--mono); font-size: 0.9em; }
a { color: var(--accent); text-underline-offset: 0.2em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
button, input, select, textarea { font: inherit; color: inherit; }
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.5rem;
  min-height: 3rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid var(--accent);
  border-radius: 0.75rem;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
.button:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
.button:focus-visible { border-radius: 0.75rem; }
.button.quiet { background: transparent; border-color: transparent; color: var(--ink); font-weight: 500; }
.button.quiet:hover { background: var(--sunken); border-color: var(--line); }
.button[aria-busy="true"] { opacity: 0.65; cursor: progress; }
.field {
  width: 100%;
  min-height: 3rem;
  padding: 0.5rem 0.875rem;
  border: 1px solid var(--edge);
  border-radius: 0.75rem;
  background: var(--surface);
}
.field::placeholder { color: var(--soft); opacity: 1; }
.field:focus-visible { outline-offset: 0; border-color: var(--accent); border-radius: 0.75rem; }
.field[aria-invalid="true"] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.soft { color: var(--soft); }
.error { color: var(--bad); font-weight: 500; }
.alert { padding: 0.875rem 1rem; border: 1px solid; border-radius: 0.75rem; }
.alert.bad { background: var(--bad-wash); border-color: var(--bad); }
.alert.warn { background: var(--warn-wash); border-color: var(--warn); }
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
@media (prefers-reduced-motion: no-preference) {
  .button { transition: background-color 120ms, border-color 120ms; }
}
@media (forced-colors: active) {
  .alert, .button { border: 1px solid; }
}
`,
);
