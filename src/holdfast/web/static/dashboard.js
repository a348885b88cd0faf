// Times in the reader's zone, and pages that stay current. Nothing here is needed to read a page.
"use strict";

// Times: `<time datetime>` is written as people here write it; its age goes on with the clock.

const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function age(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) || units[3];
  return relative.format(Math.trunc(seconds / size), unit);
}

function writeTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const isToday = at.toDateString() === new Date().toDateString();
    if (time.dataset.form === "ago") time.textContent = age(at);
    else time.textContent = isToday ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
    time.title = whole.format(at);
  }
}

// News: when the ledger has grown the page is asked for again, and its live parts are replaced. A
// part in which somebody types, marks text or has opened a form is left alone; the focus stays where
// it was.

let isAsking = false;
let isGrown = false;

function isInUse(part) {
  const active = document.activeElement;
  const marked = getSelection();
  return (
    (part.contains(active) && active.matches("input, textarea, select")) ||
    (!marked.isCollapsed && part.contains(marked.anchorNode)) ||
    part.querySelector("details[open] form")
  );
}

function focusable(part) {
  return [...part.querySelectorAll("a[href], button, summary, [tabindex]")];
}

function isSame(one, other) {
  return one.tagName === other.tagName && one.textContent === other.textContent && one.href === other.href;
}

async function renew() {
  if (isAsking || document.hidden) return;
  isAsking = true;
  isGrown = false;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of document.querySelectorAll("[data-live]")) {
        const other = fresh.getElementById(part.id);
        if (other && other.innerHTML !== part.dataset.source && !isInUse(part)) replace(part, other);
      }
    }
  } catch {
    // The server is gone; the mark says so.
  }
  isAsking = false;
  if (isGrown) renew();
}

function replace(part, other) {
  const open = [...part.querySelectorAll("details[open][id]")].map((each) => each.id);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const place = focused ? focusable(part).indexOf(focused) : -1;
  const source = other.innerHTML;
  part.replaceChildren(...other.childNodes);
  part.dataset.source = source;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (place >= 0) {
    const fresh = focusable(part);
    const same = fresh.filter((each) => isSame(each, focused));
    const next = same.includes(fresh[place]) ? fresh[place] : same[0] ?? fresh[place];
    next?.focus({ preventScroll: true });
  }
  writeTimes(part);
  watchForms(part);
}

function listen() {
  const mark = document.querySelector("[data-live-mark]");
  const text = document.querySelector("[data-live-text]");
  const source = new EventSource("/live");
  let place = document.body.dataset.place; // where the ledger ended when this page was made
  source.addEventListener("grown", (event) => {
    if (event.data === place) return;
    place = event.data;
    isGrown = true;
    renew();
  });
  source.addEventListener("open", () => {
    mark.classList.remove("gone");
    text.textContent = "live";
  });
  source.addEventListener("error", () => {
    mark.classList.add("gone");
    text.textContent = "not connected";
  });
  addEventListener("pagehide", () => source.close());
}

// Forms: what cannot be undone is sent only when its name was typed.

function watchForms(root) {
  for (const form of root.querySelectorAll("form[data-typed]")) {
    const button = form.querySelector("button");
    const field = form.querySelector("input[name=typed]");
    const check = () => { button.disabled = field.value !== form.dataset.typed; };
    field.addEventListener("input", check);
    check();
  }
}

// Search as one types: the hits of the page that the form would lead to, in place of those here.

function watchSearch(form) {
  let timer = 0;
  let asked = "";
  const ask = async () => {
    const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
    if (address === asked) return;
    asked = address;
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok || asked !== address) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const hits = document.getElementById("hits");
    hits.replaceChildren(...fresh.getElementById("hits").childNodes);
    history.replaceState(null, "", address);
    writeTimes(hits);
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(ask, 200); };
  form.addEventListener("input", later);
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}

for (const form of document.querySelectorAll("form[data-search]")) watchSearch(form);
writeTimes(document);
watchForms(document);
for (const part of document.querySelectorAll("[data-live]")) part.dataset.source = "";
if (document.querySelector("[data-live-mark]")) listen();
setInterval(() => writeTimes(document), 15000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
