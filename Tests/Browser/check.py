"""Opens pages in Chromium and prints as JSON what a person would meet there.

python3 Tests/Browser/check.py CHROMIUM page FILE     what the page holds, logs and asks for; its fitness for everybody
python3 Tests/Browser/check.py CHROMIUM use FILE      what search, filters, order, links, swipe and print do
python3 Tests/Browser/check.py CHROMIUM size FILE     how much of a long page is laid out before it shows
python3 Tests/Browser/check.py CHROMIUM decide FILE   what its decisions say, and the file that it saves beside it
python3 Tests/Browser/check.py CHROMIUM words FILE    the page's own words, in an English and in a Korean browser
"""

import json
import os
import sys
import time

from chromium import Chromium
from fitness import FITNESS, WORDS, axe

# All that is read or heard.
ALL = """[...new Set([
  document.title,
  ...[...document.querySelectorAll('body *')].flatMap((e) => e.closest('script, style') ? [] : [
    ...[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()),
    ...['alt', 'title', 'aria-label', 'placeholder'].map((name) => e.getAttribute(name) ?? ''),
  ]),
])].filter(Boolean)"""
SHOWN = "[...document.querySelectorAll('.list > article:not([hidden])')].map((e) => e.id)"


def page(browser, file):
    screens = {
        "light": dict(width=1280, height=800),
        "dark": dict(width=1280, height=800, dark=True),
        "phone": dict(width=390, height=844, mobile=True),
        "small": dict(width=360, height=800, mobile=True),
        "plain": dict(width=1280, height=800, script=False),
    }
    result = {"faults": [], "complaints": [], "requests": []}
    for name, options in screens.items():
        browser.screen(**options)
        browser.open(file)
        # Without the script, what would be clicked open is looked at as well.
        browser.js("document.querySelectorAll('details').forEach((e) => { e.open = true })")
        found = browser.js(FITNESS)
        result["faults"] += [f"{name}: {fault}" for fault in found["faults"] + browser.js(WORDS)]
        source = axe() if options.get("script", True) else None
        if source:
            browser.js(source + ";0")
            violations = browser.js("axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes[0].html.slice(0, 160)]))")
            result["faults"] += [f"{name}: axe: {violation}" for violation in violations]
        result["contrast"] = min(result.get("contrast", 21), found["contrast"])
        result["complaints"] += browser.complaints()
        result["requests"] += browser.requests()
    result["names"] = browser.js("[...document.querySelectorAll('article h3 a')].map((e) => e.textContent)")
    result["elements"] = browser.js("[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))].sort()")
    result["attributes"] = browser.js(
        "[...new Set([...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()))].sort()")
    result["axe"] = axe() is not None
    result["scripts"] = browser.js("document.querySelectorAll('script').length")
    return result


def use(browser, file):
    result = {}
    browser.screen(1280, 800)
    browser.open(file)

    def type_text(text):
        browser.js(f"{{ const e = document.getElementById('search'); e.value = {json.dumps(text)};"
                   " e.dispatchEvent(new Event('input', {bubbles: true})); }")
        browser.js("new Promise((done) => setTimeout(done, 200))")

    def choose(order):
        browser.js(f"{{ const e = document.getElementById('sort'); e.value = {json.dumps(order)};"
                   " e.dispatchEvent(new Event('change', {bubbles: true})); }")

    result["all"] = browser.js(SHOWN)
    for text in ("LAMP", "goes", "nothing of that name"):
        type_text(text)
        result["search " + text] = browser.js(SHOWN)
    result["said"] = browser.js("document.getElementById('shown').textContent")
    type_text("")
    for kind in browser.js("[...document.querySelectorAll('.kind input')].map((e) => e.value)"):
        browser.js(f"document.querySelector('.kind input[value={kind}]').click()")
        result["only " + kind] = browser.js(SHOWN)
        browser.js(f"document.querySelector('.kind input[value={kind}]').click()")
    for order in browser.js("[...document.getElementById('sort').options].map((e) => e.value)"):
        choose(order)
        result["by " + order] = browser.js(SHOWN)

    if browser.js("document.querySelector('.kind input[value=text]') !== null"):
        # What is found is marked and on the screen, folded texts open for it, and the address knows what was asked.
        type_text("two arms")
        result["opened"] = browser.js("document.querySelectorAll('.list details[open]').length")
        result["marked"] = browser.js("[...CSS.highlights.get('found')].map((r) => r.startContainer.data.slice(r.startOffset, r.endOffset))")
        browser.js("scrollTo(0, 0)")
        type_text("goes")
        result["in sight"] = browser.js(
            "(() => { const box = document.querySelector('.list > article:not([hidden])').getBoundingClientRect();"
            " return box.top >= 0 && box.top < innerHeight - 40; })()")
        result["closed again"] = browser.js("document.querySelectorAll('.list details[open]').length")
        type_text("lamp")
        browser.js("document.querySelector('.kind input[value=text]').click()")
        choose("name")
        result["address"] = browser.js("location.hash")
        asked = browser.js("location.hash")
        shown = browser.js(SHOWN)
        browser.open(file, asked)
        result["asked again"] = browser.js(SHOWN) == shown and browser.js(
            "[document.getElementById('search').value, document.getElementById('sort').value]") == ["lamp", "name"]
        browser.open(file)
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="/", code="Slash", text="/" if kind == "keyDown" else "")
        result["slash"] = browser.js("[document.activeElement.id, document.getElementById('search').value]")

    # A link to what a filter hides shows it.
    type_text("nothing of that name")
    browser.js("location.hash = 'gone'; new Promise((done) => setTimeout(done, 200))")
    result["linked"] = browser.js(SHOWN + ".length")
    result["target"] = browser.js("document.querySelector(':target')?.id")

    # By keyboard: the first stop leads past the head of the page, and every stop can be seen.
    browser.open(file)
    stops = []
    for _ in range(12):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        stops.append(browser.js(
            "(() => { const e = document.activeElement; const s = getComputedStyle(e.closest('.kind') ? e.nextElementSibling : e);"
            " return [e.className || e.localName, parseFloat(s.outlineWidth) >= 2 && s.outlineStyle !== 'none']; })()"))
    result["stops"] = stops[0]
    result["unseen"] = [stop for stop, seen in stops if not seen]

    if browser.js("document.querySelector('[data-swipe]') !== null"):
        browser.js("document.querySelectorAll('.ways button')[1].click()")
        browser.js("{ const e = document.querySelector('.ways input'); e.value = '25'; e.dispatchEvent(new Event('input')); }")
        result["swipe"] = browser.js(
            "[...document.querySelectorAll('.swiped img')].map((e) => getComputedStyle(e).clipPath)")

        # Both pictures begin at one height, whatever is above them.
        browser.js("document.querySelectorAll('.ways button')[0].click()")
        result["level"] = browser.js(
            "[...document.querySelectorAll('.pair')].map((pair) =>"
            " new Set([...pair.querySelectorAll('img, p.missing')].map((e) => Math.round(e.getBoundingClientRect().top))).size)")

    browser.js("dispatchEvent(new Event('beforeprint'))")
    result["closed in print"] = browser.js("document.querySelectorAll('details:not([open])').length")
    browser.js("dispatchEvent(new Event('afterprint'))")
    result["open after print"] = browser.js("document.querySelectorAll('details[open]').length")
    browser.screen(1280, 800, media="print")
    result["tools in print"] = browser.js("document.querySelector('.tools').checkVisibility()")
    result["complaints"] = browser.complaints()
    return result


def decide(browser, file):
    folder = os.path.dirname(os.path.abspath(file))
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    browser.screen(1280, 800)
    browser.open(file)
    said = "document.querySelector('.deciding output').textContent"
    [approve, save] = [f"document.querySelectorAll('.deciding button')[{place}].click()" for place in (0, 1)]
    result = {"said": [browser.js(said)]}
    # Rejected with a note; the note's words and the buttons' are not searched.
    browser.js("document.querySelector('#lamp [value=reject]').click()")
    browser.js("{ const e = document.querySelector('#lamp .decide input'); e.value = ' after the fair '; }")
    result["said"].append(browser.js(said))
    browser.js("{ const e = document.getElementById('search'); e.value = 'reject';"
               " e.dispatchEvent(new Event('input', {bubbles: true})); }")
    browser.js("new Promise((done) => setTimeout(done, 200))")
    result["found"] = browser.js(SHOWN)
    # Of those that are shown, the rejected one stays so.
    browser.js("{ const e = document.getElementById('search'); e.value = '';"
               " e.dispatchEvent(new Event('input', {bubbles: true})); }")
    browser.js("new Promise((done) => setTimeout(done, 200))")
    browser.js("document.querySelector('#cup').hidden = true")
    browser.js(approve)
    result["said"].append(browser.js(said))
    # Nothing is saved without a name.
    browser.js(save)
    result["asks for the name"] = browser.js("document.activeElement === document.querySelector('.deciding input')")
    browser.js("document.querySelector('.deciding input').value = 'mina'")
    browser.js(save)
    saved = os.path.join(folder, "decisions.json")
    deadline = time.monotonic() + browser.timeout
    while not os.path.exists(saved):
        if time.monotonic() > deadline:
            sys.exit("nothing was saved")
        time.sleep(0.05)
    with open(saved) as text:
        result["file"] = text.read()
    result["requests"] = [url for url in browser.requests() if not url.startswith("blob:")]
    result["complaints"] = browser.complaints()
    browser.screen(1280, 800, script=False)
    browser.open(file)
    browser.screen(1280, 800)
    result["without script"] = browser.js("document.querySelectorAll('.decide').length")
    return result


def size(browser, file):
    browser.screen(1280, 800)
    browser.open(file)
    browser.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    laid = "[...document.querySelectorAll('article')].filter((e) => e.firstElementChild.checkVisibility({contentVisibilityAuto: true})).length"
    return {
        "articles": browser.js("document.querySelectorAll('article').length"),
        "laid out": browser.js(laid),
        "first paint": browser.js(
            "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)"),
        "complaints": browser.complaints(),
    }


def words(browser, file):
    result = {"complaints": [], "faults": []}
    for language in ("en-US", "ko-KR"):
        browser.call("Emulation.setUserAgentOverride", userAgent="test", acceptLanguage=language)
        for width in (360, 390):
            browser.screen(width, 844, mobile=True)
            browser.open(file)
            result["faults"] += browser.js(FITNESS)["faults"] + browser.js(WORDS)
            result["complaints"] += browser.complaints()
        result[language] = {
            "lang": browser.js("document.documentElement.lang"),
            "words": browser.js("[...new Set([...document.querySelectorAll('[data-t]')].map((e) => e.textContent))]"),
            "labels": browser.js(
                "[...document.querySelectorAll('form[aria-label], input[title]')].map((e) => e.ariaLabel ?? e.title)"),
            "all": browser.js(ALL),
        }
    return result


with Chromium(sys.argv[1]) as opened:
    print(json.dumps({"page": page, "use": use, "decide": decide, "size": size, "words": words}[sys.argv[2]](opened, sys.argv[3]), indent=1, ensure_ascii=False))
