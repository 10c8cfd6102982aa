import { createAsset } from "../pages/asset.js";

/** The payment page's own style: a bill on the left and the desk at which it is paid on the right; on a phone one below the other. */
export const checkoutStyle = createAsset(
  "checkout",
  "css",
  `:root {
  --bill: #0a4d38;
  --bill-deep: #073a2a;
  --bill-ink: #ffffff;
  --bill-soft: #c4ded2;
  --bill-line: rgb(255 255 255 / 18%);
  --gold: #f5c45e;
}
body { min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; }
.mode {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0.25rem 1rem;
  padding: 0.625rem 1.25rem;
  background: var(--warn-wash);
  color: var(--warn);
  font-size: 0.875rem;
  font-weight: 500;
}
.mode nav { display: flex; gap: 1rem; }
.mode a { color: inherit; font-weight: 400; }
.mode a[aria-current] { font-weight: 600; text-decoration: none; }
.checkout {
  width: 100%;
  max-width: 58rem;
  margin: auto;
  padding: 1rem;
  display: grid;
  gap: 0;
}
.bill, .desk { padding: 1.5rem; min-width: 0; }
.bill {
  background: linear-gradient(160deg, var(--bill), var(--bill-deep));
  color: var(--bill-ink);
  border-radius: 1.25rem 1.25rem 0 0;
  display: flex;
  flex-direction: column;
  gap: 1rem;
}
.bill :focus-visible { outline-color: var(--gold); }
.merchant { display: flex; align-items: center; gap: 0.75rem; min-width: 0; }
.merchant p { min-width: 0; line-height: 1.3; }
.merchant strong { display: block; font-size: 1.0625rem; }
.merchant .to, .details dt { color: var(--bill-soft); font-size: 0.875rem; }
.avatar {
  flex: none;
  width: 2.75rem;
  height: 2.75rem;
  border-radius: 0.875rem;
  background: var(--gold);
  color: #3b2a00;
  display: grid;
  place-items: center;
  font-size: 1.25rem;
  font-weight: 700;
}
.amount {
  font-size: clamp(2.25rem, 9vw, 3rem);
  line-height: 1.1;
  font-weight: 700;
  letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums;
}
.description { font-size: 1.0625rem; }
.details { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; padding-top: 1rem; border-top: 1px solid var(--bill-line); }
.details div { min-width: 0; }
.details dd { font-weight: 500; }
.left { font-variant-numeric: tabular-nums; }
.left.short { color: var(--gold); }
.stands { display: block; color: var(--bill-soft); font-size: 0.8125rem; font-weight: 400; }
.desk {
  background: var(--surface);
  border-radius: 0 0 1.25rem 1.25rem;
  box-shadow: var(--shadow);
}
.desk:only-child { border-radius: 1.25rem; max-width: 30rem; width: 100%; margin: auto; }
.desk .alert { margin-bottom: 1.25rem; }
.desk .alert code { color: var(--soft); }
.label { display: block; margin-bottom: 0.375rem; font-weight: 600; }
.field { font-size: 1.125rem; font-variant-numeric: tabular-nums; }
.hint { margin-top: 0.375rem; color: var(--soft); font-size: 0.875rem; }
.hint.error { color: var(--bad); }
.numbers { margin-top: 1.25rem; }
.numbers h2 { font-size: 1rem; }
.numbers .hint { margin-top: 0; }
.numbers ul {
  list-style: none;
  margin-top: 0.625rem;
  display: grid;
  gap: 0.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 100%), 1fr));
}
.number {
  position: relative;
  display: block;
  height: 100%;
  padding: 0.5rem 0.75rem 0.5rem 1.75rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  color: var(--ink);
  text-decoration: none;
  line-height: 1.35;
}
.number::before {
  content: "";
  position: absolute;
  left: 0.75rem;
  top: 0.875rem;
  width: 0.5rem;
  height: 0.5rem;
  border-radius: 50%;
  background: var(--good);
}
.number.failed::before, .number.refused::before { background: var(--bad); border-radius: 1px; }
.number:hover { border-color: var(--accent); color: var(--ink); }
.number:focus-visible { border-radius: 0.75rem; }
.number[aria-current] { border-color: var(--accent); background: var(--accent-wash); box-shadow: inset 0 0 0 1px var(--accent); }
.digits { display: block; font-variant-numeric: tabular-nums; font-size: 0.9375rem; font-weight: 500; }
.effect { display: block; color: var(--soft); font-size: 0.8125rem; }
.buttons { display: grid; gap: 0.5rem; margin-top: 1.5rem; }
.buttons .button:first-child { min-height: 3.25rem; font-size: 1.0625rem; }
.notice { display: flex; flex-direction: column; align-items: flex-start; justify-content: center; gap: 0.75rem; }
.notice .button { margin-top: 0.75rem; }
.sign { fill: none; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; stroke: currentcolor; }
.sign circle { stroke: none; fill: currentcolor; opacity: 0.14; }
.sign.good { color: var(--good); }
.sign.wait { color: var(--warn); }
.sign.bad { color: var(--bad); }
@media (min-width: 52rem) {
  .checkout { grid-template-columns: 21rem minmax(0, 1fr); padding: 2rem 1.5rem; }
  .bill { border-radius: 1.25rem 0 0 1.25rem; padding: 2.25rem 2rem; gap: 1.25rem; }
  .bill .details { flex-direction: column; margin-top: auto; }
  .desk { border-radius: 0 1.25rem 1.25rem 0; padding: 2.25rem; }
  .buttons { grid-template-columns: minmax(0, 1fr) auto; }
}
@media (forced-colors: active) {
  .bill, .desk, .number { border: 1px solid; }
}
`,
);
