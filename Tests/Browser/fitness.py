"""Whether everybody can use a page: the rules of axe-core that matter here, and the contrast of its texts."""

import importlib.util
import pathlib

# The rules that axe-core would check here, and the contrast of every text against what is behind it.
FITNESS = r"""
(() => {
  const faults = [];
  const all = [...document.querySelectorAll("*")];
  const shows = (e) => e.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  const name = (e) => (e.getAttribute("aria-label")
    || (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent).join("")
    || [...(e.labels || [])].map((l) => l.textContent).join("") || e.textContent || e.alt || e.title || "").trim();
  const what = (e) => e.outerHTML.slice(0, 120);

  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title) faults.push("no title");
  for (const landmark of ["header", "main", "footer"]) {
    const count = document.querySelectorAll("body > " + landmark).length;
    if (count !== 1) faults.push(`${count} of ${landmark}`);
  }
  for (const e of document.body.children) {
    if (!e.matches("header, main, footer, script, a.skip")) faults.push("outside of the landmarks: " + what(e));
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const own = Number(e.tagName[1]);
    if (own > level + 1) faults.push("a heading's level is left out: " + what(e));
    if (!e.textContent.trim()) faults.push("an empty heading");
    level = own;
  }
  for (const e of document.querySelectorAll("section, form, nav")) if (!name(e)) faults.push("no name: " + what(e));
  for (const e of document.querySelectorAll("input, select, textarea, button, a[href], summary, fieldset")) {
    if (!name(e)) faults.push("no name: " + what(e));
  }
  for (const e of document.querySelectorAll("img")) if (!e.alt && !(e.hasAttribute("alt") && e.closest("a"))) faults.push("no alternative: " + what(e));
  for (const e of document.querySelectorAll("ul")) {
    if ([...e.children].some((c) => c.tagName !== "LI")) faults.push("a list of other things: " + what(e));
  }
  for (const e of document.querySelectorAll("dl")) {
    if ([...e.children].some((c) => c.tagName !== "DIV" || !c.querySelector(":scope > dt + dd"))) {
      faults.push("a list without terms: " + what(e));
    }
  }
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) faults.push("an order of its own: " + what(e));
  const ids = all.map((e) => e.id).filter(Boolean);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push("twice: #" + id);
  for (const e of document.querySelectorAll("a[href^='#']:not([href*='/'])")) {
    if (!document.getElementById(decodeURIComponent(e.hash.slice(1)))) faults.push("leads nowhere: " + what(e));
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the screen");
  // What is laid out beside the screen may be cut off without a way to it, unless something around it scrolls.
  const isKept = (e) => {
    for (let at = e.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") return true;
    }
    return false;
  };
  for (const e of document.body.querySelectorAll("*")) {
    if (e.getBoundingClientRect().right > innerWidth + 0.5 && shows(e) && !isKept(e)) faults.push("beyond the screen: " + what(e));
  }

  const rgb = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.a === 1) return colour;
    }
    return { r: 255, g: 255, b: 255 };
  };
  let least = 21;
  for (const e of all) {
    if (!shows(e) || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    least = Math.min(least, ratio);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ` + what(e));
  }
  for (const e of document.querySelectorAll("[placeholder]")) {
    if (!shows(e) || !e.placeholder) continue;
    const style = getComputedStyle(e, "::placeholder");
    const colour = rgb(style.color);
    const back = behind(e);
    const alpha = colour.a * style.opacity;
    const mixed = Object.fromEntries(["r", "g", "b"].map((part) => [part, colour[part] * alpha + back[part] * (1 - alpha)]));
    const [a, b] = [light(mixed), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)} of the placeholder: ` + what(e));
  }
  for (const e of document.querySelectorAll("input, select, button, summary")) {
    if (!shows(e) || e.tagName === "SUMMARY") continue;
    const box = (e.closest("label") || e).getBoundingClientRect();
    if (box.height < 24 || box.width < 24) faults.push("too small to touch: " + what(e));
  }
  return { faults: [...new Set(faults)].slice(0, 20), contrast: Math.floor(least * 10) / 10 };
})()
"""


# A word stays whole unless it is longer than its line: words of Latin letters and of Hangul alike.
WORDS = r"""
(() => {
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style, svg, option") || !parent.checkVisibility({ checkVisibilityCSS: true })) continue;
    // Half a card is enough for a word, however little its own element was left.
    const room = (parent.closest("article, section, header, footer, form") ?? document.body).clientWidth / 2;
    for (const { index, 0: word } of node.data.matchAll(/[\p{Script=Latin}\p{Script=Hangul}\d_]+/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
      const lines = new Set(boxes.map((box) => Math.round(box.top)));
      const width = boxes.reduce((sum, box) => sum + box.width, 0);
      // Code may be a digest, hyphens or points end no word that a person reads, and escaped characters join words.
      if (lines.size > 1 && !node.data.includes("\\u{") && width < room && !parent.closest("code, .place")) {
        faults.push(`broken: ${word} in ` + parent.outerHTML.slice(0, 120));
      }
    }
  }

  return [...new Set(faults)].slice(0, 20);
})()
"""


def axe():
    """axe-core, where a Python package brings it (pip install --no-deps axe-playwright-python); nothing needs it."""
    module = importlib.util.find_spec("axe_playwright_python")
    file = module and pathlib.Path(module.origin).parent / "axe.min.js"
    return file.read_text() if file and file.exists() else None
