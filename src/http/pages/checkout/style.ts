import { createAsset } from "../asset.js";

/** The payment page's own style: a bill on the left and the desk at which it is paid on the right; on a phone one below the other. */
export const checkoutStyle = createAsset(
  "checkout",
  "css",
  `:root {
  --bill: #0a4d38;
  --bill-light: #0d5a42;
  --bill-ink: #ffffff;
  --bill-soft: #c4ded2;
  --bill-line: #2b6853;
  --gold: #f5c45e;
}
html { scroll-padding-block: 1rem 7rem; }
body { min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; padding-bottom: 0.75rem; }
.mode {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0.25rem 1rem;
  margin-bottom: 0.75rem;
  padding: 0.5rem 1rem;
  background: var(--warn-wash);
  color: var(--warn);
  font-size: 0.8125rem;
  font-weight: 500;
}
.mode nav { display: flex; gap: 0.875rem; }
.mode a { color: inherit; font-weight: 400; }
.mode a[aria-current] { font-weight: 700; text-decoration: none; }
.checkout {
  width: min(100% - 1.5rem, 56rem);
  margin: 0 auto auto;
  display: grid;
  border-radius: 1.25rem;
  background: var(--surface);
  box-shadow: var(--shadow);
  overflow: clip;
}
.checkout:has(> .desk:only-child) { width: min(100% - 1.5rem, 30rem); }
.bill, .desk { padding: 1.5rem 1.25rem; min-width: 0; }
.bill {
  display: flex;
  flex-direction: column;
  gap: 0.75rem;
  color: var(--bill-ink);
  background: radial-gradient(circle at 100% 0, var(--bill-light) 9.9rem, transparent 10rem) var(--bill);
}
.merchant { display: flex; align-items: center; gap: 0.75rem; min-width: 0; }
.merchant p { min-width: 0; line-height: 1.35; }
.merchant strong { display: block; font-size: 1.0625rem; }
.merchant .to, .details dt { color: var(--bill-soft); font-size: 0.875rem; }
.avatar {
  flex: none;
  display: grid;
  place-items: center;
  width: 2.75rem;
  height: 2.75rem;
  border-radius: 0.875rem;
  background: var(--gold);
  color: #3b2a00;
  font-size: 1.25rem;
  font-weight: 700;
}
.amount { margin-top: 0.5rem; line-height: 1.15; font-weight: 700; font-variant-numeric: tabular-nums; }
.sum { font-size: 2.375rem; letter-spacing: -0.01em; white-space: nowrap; }
.unit { font-size: 1.25rem; white-space: nowrap; }
.description { font-size: 1.0625rem; }
.details {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 2rem;
  margin-top: 0.25rem;
  padding-top: 0.875rem;
  border-top: 1px solid var(--bill-line);
}
.details div { min-width: 0; }
.details dd { font-weight: 500; }
.left { font-variant-numeric: tabular-nums; }
.left.short { color: var(--gold); }
.stands { display: block; max-width: 11rem; color: var(--bill-soft); font-size: 0.8125rem; font-weight: 400; }
.desk .alert { margin-bottom: 1.25rem; font-size: 0.9375rem; }
.label { display: block; margin-bottom: 0.375rem; font-weight: 600; }
.field { font-size: 1.125rem; font-variant-numeric: tabular-nums; }
.hint { margin-top: 0.375rem; color: var(--soft); font-size: 0.8125rem; }
.hint.error { color: var(--bad); }
.numbers { margin-top: 1.25rem; }
.numbers h2 { font-size: 1rem; }
.numbers .hint { margin-top: 0.125rem; }
.numbers ul {
  margin-top: 0.625rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  list-style: none;
  font-size: 0.875rem;
  overflow: clip;
}
.numbers li + li { border-top: 1px solid var(--line); }
.number {
  position: relative;
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0 0.75rem;
  min-height: 2.75rem;
  padding: 0.375rem 0.875rem 0.375rem 2rem;
  color: var(--ink);
  text-decoration: none;
  line-height: 1.4;
}
.number::before {
  content: "";
  position: absolute;
  left: 0.875rem;
  top: 50%;
  width: 0.5rem;
  height: 0.5rem;
  margin-top: -0.25rem;
  border-radius: 50%;
  background: var(--good);
}
.number.failed::before, .number.refused::before { border-radius: 1px; background: var(--bad); }
.number:hover { background: var(--sunken); color: var(--ink); }
.number:focus-visible { outline-offset: -3px; border-radius: 0.75rem; }
.number[aria-current] { background: var(--accent-wash); box-shadow: inset 3px 0 0 var(--accent); }
.digits { font-variant-numeric: tabular-nums; font-weight: 500; white-space: nowrap; }
.effect { color: var(--soft); }
.number[aria-current] .effect { color: var(--ink); }
.buttons {
  position: sticky;
  bottom: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  margin: 1.25rem -1.25rem -1.5rem;
  padding: 0.75rem 1.25rem 1rem;
  background: var(--surface);
  border-top: 1px solid var(--line);
}
.buttons .button { flex: none; min-height: 3.25rem; padding-inline: 0.75rem; }
.buttons .button:first-child { flex: 1 1 11rem; font-size: 1.0625rem; font-variant-numeric: tabular-nums; }
.notice { display: flex; flex-direction: column; align-items: flex-start; justify-content: center; gap: 0.75rem; }
.notice .button { margin-top: 0.75rem; }
.sign { fill: none; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; stroke: currentcolor; }
.sign circle { stroke: none; fill: currentcolor; opacity: 0.14; }
.sign.good { color: var(--good); }
.sign.wait { color: var(--warn); }
.sign.bad { color: var(--bad); }
@media (min-width: 52rem) {
  .checkout { grid-template-columns: 20.5rem minmax(0, 1fr); margin: auto; }
  .checkout:has(> .desk:only-child) { grid-template-columns: minmax(0, 1fr); }
  body { padding-bottom: 1.5rem; }
  .mode { margin-bottom: 1.5rem; }
  .bill, .desk { padding: 2rem 2.25rem; }
  .stands { max-width: none; }
  .buttons .button { padding-inline: 1.25rem; }
  .bill { gap: 1rem; }
  .amount { margin-top: 1rem; }
  .bill .details { flex-direction: column; margin-top: auto; padding-top: 1.25rem; }
  .number { min-height: 2.375rem; padding-block: 0.25rem; }
  .buttons { position: static; margin: 1.5rem 0 0; padding: 0; border: 0; }
  .notice { min-height: 20rem; }
}
@media (forced-colors: active) {
  .checkout, .bill, .number { border: 1px solid; }
}
`,
);
