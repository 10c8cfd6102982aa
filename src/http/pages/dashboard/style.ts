import { createAsset } from "../asset.js";

/** The dashboard's own, beside what all pages share: denser, and with tables. */
export const dashboardStyle = createAsset(
  "dashboard",
  "css",
  `.skip { position: absolute; left: -100vw; top: 0.5rem; z-index: 3; padding: 0.5rem 1rem; background: var(--surface); }
.skip:focus { left: 0.5rem; }
.shell {
  display: grid;
  grid-template: "bar bar" auto "sections main" 1fr / 12.5rem minmax(0, 1fr);
  min-height: 100vh;
  font-size: 0.875rem;
}
.bar {
  grid-area: bar;
  position: sticky;
  top: 0;
  z-index: 2;
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem 1rem;
  min-height: 3.25rem;
  padding: 0.5rem 1.25rem;
  background: var(--surface);
  border-bottom: 1px solid var(--line);
}
.brand { color: var(--ink); font-size: 1rem; text-decoration: none; }
.brand b { color: var(--accent); }
.switcher { display: flex; gap: 0.25rem; margin-right: auto; min-width: 0; }
.switcher select { max-width: 16rem; font-family: var(--mono); font-size: 0.8125rem; }
.scripted .scriptless { display: none; }
.lost > span { display: none; color: var(--bad); }
.shell[data-state="lost"] .lost > span { display: inline; }
.clock { display: inline-flex; align-items: center; gap: 0.5rem; color: var(--ink); text-decoration: none; white-space: nowrap; }
.clock:hover .time { text-decoration: underline; }
.sections { grid-area: sections; padding: 1rem 0.75rem; border-right: 1px solid var(--line); }
.group { display: grid; gap: 1px; margin-bottom: 1.125rem; }
.group-title {
  padding: 0 0.5rem 0.25rem;
  color: var(--soft);
  font-size: 0.6875rem;
  font-weight: 600;
  letter-spacing: 0.06em;
  text-transform: uppercase;
}
.sections a { padding: 0.3125rem 0.5rem; border-radius: 0.375rem; color: var(--ink); text-decoration: none; }
.sections a:hover { background: var(--sunken); }
.sections a[aria-current="page"] { background: var(--accent-wash); color: var(--accent-strong); font-weight: 600; }
.version { padding: 0 0.5rem; font-size: 0.75rem; }
main { grid-area: main; }
.shell main { display: grid; align-content: start; gap: 1.25rem; padding: 1.5rem; max-width: 82rem; width: 100%; }
main:focus-visible { outline: none; }
.heading { display: grid; gap: 0.25rem; }
.heading h1 { font-size: 1.375rem; }
h2 { font-size: 1rem; }
h3 { font-size: 0.875rem; }
.panel {
  display: grid;
  align-content: start;
  gap: 0.875rem;
  min-width: 0;
  padding: 1rem 1.25rem 1.25rem;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 0.625rem;
}
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 1.25rem; align-items: start; }
.scroll { position: relative; overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 0.625rem; }
.panel .scroll { margin: 0 -1.25rem -1.25rem; border-width: 1px 0 0; border-radius: 0 0 0.625rem 0.625rem; }
.panel .scroll:not(:last-child) { margin-bottom: 0; border-bottom-width: 1px; border-radius: 0; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: baseline; }
th:first-child, td:first-child { padding-left: 1.25rem; }
th:last-child, td:last-child { padding-right: 1.25rem; }
thead th {
  color: var(--soft);
  font-size: 0.75rem;
  font-weight: 600;
  white-space: nowrap;
  background: var(--sunken);
  border-bottom: 1px solid var(--line);
}
tbody tr:not(:last-child) > * { border-bottom: 1px solid var(--line); }
tbody tr:hover > * { background: var(--sunken); }
td { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.wide { width: 100%; min-width: 14rem; white-space: normal; }
.time { font-family: var(--mono); font-size: 0.8125rem; white-space: nowrap; }
.amount { font-variant-numeric: tabular-nums; white-space: nowrap; }
.code, .text { font-family: var(--mono); font-size: 0.8125rem; }
.pill {
  display: inline-block;
  padding: 0 0.5rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--sunken);
  color: var(--ink);
  font-size: 0.75rem;
  font-weight: 500;
  line-height: 1.25rem;
  white-space: nowrap;
}
.pill.good { background: var(--accent-wash); border-color: var(--accent-wash); color: var(--accent-strong); }
.pill.bad { background: var(--bad-wash); border-color: var(--bad-wash); color: var(--bad); }
.pill.warn { background: var(--warn-wash); border-color: var(--warn-wash); color: var(--warn); }
.pill.info { background: var(--info-wash); border-color: var(--info-wash); color: var(--info); }
:root { --info: #1b4f8f; --info-wash: #e5eefa; }
.empty { padding: 1.5rem 1.25rem; border: 1px dashed var(--line); border-radius: 0.625rem; color: var(--soft); }
.panel .empty { padding: 0; border: 0; }
.facts { display: grid; gap: 0.5rem; }
.facts > div { display: grid; grid-template-columns: minmax(6rem, 9rem) minmax(0, 1fr); gap: 0.75rem; }
.facts dt { color: var(--soft); }
.text {
  max-height: 28rem;
  margin: 0;
  padding: 0.75rem 1rem;
  overflow: auto;
  background: var(--sunken);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  line-height: 1.45;
  white-space: pre-wrap;
}
.stack { display: grid; gap: 0.625rem; min-width: 0; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; justify-content: space-between; }
.grow { flex: 1 1 16rem; }
.big { font-size: 1.25rem; font-weight: 600; }
.big .time { font-size: 1.125rem; }
.big .soft { font-size: 0.875rem; font-weight: 400; }
progress { width: 100%; height: 0.5rem; accent-color: var(--accent); }
.matrix th[scope="row"] { font-weight: 400; white-space: nowrap; }
.matrix .mark { text-align: center; padding-inline: 0.5rem; }
.met { white-space: nowrap; font-variant-numeric: tabular-nums; }
.met.yes { color: var(--accent-strong); font-weight: 600; }
.met.no { color: var(--soft); }
.value { display: flex; flex-wrap: wrap; align-items: start; gap: 0.25rem 0.5rem; min-width: 9rem; max-width: 22rem; white-space: normal; }
.settings { table-layout: fixed; }
.settings th:nth-child(1), .settings td:nth-child(1) { width: 17rem; min-width: 15rem; }
.settings th:nth-child(3), .settings td:nth-child(3) { width: 18rem; min-width: 11rem; }
.settings .wide { width: auto; }
.settings tbody th { padding-top: 1rem; background: var(--sunken); font-size: 0.8125rem; text-align: left; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1px; margin: 0 -1.25rem -1.25rem; overflow: hidden; background: var(--line); border-top: 1px solid var(--line); border-radius: 0 0 0.625rem 0.625rem; }
.tiles > div { padding: 0.75rem 1.25rem; background: var(--surface); }
.tiles dt { color: var(--soft); font-size: 0.75rem; }
.tiles dd { font-size: 1rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.finding { border-left-width: 3px; }
.lines { display: grid; gap: 0.25rem; padding-left: 1.25rem; }
blockquote { margin: 0; padding-left: 0.875rem; border-left: 3px solid var(--accent); }
.pager { display: flex; justify-content: space-between; }
.filter { display: flex; flex-wrap: wrap; gap: 0.375rem; }
.filter a {
  padding: 0.125rem 0.625rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--surface);
  color: var(--ink);
  font-size: 0.8125rem;
  text-decoration: none;
}
.filter a:hover { border-color: var(--edge); }
.filter a[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: start; }
.action { display: grid; gap: 0.75rem; min-width: 0; }
.action-line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; min-width: 0; }
td .action { min-width: max-content; }
td .action-line { flex-wrap: nowrap; }
td .action-line:has(.curl[open]) { flex-wrap: wrap; }
td .actions { flex-wrap: nowrap; gap: 0.25rem; }
td .action-line { gap: 0.125rem; }
td .command { width: 24rem; white-space: normal; }
td .act { min-height: 1.75rem; padding-block: 0.0625rem; font-size: 0.8125rem; }
.action.inline { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem; }
.action.inline .labelled { flex: 1 1 12rem; }
.act {
  white-space: nowrap;
  overflow-wrap: normal;
  min-height: 2rem;
  padding: 0.25rem 0.75rem;
  border: 1px solid var(--accent);
  border-radius: 0.4375rem;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  cursor: pointer;
}
.act:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
.act.quiet { background: var(--surface); border-color: var(--edge); color: var(--ink); font-weight: 500; }
.act.quiet:hover { background: var(--sunken); border-color: var(--ink); }
.act.danger { background: var(--surface); border-color: var(--bad); color: var(--bad); font-weight: 500; }
.act.danger:hover { background: var(--bad-wash); }
.input {
  min-height: 2rem;
  min-width: 0;
  width: 100%;
  padding: 0.25rem 0.625rem;
  border: 1px solid var(--edge);
  border-radius: 0.4375rem;
  background: var(--surface);
}
textarea.input { font-family: var(--mono); font-size: 0.8125rem; line-height: 1.45; resize: vertical; }
.input::placeholder { color: var(--soft); opacity: 1; }
.labelled { display: grid; gap: 0.25rem; min-width: 0; }
.labelled > span { font-weight: 500; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: 0.75rem; align-items: end; }
.curl { min-width: 0; }
.curl[open] { flex-basis: 100%; }
.curl summary { display: inline-block; padding: 0.125rem 0.375rem; border-radius: 0.25rem; color: var(--soft); font-family: var(--mono); font-size: 0.75rem; cursor: pointer; }
.curl summary::before { content: "▸ "; }
.curl[open] summary::before { content: "▾ "; }
.curl summary:hover { color: var(--ink); background: var(--sunken); }
.command {
  display: flex;
  align-items: start;
  gap: 0.5rem;
  min-width: 0;
  margin-top: 0.25rem;
  padding: 0.375rem 0.375rem 0.375rem 0.75rem;
  background: var(--sunken);
  border: 1px solid var(--line);
  border-radius: 0.4375rem;
}
.command code { flex: 1; min-width: 0; padding: 0.125rem 0; font-size: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.copy { display: none; padding: 0 0.5rem; border: 1px solid var(--edge); border-radius: 0.3125rem; background: var(--surface); font-size: 0.75rem; cursor: pointer; }
.scripted .copy { display: block; }
.copy:hover { border-color: var(--ink); }
.busy > span { display: none; }
form[data-state="waits"] .busy > span { display: inline; }
form[data-state="waits"] .act { opacity: 0.6; }
.codes { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; min-width: 0; }
.codes h3, .codes details[open] { flex: 1 0 100%; min-width: 0; }
.codes .text { margin-top: 0.375rem; }
.outcome { display: grid; gap: 0.5rem; background: var(--surface); }
.outcome.good { border-color: var(--good); background: var(--accent-wash); }
.outcome.bad { background: var(--bad-wash); }
.outcome ul { padding-left: 1.25rem; }
.outcome .command { background: var(--surface); }
summary { cursor: pointer; }
.shell a.plain { color: inherit; text-decoration: none; }
.shell a.plain:hover { text-decoration: underline; }
.sign-in { display: grid; gap: 1rem; width: min(26rem, 100% - 2rem); margin: 12vh auto 2rem; padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow); }
.sign-in form { display: grid; gap: 1rem; }
@media (prefers-color-scheme: dark) {
  :root { --info: #9cc4f7; --info-wash: #1a2c44; }
}
@media (max-width: 48rem) {
  .shell { grid-template: "bar" auto "sections" auto "main" 1fr / minmax(0, 1fr); }
  .bar { position: static; padding: 0.5rem 1rem; }
  .switcher { order: 3; flex: 1 1 100%; }
  .switcher select { max-width: none; }
  .clock { margin-left: auto; }
  .sections { display: flex; gap: 0.25rem; padding: 0.5rem 1rem; overflow-x: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  .group { display: contents; }
  .group-title, .version { display: none; }
  .sections a { white-space: nowrap; }
  .shell main { padding: 1rem; }
  .brand { font-size: 0.875rem; }
  .bar { gap: 0.5rem; }
  .clock .time { font-size: 0.75rem; }
  .data thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .data, .data tbody { display: block; }
  .data tr { display: block; padding: 0.5rem 1rem; }
  .data tbody tr:not(:last-child) { border-bottom: 1px solid var(--line); }
  .data tbody tr > * { border: 0 !important; }
  .data td { display: flex; gap: 0.75rem; padding: 0.1875rem 0 !important; min-width: 0; text-align: left; white-space: normal; }
  .data td:has(> .cell:empty) { display: none; }
  .data td::before { content: attr(data-title); flex: 0 0 5.5rem; color: var(--soft); font-size: 0.75rem; line-height: 1.3125rem; }
  .data td[data-title=""]::before { display: none; }
  .cell { min-width: 0; }
  td .action { min-width: 0; }
  td .command { width: auto; }
  .settings, .settings tbody { display: block; }
  .settings thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .settings tr { display: block; padding: 0.5rem 1rem; }
  .settings tbody tr:not(:last-child) { border-bottom: 1px solid var(--line); }
  .settings tbody tr > * { display: block; width: auto !important; padding: 0.125rem 0 !important; border: 0 !important; background: none !important; }
  .matrix th:first-child { padding-left: 0.75rem; }
  .facts > div { grid-template-columns: 7rem minmax(0, 1fr); }
}
@media (forced-colors: active) {
  .pill, .panel, .act { border: 1px solid; }
}
`,
);
