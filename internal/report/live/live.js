"use strict";
(() => {
  const line = document.getElementById("live");
  const meta = document.querySelector('meta[name="untwist-live"]');
  let [run, since] = meta.content.split(" ");
  let seen = new Date();
  const say = (text, lost) => {
    line.textContent = text;
    line.classList.toggle("lost", lost);
  };
  // An element takes the place of the one with its id. What was opened stays open.
  const replace = (id, html) => {
    const box = document.createElement("template");
    box.innerHTML = html;
    const fresh = box.content.firstElementChild;
    const old = document.getElementById(id);
    if (old) {
      const were = [...old.querySelectorAll("details")];
      [...fresh.querySelectorAll("details")].forEach((d, i) => { if (were[i]) d.open = were[i].open; });
      old.replaceWith(fresh);
    }
    return fresh;
  };
  const show = (page) => {
    const parent = document.querySelector("main");
    let last = null;
    for (const id of page.order) {
      const html = page.parts[id];
      const part = html === undefined ? document.getElementById(id) : replace(id, html);
      if (!part) continue;
      if (last ? last.nextElementSibling !== part : !part.parentNode) {
        if (last) last.after(part); else parent.prepend(part);
      }
      last = part;
    }
    for (const part of [...parent.children]) {
      if (!page.order.includes(part.id)) part.remove();
    }
  };
  const follow = () => {
    const events = new EventSource("events?run=" + run + "&since=" + since);
    events.onopen = () => say("The run goes on, and this page follows it.", false);
    events.addEventListener("line", (e) => {
      seen = new Date();
      say("The run goes on: " + e.data, false);
    });
    events.addEventListener("page", (e) => {
      const page = JSON.parse(e.data);
      since = e.lastEventId;
      seen = new Date();
      show(page);
      document.body.dataset.events = Number(document.body.dataset.events || 0) + 1;
      if (page.over) {
        events.close();
        say("The run is over. This is its report; save the page to keep it.", false);
      }
    });
    events.addEventListener("reload", () => { events.close(); location.reload(); });
    events.onerror = () => {
      events.close();
      say("The connection is lost: the run was ended, or cannot be reached. This is what was known at " + seen.toLocaleTimeString() + ". Trying again.", true);
      setTimeout(follow, 2000);
    };
  };
  follow();
})();
