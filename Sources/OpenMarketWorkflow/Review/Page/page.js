"use strict";
// In Korean where the page was written so, or the browser asks for it: the page's own words; the texts of products and the
// planner's messages stay as they are.
const words = (() => {
  const { dataset } = document.documentElement;
  const language = dataset.language ?? navigator.language;
  if (!language.toLowerCase().startsWith("ko")) return {};
  document.documentElement.lang = "ko";
  return JSON.parse(document.getElementById("korean").textContent);
})();
// Words with values in them: #1 is a number, {1} any text, which may be worded itself.
const patterns = Object.keys(words).filter((key) => /#[0-9]|\{[0-9]\}/.test(key)).map((key) => {
  const places = [];
  const parts = key.split(/(#[0-9]|\{[0-9]\})/).map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    places.push(part);
    return part.startsWith("#") ? "([0-9][0-9,.]*)" : "(.+)";
  });
  return { key, places, expression: new RegExp(`^${parts.join("")}$`, "s"), own: key.replace(/#[0-9]|\{[0-9]\}/g, "").length };
}).sort((a, b) => b.own - a.own);
const translated = (text) => {
  if (Object.hasOwn(words, text)) return words[text];
  const list = text.split(", ");
  if (list.length > 1 && list.every((part) => part.startsWith("picture "))) return list.map(translated).join(", ");
  for (const { key, places, expression } of patterns) {
    const found = text.match(expression);
    if (!found) continue;
    const values = new Map(places.map((place, at) => [place, place.startsWith("#") ? found[at + 1] : translated(found[at + 1])]));
    return words[key].replace(/#[0-9]|\{[0-9]\}/g, (place) => values.get(place));
  }
  return text;
};
if (document.documentElement.lang === "ko") {
  const title = document.title.split(", ").map((part) => part.startsWith("Plan: ") ? `${translated("Plan")}: ${translated(part.slice(6))}` : translated(part));
  document.title = title.join(", ");
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = translated(element.textContent);
  // A number follows its word.
  for (const count of document.querySelectorAll(".counts b")) count.parentElement.append(" ", count);
  for (const name of ["title", "aria-label", "alt"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, translated(element.getAttribute(name)));
    }
  }
}
(() => {
  const tools = document.querySelector("form.tools");
  const list = document.querySelector(".list");
  if (!tools || !list) return;
  const search = tools.querySelector("input[type=search]");
  const sort = tools.querySelector("select");
  const shown = tools.querySelector("output");
  const boxes = [...tools.querySelectorAll("input[type=checkbox]")];
  const items = [...list.children].map((element, place) => ({ element, place }));
  let isRead = false;

  const plain = (text) => text.normalize("NFC").toLowerCase();

  // What is searched and sorted by is read when it is asked for: the page shows before.
  const read = () => {
    if (isRead) return;
    isRead = true;
    for (const item of items) {
      const data = item.element.dataset;
      item.kinds = data.kinds.split(" ");
      item.index = Number(data.index);
      item.move = data.move === undefined ? null : Number(data.move);
      item.text = plain(item.element.querySelector(".card").textContent);
      item.name = item.element.querySelector("h3 a").textContent;
    }
  };

  // What is found is marked, in folded texts, too, which open for it.
  const marks = typeof Highlight === "function" && CSS.highlights ? new Highlight() : null;
  if (marks) CSS.highlights.set("found", marks);
  let pass = 0;

  const mark = (item, words) => {
    for (const details of item.element.querySelectorAll("details:not([open])")) {
      // Of a field that is folded a part is in front of it.
      const front = [...details.parentElement.childNodes].filter((node) => node !== details);
      const before = plain(front.map((node) => node.textContent).join(""));
      const whole = plain(details.lastElementChild.textContent);
      if (!words.some((word) => whole.includes(word) && !before.includes(word))) continue;
      details.open = true;
      details.dataset.found = "";
    }
    if (!marks) return;
    const walker = document.createTreeWalker(item.element.querySelector(".card"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new StaticRange({
            startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length,
          });
          marks.add(range);
        }
      }
    }
  };

  // A few at a time: the page answers meanwhile.
  const markAll = (found, words) => {
    const own = ++pass;
    if (marks) marks.clear();
    for (const details of list.querySelectorAll("details[data-found]")) {
      details.open = false;
      delete details.dataset.found;
    }
    if (words.length === 0) return;
    const step = (from) => {
      if (own !== pass) return;
      for (const item of found.slice(from, from + 100)) mark(item, words);
      if (from + 100 < found.length) setTimeout(step, 0, from + 100);
    };
    step(0);
  };

  const filter = () => {
    read();
    const words = plain(search.value).split(/\s+/).filter(Boolean);
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    const found = [];
    for (const item of items) {
      const fits = (kinds.length === 0 || kinds.some((kind) => item.kinds.includes(kind)))
        && words.every((word) => item.text.includes(word));
      if (item.element.hidden === fits) item.element.hidden = !fits;
      if (fits) found.push(item);
    }
    shown.textContent = found.length === items.length ? "" : translated(`${found.length} of ${items.length} shown`);
    markAll(found, words);
  };

  // The first of what is found is on the screen.
  const bringIntoSight = () => {
    const first = [...list.children].find((element) => !element.hidden);
    if (!first) return;
    const { top } = first.getBoundingClientRect();
    const edge = getComputedStyle(tools).position === "sticky" ? tools.offsetHeight : 0;
    if (top < edge || top > innerHeight - 80) first.scrollIntoView();
  };

  const names = new Intl.Collator();
  const orders = {
    risk: (a, b) => a.place - b.place,
    plan: (a, b) => a.index - b.index,
    name: (a, b) => names.compare(a.name, b.name),
    size: (a, b) => Math.abs(b.move ?? 0) - Math.abs(a.move ?? 0),
    fall: (a, b) => (a.move ?? 0) - (b.move ?? 0),
    rise: (a, b) => (b.move ?? 0) - (a.move ?? 0),
  };

  const order = () => {
    read();
    const compare = orders[sort.value] ?? orders.risk;
    const sorted = [...items].sort((a, b) => compare(a, b) || a.place - b.place);
    const elements = sorted.map((item) => item.element);
    // All out, then in by thousands: one by one, browsers lay the list out for each.
    list.replaceChildren();
    for (let at = 0; at < elements.length; at += 10000) list.append(...elements.slice(at, at + 10000));
  };

  // A picture that is beside a name, too.
  for (const image of document.querySelectorAll("img[data-copied]")) {
    image.src = document.getElementById(image.dataset.copied).getAttribute("href");
  }

  // Two pictures side by side, or one over the other with an edge that is moved.
  const button = (text, press) => {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    if (press) element.addEventListener("click", press);
    return element;
  };
  for (const pair of document.querySelectorAll(".pair[data-swipe]")) {
    const ways = document.createElement("div");
    ways.className = "ways";
    const edge = document.createElement("input");
    Object.assign(edge, { type: "range", min: "0", max: "100", value: "50" });
    edge.setAttribute("aria-label", translated("How much of the picture before"));
    edge.addEventListener("input", () => pair.style.setProperty("--cut", `${edge.value}%`));
    const show = (isSwiped) => {
      pair.classList.toggle("swiped", isSwiped);
      edge.hidden = !isSwiped;
      two.setAttribute("aria-pressed", String(!isSwiped));
      swipe.setAttribute("aria-pressed", String(isSwiped));
    };
    const two = button(translated("Two-up"), () => show(false));
    const swipe = button(translated("Swipe"), () => show(true));
    ways.append(two, swipe, edge);
    pair.prepend(ways);
    show(false);
  }

  // Each change gets a verdict and a note; a file that the page makes holds all of them.
  const decide = (deciding) => {
    const [approveShown, save] = deciding.querySelectorAll("button");
    const counts = deciding.querySelector("output");
    const by = deciding.querySelector("input");
    let isSaved = true;
    const bar = document.createElement("p");
    bar.className = "decide";
    const verdicts = { approve: "Approve", reject: "Reject" };
    for (const [verdict, word] of Object.entries(verdicts)) {
      const element = button(translated(word), null);
      element.value = verdict;
      element.setAttribute("aria-pressed", "false");
      bar.append(element);
    }
    const note = document.createElement("input");
    note.hidden = true;
    note.placeholder = translated("Note");
    note.setAttribute("aria-label", translated("Note"));
    bar.append(note);
    // All changes of a product go together.
    const products = new Map();
    for (const { element } of items) {
      element.append(bar.cloneNode(true));
      const { product } = element.dataset;
      if (!products.has(product)) products.set(product, []);
      products.get(product).push(element);
    }

    const give = (elements, verdict) => {
      for (const element of elements) {
        element.dataset.verdict = verdict;
        for (const press of element.querySelectorAll(".decide button")) {
          press.setAttribute("aria-pressed", String(press.value === verdict));
        }
        element.querySelector(".decide input").hidden = false;
      }
      isSaved = false;
    };
    const count = () => {
      const of = (verdict) => items.filter((item) => item.element.dataset.verdict === verdict).length;
      const [approved, rejected] = [of("approve"), of("reject")];
      const open = items.length - approved - rejected;
      counts.textContent = translated(`${approved} approved · ${rejected} rejected · ${open} open`);
    };
    list.addEventListener("click", (event) => {
      const press = event.target.closest(".decide button");
      if (!press) return;
      give(products.get(press.closest("article").dataset.product), press.value);
      count();
    });
    list.addEventListener("input", () => { isSaved = false; });
    approveShown.addEventListener("click", () => {
      for (const { element } of items) {
        if (!element.hidden && !element.dataset.verdict) give(products.get(element.dataset.product), "approve");
      }
      count();
    });
    save.addEventListener("click", () => {
      const name = by.value.trim();
      by.setAttribute("aria-invalid", String(!name));
      if (!name) return by.focus();
      const decisions = items.filter((item) => item.element.dataset.verdict).map(({ element }) => {
        const { operation, product, verdict } = element.dataset;
        const text = element.querySelector(".decide input").value.trim();
        return { operation, key: product, action: element.className, decision: verdict, ...(text && { note: text }) };
      });
      const file = { format_version: 1, plan: deciding.dataset.plan, by: name, others: "reject", decisions };
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 1)}\n`], { type: "application/json" }));
      link.download = "decisions.json";
      link.click();
      isSaved = true;
    });
    addEventListener("beforeunload", (event) => { if (!isSaved) event.preventDefault(); });
    count();
  };
  const deciding = tools.querySelector(".deciding");
  if (deciding) decide(deciding);

  // Search, filters and order are in the address, behind "#?": keys of products have no question mark there.
  const remember = () => {
    const state = new URLSearchParams();
    if (search.value) state.set("search", search.value);
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    if (kinds.length > 0) state.set("only", kinds.join(","));
    if (sort.value !== "risk") state.set("order", sort.value);
    const text = state.toString();
    if (!text && !location.hash.startsWith("#?")) return;
    history.replaceState(null, "", text ? `#?${text}` : location.href.split("#")[0]);
  };

  const recall = () => {
    const state = new URLSearchParams(location.hash.slice(2));
    search.value = state.get("search") ?? "";
    const kinds = (state.get("only") ?? "").split(",");
    for (const box of boxes) box.checked = kinds.includes(box.value);
    const wanted = state.get("order") ?? "risk";
    sort.value = [...sort.options].some((option) => option.value === wanted) ? wanted : "risk";
  };

  const refresh = () => {
    filter();
    bringIntoSight();
    remember();
  };

  // A link leads to its product whatever is filtered away.
  const reveal = () => {
    if (location.hash.startsWith("#?")) {
      recall();
      filter();
      order();
      bringIntoSight();
      return;
    }
    let key = location.hash.slice(1);
    try { key = decodeURIComponent(key); } catch { return; }
    const target = key && document.getElementById(key);
    if (!target || !target.hidden) return;
    search.value = "";
    for (const box of boxes) box.checked = false;
    filter();
    target.scrollIntoView();
  };

  let wait = 0;
  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(refresh, items.length > 1000 ? 120 : 0);
  });
  for (const box of boxes) box.addEventListener("change", refresh);
  sort.addEventListener("change", () => {
    order();
    remember();
  });
  tools.addEventListener("submit", (event) => {
    event.preventDefault();
    refresh();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input:not([type=checkbox]):not([type=range]), select, textarea")) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      details.dataset.printed = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const details of document.querySelectorAll("details[data-printed]")) {
      details.open = false;
      delete details.dataset.printed;
    }
  });
  document.documentElement.classList.add("scripted");
  tools.hidden = false;
  if (location.hash.startsWith("#?")) recall();
  // Browsers remember what was typed when a page is loaded again.
  if (search.value || boxes.some((box) => box.checked)) refresh();
  if (sort.value !== "risk") order();
})();
