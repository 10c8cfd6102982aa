"use strict";
/*
 * The dashboard works without this script. With it a page keeps itself up to date: after a change it loads itself again and morphs into the new page. What
 * the reader has typed, chosen, unfolded, focused or scrolled to stays.
 */
document.documentElement.classList.add("scripted");
const shell = () => document.getElementById("shell");

// Keeping the page up to date.

const FIELDS = new Set(["INPUT", "SELECT", "TEXTAREA"]);

const callbacks = {
  beforeNodeMorphed: (node) => !(FIELDS.has(node.nodeName) && isDirty(node)),
  beforeAttributeUpdated: (name, element) =>
    name !== "data-state" && !(name === "open" && element.nodeName === "DETAILS"),
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
    Idiomorph.morph(shell(), next, { callbacks });
    readClock();
  } catch {
    // The sandbox has stopped; the event stream reconnects by itself.
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
    // Refused, for example because of a sign-out or too many open pages. The stream does not reconnect by itself.
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

// Browsers limit connections per host: hidden pages disconnect.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") disconnect();
  else if (stream === undefined) {
    connect();
    void refresh();
  }
});
addEventListener("pagehide", disconnect);

// The company's clock, between two updates.

let clockRead;

function readClock() {
  const clock = document.querySelector("[data-now]");
  clockRead =
    clock?.dataset.runs === undefined ? undefined : { clock, at: Number(clock.dataset.now), since: performance.now() };
}

setInterval(() => {
  if (clockRead === undefined) return;
  const passed = performance.now() - clockRead.since;
  // Relative times like "in 4m" are outdated.
  if (passed > 10_000 && document.visibilityState === "visible") void refresh();
  const now = new Date(clockRead.at + passed);
  clockRead.clock.textContent = now.toISOString().slice(0, 19).replace("T", " ");
}, 1000);

// Fields and buttons.

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-submits]")) target.form.submit();
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

// A slow form is sent only once.
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
// On a narrow screen the navigation is one line. `scrollIntoView` would also move the place from which Tab goes on.
const current = document.querySelector('.sections [aria-current="page"]');
current?.closest(".sections").scrollTo({ left: current.offsetLeft + (current.offsetWidth - innerWidth) / 2 });
