import { createAsset } from "../asset.js";

/**
 * The dashboard's one script. Everything works without it; with it a page keeps itself up to date. When something has happened the page is asked for again, and what
 * differs is put in its place: what the reader has typed, chosen, unfolded, focused or scrolled to stays.
 */
export const dashboardScript = createAsset(
  "dashboard",
  "js",
  `"use strict";
document.documentElement.classList.add("scripted");
const shell = () => document.getElementById("shell");

// Bringing the page up to date.

const STATEFUL = new Set(["INPUT", "SELECT", "TEXTAREA"]);
const keyOf = (node) => (node.nodeType === 1 && node.id) || "";
const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== 1) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (STATEFUL.has(from.nodeName)) {
    if (isDirty(from)) return;
    const { value } = to;
    morphAttributes(from, to);
    morphChildren(from, to);
    if (from.type !== "checkbox" && from.type !== "radio" && from.type !== "file") from.value = value;
    return;
  }
  morphAttributes(from, to);
  morphChildren(from, to);
}

/** Whether the reader has changed it, or is about to. */
function isDirty(field) {
  if (field === document.activeElement) return true;
  if (field.type === "hidden") return false;
  if (field.nodeName === "SELECT") return field.selectedIndex !== Math.max(0, [...field.options].findIndex((one) => one.defaultSelected));
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

function morphAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (to.hasAttribute(name) || name === "data-state" || (name === "open" && from.nodeName === "DETAILS")) continue;
    from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

function morphChildren(from, to) {
  const keyed = new Map();
  for (const child of from.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
  let at = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const key = keyOf(wanted);
    const known = key === "" ? undefined : keyed.get(key);
    if (known !== undefined && known.nodeName === wanted.nodeName) {
      if (known === at) at = at.nextSibling;
      else from.insertBefore(known, at);
      morph(known, wanted);
    } else if (at !== null && key === "" && isSame(at, wanted)) {
      morph(at, wanted);
      at = at.nextSibling;
    } else {
      from.insertBefore(document.importNode(wanted, true), at);
    }
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

let isFetching = false;
let isStale = false;

async function refresh() {
  if (isFetching) {
    isStale = true;
    return;
  }
  isFetching = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" }, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("shell");
    // Signed out, or the company is gone: the browser shows what there is.
    if (answer.redirected || next === null) return location.reload();
    if (document.title !== page.title) document.title = page.title;
    morph(shell(), next);
    readClock();
    shell().dispatchEvent(new CustomEvent("refreshed"));
  } catch {
    // The sandbox has stopped; the stream tries again by itself.
  } finally {
    isFetching = false;
    if (isStale) {
      isStale = false;
      void refresh();
    }
  }
}

const RETRY_MS = 5000;
let stream;

function connect() {
  const url = shell()?.dataset.live;
  if (url === undefined || stream !== undefined || document.visibilityState === "hidden") return;
  stream = new EventSource(url);
  let wasLost = false;
  stream.addEventListener("changed", refresh);
  stream.addEventListener("error", () => {
    wasLost = true;
    shell()?.setAttribute("data-state", "lost");
    if (stream?.readyState !== EventSource.CLOSED) return;
    // Refused, not broken off: signed out, say, or too many pages are open. It would not try again by itself.
    disconnect();
    void refresh();
    setTimeout(connect, RETRY_MS);
  });
  stream.addEventListener("open", () => {
    if (wasLost) void refresh();
    wasLost = false;
    shell()?.setAttribute("data-state", "live");
  });
}

function disconnect() {
  stream?.close();
  stream = undefined;
}

// A browser has few connections to one host: a page that nobody sees needs none.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") disconnect();
  else if (stream === undefined) {
    connect();
    void refresh();
  }
});
addEventListener("pagehide", disconnect);

// The company's clock, between two refreshes.

let clockRead;

function readClock() {
  const clock = document.querySelector("[data-now]");
  clockRead = clock?.dataset.runs === undefined ? undefined : { clock, at: Number(clock.dataset.now), since: performance.now() };
}

setInterval(() => {
  if (clockRead === undefined) return;
  const passed = performance.now() - clockRead.since;
  // "In 4m" is another time by now.
  if (passed > 10_000 && document.visibilityState === "visible") void refresh();
  const now = new Date(clockRead.at + passed);
  clockRead.clock.textContent = now.toISOString().slice(0, 19).replace("T", " ");
}, 1000);

// Fields and buttons.

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-submits]")) target.form.submit();
  // A choice of examples fills in the field that it is for.
  if (target.matches("[data-fills]")) {
    const field = document.getElementById(target.dataset.fills);
    if (target.value !== "") field.value = target.value;
    field.focus();
  }
});

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (button === null) return;
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
});

// What takes a while is not sent a second time.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.waits === undefined) return;
  if (form.dataset.state === "waits") event.preventDefault();
  else form.dataset.state = "waits";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-waits]")) form.removeAttribute("data-state");
});

readClock();
connect();
// On a narrow screen the sections are one line.
document.querySelector('.sections [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "center" });
`,
);
