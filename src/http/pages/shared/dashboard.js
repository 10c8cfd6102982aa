"use strict";
/*
 * The dashboard works without this script. With it a page keeps itself up to date: after a change it loads itself again and morphs into the new page. What
 * the reader has typed, chosen, unfolded, focused or scrolled to stays.
 */
const shell = () => document.getElementById("shell");

// Keeping the page up to date.

const FIELDS = new Set(["INPUT", "SELECT", "TEXTAREA"]);

const callbacks = {
  beforeNodeMorphed: (node, next) => !(FIELDS.has(node.nodeName) && isDirty(node)) && !isKept(node, next),
  beforeAttributeUpdated: (name, element) =>
    !["data-state", "hidden", "aria-pressed", "inert"].includes(name) &&
    !(name === "open" && element.nodeName === "DETAILS"),
};

/** Whether the reader has changed the field, or is about to. */
function isDirty(field) {
  if (field === document.activeElement) return true;
  if (field.type === "hidden") return false;
  if (field.nodeName === "SELECT") {
    const preset = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(0, preset);
  }
  return field.value !== field.defaultValue;
}

// Nothing changes under the pointer, and new rows wait while a list is read.

let isPaused = false;
let isWaiting = false;
let isReleased = false;

function isKept(node, next) {
  if (node.matches?.("[data-newer]")) return true;
  if (isReleased || !node.matches?.("[data-feed], .scroll, .strip")) return false;
  const isFeed = node.dataset.feed !== undefined;
  const isRead =
    node.matches(":hover") || (isFeed && (isPaused || scrollY > 0 || node.contains(document.activeElement)));
  if (!isRead) return false;
  isWaiting = true;
  if (isFeed) announce(rowsOf(next));
  return true;
}

const rowsOf = (feed) => [...feed.querySelectorAll(":scope > li, tbody > tr")];

function announce(rows) {
  const button = document.querySelector("[data-newer]");
  if (button === null) return;
  const fresh = rows.filter(({ id }) => document.getElementById(id) === null).length;
  button.hidden = fresh === 0;
  button.textContent = `${fresh}${fresh === rows.length ? "+" : ""} new ↑`;
}

/** Shows the rows that waited, unless the reader still reads a list. With `all` it shows them in any case. */
function release(all) {
  if (!isWaiting && !all) return;
  isReleased = all;
  void refresh();
}

document.addEventListener("mouseout", ({ target, relatedTarget }) => {
  const calm = target.closest("[data-feed], .scroll, .strip");
  if (calm !== null && !calm.contains(relatedTarget)) release(false);
});
addEventListener("scroll", () => scrollY === 0 && release(false), { passive: true });

// Times in the reader's own zone.

function showTimes(root) {
  const isLocal = localStorage.getItem("zone") === "local";
  for (const button of root.querySelectorAll("[data-zone]")) button.textContent = isLocal ? "Local time" : "UTC";
  if (!isLocal) return;
  for (const time of root.querySelectorAll("time[datetime]")) time.textContent = localTime(time);
}

/** In the form of Sweden: `2026-01-15 09:00:00`. */
function localTime({ dateTime, dataset }) {
  const zone = dataset.exact === undefined ? {} : { timeZoneName: "longOffset" };
  return new Date(dateTime).toLocaleString("sv", zone).replace(" GMT", dateTime.slice(19, 23));
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
    // Signed out, or the company is gone: let the browser show that.
    if (answer.redirected || next === null) return location.reload();
    if (document.title !== page.title) document.title = page.title;
    showTimes(next);
    isWaiting = false;
    Idiomorph.morph(shell(), next, { callbacks });
    if (!isWaiting) announce([]);
  } catch {
    // The sandbox has stopped; the event stream reconnects by itself.
  } finally {
    isFetching = false;
    if (!isStale) isReleased = false;
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
  stream.addEventListener("changed", refresh);
  stream.addEventListener("error", () => {
    shell()?.setAttribute("data-state", "lost");
    if (stream?.readyState !== EventSource.CLOSED) return;
    // Refused, for example because of a sign-out or too many open pages. The stream does not reconnect by itself.
    disconnect();
    void refresh();
    setTimeout(connect, RETRY_MS);
  });
  stream.addEventListener("open", () => {
    // Something may have happened since the page was rendered, or while the stream was lost.
    void refresh();
    shell()?.setAttribute("data-state", "live");
  });
}

function disconnect() {
  stream?.close();
  stream = undefined;
}

// Browsers limit connections per host: hidden pages disconnect.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") disconnect();
  else if (stream === undefined) {
    connect();
    void refresh();
  }
});
addEventListener("pagehide", disconnect);

// While the clock runs, relative times like "in 4m" become outdated.
setInterval(() => {
  if (document.querySelector("[data-runs]") !== null && document.visibilityState === "visible") void refresh();
}, 10_000);

// Fields and buttons.

document.addEventListener("click", ({ target }) => {
  if (target.matches("[data-newer]")) {
    scrollTo(0, 0);
    release(true);
  } else if (target.matches("[data-pause]")) {
    isPaused = !isPaused;
    target.setAttribute("aria-pressed", String(isPaused));
    release(false);
  } else if (target.matches("[data-zone]")) {
    localStorage.setItem("zone", localStorage.getItem("zone") === "local" ? "utc" : "local");
    location.reload();
  } else if (target.matches("[data-copy]")) void copy(target);
});

async function copy(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

document.addEventListener("input", ({ target }) => {
  if (target.id !== "company-search") return;
  for (const item of document.querySelectorAll("#companies li")) item.hidden = !item.textContent.includes(target.value);
});

// Keys: the list of them is in the page.

let isGoing = false;

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || FIELDS.has(target.nodeName)) return;
  const section = isGoing ? document.querySelector(`.sections [data-key="${CSS.escape(key)}"]`) : null;
  isGoing = key === "g";
  if (section !== null) section.click();
  else if (key === "/") document.getElementById("search")?.focus();
  else if (key === "?") document.getElementById("keys")?.togglePopover();
  else return;
  event.preventDefault();
});

// A form is sent only once, also when the answer takes a while.
document.addEventListener("submit", ({ target }) => target.setAttribute("inert", ""));
addEventListener("pageshow", () => {
  for (const form of document.forms) form.removeAttribute("inert");
});

showTimes(document);
connect();
// On a narrow screen the navigation is one line. `scrollIntoView` would also move the place from which Tab goes on.
const current = document.querySelector('.sections [aria-current="page"]');
current?.closest(".sections").scrollTo({ left: current.offsetLeft + (current.offsetWidth - innerWidth) / 2 });
