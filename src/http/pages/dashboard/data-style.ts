import { createAsset } from "../asset.js";

/** Of the pages that show what a company has: the story, drawings, search, bytes. */
export const dataStyle = createAsset(
  "data",
  "css",
  `.stack { display: grid; gap: 0.75rem; min-width: 0; }
.tools { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem 1.25rem; }
.search { display: flex; gap: 0.5rem; align-items: center; flex: 0 1 26rem; min-width: 0; }
.search .input { flex: 1; min-width: 0; }
.hint { display: grid; gap: 0.5rem; padding: 1.25rem; border: 1px dashed var(--edge); border-radius: 0.625rem; }
.panel .hint { padding: 0.875rem; }
.counts { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.count {
  display: grid;
  flex: 1 1 7.5rem;
  gap: 0.125rem;
  padding: 0.75rem 1rem;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 0.625rem;
  color: var(--ink);
  text-decoration: none;
}
.count:hover { border-color: var(--edge); color: var(--ink); }
.count b { font-size: 1.0625rem; white-space: nowrap; font-weight: 600; font-variant-numeric: tabular-nums; }
.count span { color: var(--soft); font-size: 0.8125rem; }
.two-lines { display: grid; gap: 0.125rem; }
.two-lines .code { font-size: 0.75rem; }
.minus { color: var(--bad); }
.plus { color: var(--good); }

.story { display: grid; padding: 0; list-style: none; background: var(--surface); border: 1px solid var(--line); border-radius: 0.625rem; }
.story > li { position: relative; display: grid; gap: 0.375rem; padding: 0.625rem 1.25rem 0.625rem 2.25rem; min-width: 0; }
.story > li:not(:last-child) { border-bottom: 1px solid var(--line); }
.story > li::before {
  content: "";
  position: absolute;
  top: 1.0625rem;
  left: 1rem;
  width: 0.5rem;
  height: 0.5rem;
  border-radius: 50%;
  background: var(--edge);
}
.story > li.good::before { background: var(--good); }
.story > li.warn::before { background: var(--warn); }
.story > li.bad::before { background: var(--bad); }
.story > li.quiet::before { background: var(--surface); box-shadow: inset 0 0 0 2px var(--edge); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.125rem 0.625rem; min-width: 0; }
.line > .grow { flex: 1 1 auto; }
.line .code { overflow-wrap: anywhere; }
.method { min-width: 2.125rem; font-family: var(--mono); font-size: 0.75rem; font-weight: 600; }
.changes, .hooks { display: grid; gap: 0.25rem; padding: 0; list-style: none; }
.changes > li, .hooks > li { position: relative; padding-left: 1.25rem; min-width: 0; }
.changes > li::before, .hooks > li::before { content: "↳"; position: absolute; left: 0; color: var(--soft); }
.changes > li { display: grid; gap: 0.25rem; }
.word { font-weight: 500; }

.figure { display: grid; gap: 0.5rem; min-width: 0; margin: 0; }
.drawing { display: block; max-width: none; font-family: inherit; }
.drawing.plot { width: 100%; min-width: 44rem; height: auto; }
.drawing-frame { overflow-x: auto; }
.state rect { fill: var(--sunken); stroke: var(--line); stroke-width: 1.5; }
.state text { fill: var(--soft); font-size: 12.5px; }
.state .when { font-family: var(--mono); font-size: 10.5px; }
.state.passed rect { fill: var(--surface); stroke: var(--accent); }
.state.passed text { fill: var(--ink); }
.state.now rect { fill: var(--accent-wash); stroke: var(--accent); stroke-width: 2.5; }
.state.now text { fill: var(--ink); }
.state.now .name { font-weight: 700; }
.move path { fill: none; stroke: var(--edge); stroke-width: 1.25; stroke-dasharray: 3 3; }
.move text { fill: var(--soft); font-size: 11px; }
.move.taken path { stroke: var(--accent); stroke-width: 2; stroke-dasharray: none; }
.move.taken text { fill: var(--ink); font-weight: 600; }
.arrow { fill: var(--edge); }
.arrow.taken { fill: var(--accent); }
.path { display: flex; flex-wrap: wrap; gap: 0.375rem 1.25rem; padding: 0; list-style: none; }
.path li { display: flex; gap: 0.5rem; align-items: baseline; }

.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.plot .balance-line { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.plot .balance-area { fill: var(--accent-wash); }
.plot .balance-now { fill: var(--accent); stroke: var(--surface); stroke-width: 2; }

.steps { display: grid; gap: 0.5rem; padding: 0; list-style: none; }
.stack > .empty { padding: 0.75rem 1.25rem; }
.steps > li { background: var(--surface); display: grid; gap: 0.5rem; padding: 0.625rem 0.875rem; border: 1px solid var(--line); border-radius: 0.5rem; min-width: 0; }
.steps > li.planned { border-style: dashed; background: transparent; }
.postings { display: grid; grid-template-columns: 4rem 8rem; gap: 0 0.75rem; justify-content: start; font-size: 0.8125rem; }
.postings > span:nth-child(odd) { color: var(--soft); text-align: left; }
@media (max-width: 48rem) {
  .search { flex: 1 1 100%; }
  .story > li { padding-right: 0.875rem; }
}
@media (forced-colors: active) {
  .move path, .balance-line, .state rect { stroke: CanvasText; }
}
`,
);
