"use strict";
/*
 * The payment page works without this script. With it the time counts down, the page is replaced as soon as the charge changes, a test number fills the
 * field in place, and a form is sent once.
 */
(() => {
  const page = document.querySelector("main[data-version]");
  const { version, next, status } = page.dataset;
  const form = document.getElementById("payment");
  const field = document.getElementById("msisdn");
  const clock = document.getElementById("left");
  const stands = document.getElementById("stands");
  const FOLLOW_MS = 1000;
  const GIVEN_UP_MS = 15000;
  let sent = false;

  /* The number is kept on another page of this charge. */
  function keep(address) {
    const url = new URL(address, location.href);
    if (field?.value) url.searchParams.set("msisdn", field.value);
    else if (field) url.searchParams.delete("msisdn");
    return url.href;
  }

  const two = (number) => String(number).padStart(2, "0");
  const left = { ms: Number(clock?.dataset.left), runs: clock?.hasAttribute("data-runs"), since: performance.now() };

  function showLeft() {
    if (clock === null) return;
    const passed = left.runs ? performance.now() - left.since : 0;
    const total = Math.ceil(Math.max(0, left.ms - passed) / 1000);
    const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
    const text = (hours > 0 ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds);
    if (clock.textContent === text) return;
    clock.textContent = text;
    clock.dateTime = "PT" + (hours > 0 ? hours + "H" : "") + (minutes > 0 ? minutes + "M" : "") + seconds + "S";
    clock.classList.toggle("short", total < 60);
  }

  /* A new version of the charge is a new page. Answers after a form was sent are ignored. */
  async function follow() {
    try {
      const answer = document.hidden || sent ? undefined : await fetch(status, { cache: "no-store" });
      if (answer?.status === 404) return location.replace(keep(next));
      if (answer?.ok) {
        const now = await answer.json();
        if (!sent && now.version !== version) return location.replace(keep(next));
        Object.assign(left, { ms: now.leftMs, runs: now.isRunning, since: performance.now() });
        if (stands !== null) stands.hidden = now.isRunning;
      }
    } catch {
      /* The sandbox may be restarting. */
    }
    setTimeout(follow, FOLLOW_MS);
  }

  form?.addEventListener("submit", (event) => {
    if (sent) return event.preventDefault();
    sent = true;
    event.submitter?.setAttribute("aria-busy", "true");
    /* No answer: allow another try. */
    setTimeout(() => {
      sent = false;
      event.submitter?.removeAttribute("aria-busy");
    }, GIVEN_UP_MS);
  });
  /* Back from the merchant: the browser may show an old page from its cache. */
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.replace(keep(next));
  });

  for (const link of document.querySelectorAll("a[hreflang]"))
    link.addEventListener("click", () => (link.href = keep(link.href)));

  const numbers = [...document.querySelectorAll("a[data-number]")];
  const showChosen = () => {
    for (const number of numbers) {
      if (number.dataset.number === field.value) number.setAttribute("aria-current", "true");
      else number.removeAttribute("aria-current");
    }
  };
  for (const number of numbers) {
    number.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      field.value = number.dataset.number;
      field.removeAttribute("aria-invalid");
      showChosen();
    });
  }
  field?.addEventListener("input", showChosen);

  setInterval(showLeft, 200);
  setTimeout(follow, FOLLOW_MS);
})();
