// Keeps a page fresh and adds keys. Everything works without it: it fetches the page that is shown,
// and replaces the parts of it that are marked as live.
"use strict";
(() => {
  const pauseMs = 1000;
  const body = document.body;
  const state = document.getElementById("live-state");
  const words = document.getElementById("live-words");
  const stale = document.getElementById("stale");
  const staleWords = document.getElementById("stale-words");
  let source = null;
  let isFetching = false;
  let isWanted = false;
  let lastMs = 0;
  let heard = new Date();

  const tell = (text, isLive) => {
    if (!state) return;
    state.hidden = false;
    state.classList.toggle("off", !isLive);
    words.textContent = text;
  };

  // The page says how old it is for as long as the store or the server does not answer.
  const tellStale = (sentence) => {
    document.body.classList.toggle("stale", sentence !== null);
    if (!stale) return;
    stale.hidden = sentence === null;
    if (sentence !== null) staleWords.textContent = sentence;
  };
  const tellLive = () => {
    heard = new Date();
    tell("live", true);
    tellStale(null);
  };
  const tellLost = () => {
    tell("not connected", false);
    const time = heard.toISOString().slice(11, 19);
    tellStale(`The server has not answered since ${time} UTC.`);
  };

  // Whoever reads, chooses or types in a part is not disturbed.
  const isInUse = (part) => {
    const active = document.activeElement;
    if (part.querySelector("input[type=checkbox]:checked, details.menu[open], details.long[open]")) return true;
    if (active && part.contains(active) && active.matches("input, select, textarea")) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && part.contains(selection.anchorNode));
  };

  // Something with focus is found again by its place among those of its kind.
  const placeOf = (part) => {
    const active = document.activeElement;
    if (!active || !part.contains(active) || active === part) return null;
    const key = active.getAttribute("href") || active.id || active.getAttribute("value");
    const all = [...part.querySelectorAll(active.tagName)];
    return { tag: active.tagName, key, index: all.indexOf(active) };
  };
  const focusAgain = (part, place) => {
    if (!place) return;
    const all = [...part.querySelectorAll(place.tag)];
    const same = (el) => (el.getAttribute("href") || el.id || el.getAttribute("value")) === place.key;
    const found = all.find(same) || all[place.index];
    if (found) found.focus({ preventScroll: true });
  };

  // Times are written in UTC; here they are those of the zone of this browser.
  const isLocal = body.dataset.times !== "utc";
  const localTime = (date) => {
    const two = (number) => String(number).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(date).find(({ type }) => type === "timeZoneName");
    return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone ? zone.value : ""}`;
  };
  const localize = (page) => {
    if (!isLocal) return;
    for (const time of page.querySelectorAll("time[datetime]")) {
      const exact = time.querySelector(".exact");
      if (exact) exact.textContent = localTime(new Date(time.getAttribute("datetime")));
    }
    const zone = page.getElementById("zone");
    if (zone) zone.textContent = "Times are those of the store, in the zone of this browser.";
  };

  const replace = (fresh) => {
    localize(fresh);
    for (const part of document.querySelectorAll("[data-live]")) {
      const next = fresh.getElementById(part.id);
      if (!next || isInUse(part) || next.innerHTML === part.innerHTML) continue;
      const opened = new Map();
      for (const details of part.querySelectorAll("details[id]")) opened.set(details.id, details.open);
      const place = placeOf(part);
      const adopted = document.adoptNode(next);
      part.replaceWith(adopted);
      for (const [id, isOpen] of opened) {
        const details = document.getElementById(id);
        if (details) details.open = isOpen;
      }
      focusAgain(adopted, place);
    }
    prepare();
  };

  const refresh = async () => {
    if (isFetching) {
      isWanted = true;
      return;
    }
    isFetching = true;
    try {
      const wait = lastMs + pauseMs - Date.now();
      if (wait > 0) await new Promise((go) => setTimeout(go, wait));
      lastMs = Date.now();
      const answer = await fetch(location.href, { credentials: "same-origin", redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 401) {
        stop();
        tell("logged out", false);
        return;
      }
      if (!answer.ok) return;
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      tellLost();
    } finally {
      isFetching = false;
      if (isWanted) {
        isWanted = false;
        refresh();
      }
    }
  };

  const start = () => {
    if (source || document.hidden || !body.dataset.changes) return;
    source = new EventSource(body.dataset.changes);
    source.addEventListener("live", tellLive);
    source.addEventListener("changed", () => {
      tellLive();
      refresh();
    });
    source.addEventListener("stale", (event) => {
      heard = new Date();
      tell("the store does not answer", false);
      tellStale(event.data);
    });
    source.addEventListener("error", () => {
      tellLost();
      // An answer that is no stream, such as one to somebody who is not logged in any more.
      if (source && source.readyState === EventSource.CLOSED) source = null;
    });
  };
  const stop = () => {
    if (!source) return;
    source.close();
    source = null;
    tell("paused", false);
  };

  // What helps with many check boxes.
  const prepare = () => {
    const all = document.getElementById("all");
    if (!all || all.dataset.ready) return;
    all.dataset.ready = "yes";
    all.hidden = false;
    const boxes = () => [...document.querySelectorAll("input[type=checkbox][name=id]")];
    const count = () => {
      const chosen = boxes().filter((box) => box.checked).length;
      all.checked = chosen > 0 && chosen === boxes().length;
      all.indeterminate = chosen > 0 && !all.checked;
      const label = document.getElementById("chosen");
      if (label) label.textContent = chosen ? `${chosen} chosen` : "The chosen jobs";
    };
    all.addEventListener("change", () => {
      for (const box of boxes()) box.checked = all.checked;
      count();
    });
    for (const box of boxes()) box.addEventListener("change", count);
  };

  // A button for what a long text would be selected for by hand.
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        document.getSelection().selectAllChildren(text);
        button.textContent = "Selected: copy it by the keyboard";
      }
    });
  }

  // One control that sends its form at once.
  for (const select of document.querySelectorAll("form.choose select")) {
    select.addEventListener("change", () => select.form.submit());
  }

  const ways = { o: "", j: "jobs", e: "errors", k: "kinds", w: "workers", s: "schedules", b: "batches", a: "operations", d: "doctor" };
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (isGoing) {
      isGoing = false;
      if (event.key in ways) {
        const links = [...document.querySelectorAll(".top nav a")];
        const page = (link) => link.getAttribute("href").slice(2).split("?")[0];
        const found = links.find((link) => page(link) === ways[event.key]);
        if (found) found.click();
      }
      return;
    }
    if (event.key === "g") isGoing = true;
    else if (event.key === "r") refresh();
    else if (event.key === "/") {
      const field = document.querySelector("form[role=search] input:not([type=hidden])");
      if (field) {
        event.preventDefault();
        field.focus();
      }
    }
  });

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stop();
    else {
      start();
      if (body.dataset.changes) refresh();
    }
  });
  localize(document);
  prepare();
  start();
})();
