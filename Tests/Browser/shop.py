"""Uses the page of a shop in Chromium as a person does, and prints as JSON what is to be seen.

python3 Tests/Browser/shop.py CHROMIUM URL            a shop of products, whose server takes faults
python3 Tests/Browser/shop.py CHROMIUM URL empty      a shop without products
python3 Tests/Browser/shop.py CHROMIUM URL calls      what a page of another origin may call
python3 Tests/Browser/shop.py CHROMIUM URL list PORT   the items of a list on a page that is standard input, served there
"""

import http.server
import json
import sys
import threading
import time
import urllib.request

from chromium import Chromium, Failure
from fitness import FITNESS, axe

URL = sys.argv[2]
TEXT = "document.getElementById('%s').textContent"
COUNT, MESSAGE = TEXT % "count", TEXT % "message"
CARDS = "document.querySelectorAll('#products > li').length"
SHOWS = "document.getElementById('%s').checkVisibility()"

# The number of the first product of which something is true, by the API.
FIRST = """(async () => {
  const page = await (await fetch("api/products?page_no=1&items_per_page=50")).json();
  for (const { id } of page.pages) {
    const row = await (await fetch("api/products/" + id)).json();
    if (%s) return id;
  }
})()"""


# What does not fit on a card, and names that end without a sign that they go on.
CUT = """[...document.querySelectorAll('#products .card')].flatMap((card) => {
  const [box, name] = [card.getBoundingClientRect(), card.querySelector('.name')];
  const ends = [...card.querySelectorAll('.name, .price, .price *:not(.hidden), .stock')].map((e) => e.getBoundingClientRect());
  const lines = name.clientHeight / parseFloat(getComputedStyle(name).lineHeight);
  return [
    ...ends.some((end) => end.bottom > box.bottom || end.top < box.top || end.right > box.right) ? ['cut: ' + card.innerText] : [],
    ...Math.abs(lines - Math.round(lines)) > 0.1 ? ['half a line: ' + name.textContent] : [],
  ];
})"""
LONG = """document.querySelectorAll('#products .card').forEach((card, number) => {
  card.querySelector('.name').textContent = ['White washed linen floor cushion with a cover of its own, no. 1000', '참나무색 책상 스탠드 책상 스탠드 책상 스탠드 참나무색 1000호'][number % 2];
  const sale = card.querySelector('.sale');
  if (sale) { card.querySelector('s').lastChild.data = '₩12,345,678'; sale.lastChild.data = '₩11,345,678'; }
})"""
QUIET = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def open_page(browser, address=URL):
    # Another part of the same page alone would not load it again.
    browser.events = []
    browser.call("Page.navigate", url="about:blank")
    browser.wait("Page.loadEventFired")
    browser.events = []
    browser.call("Page.navigate", url=address)
    browser.wait("Page.loadEventFired")


def until(browser, condition):
    deadline = time.monotonic() + 30
    while not browser.js(condition):
        if time.monotonic() > deadline:
            raise Failure("never: " + condition)
        time.sleep(0.02)


def press(browser, key, code=None, number=0):
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number,
                     text="\r" if key == "Enter" and kind == "keyDown" else "")


def faults(rules):
    request = urllib.request.Request(URL + "/_faults", json.dumps({"rules": rules}).encode(), method="PUT")
    urllib.request.urlopen(request).read()


def products(browser):
    result = {}
    for language in ("en-US", "ko-KR"):
        browser.call("Emulation.setUserAgentOverride", userAgent="test", acceptLanguage=language)
        for name, options in {
            "desktop": dict(width=1280, height=800), "dark": dict(width=1280, height=800, dark=True),
            "phone": dict(width=390, height=844, mobile=True),
        }.items():
            # Korean where room is scarce; the colours are the same.
            if language == "ko-KR" and name != "phone":
                continue
            browser.screen(**options)
            open_page(browser)
            until(browser, CARDS + " > 0")
            browser.js("localStorage.clear()")
            found = browser.js(FITNESS)["faults"]
            source = axe()
            if source:
                browser.js(source + ";0")
                found += browser.js("axe.run().then((r) => r.violations.map((v) => v.id + v.nodes[0].html.slice(0, 160)))")
            browser.js("document.querySelector('#products a').click()")
            until(browser, SHOWS % "product-content")
            found += browser.js(FITNESS)["faults"]
            result.setdefault("faults", []).extend(f"{language} {name}: {fault}" for fault in found)
            result.setdefault("complaints", []).extend(browser.complaints())
            result.setdefault("foreign", []).extend(
                url for url in browser.requests() if not url.startswith((URL, "about:")))
        open_page(browser)
        until(browser, CARDS + " > 0")
        result[language] = [
            browser.js("document.documentElement.lang"), browser.js("document.title"), browser.js(COUNT),
            browser.js("[...document.querySelectorAll('.card')].find((e) => e.querySelector('.sale')).innerText"),
        ]
        sold_out = browser.js(FIRST % "row.stock === 0")
        browser.js(f"location.hash = 'v2/{sold_out}'")
        until(browser, SHOWS % "product-content")
        result[language].append(browser.js(TEXT % "product-stock"))
    browser.call("Emulation.setUserAgentOverride", userAgent="test", acceptLanguage="en-US")
    browser.screen(1280, 800)
    for generation in ("v2", "v1"):
        open_page(browser)
        until(browser, CARDS + " > 0")
        if generation == "v1":
            browser.js("{ const e = document.getElementById('catalog'); e.value = 'v1'; e.dispatchEvent(new Event('change')); }")
            until(browser, CARDS + " > 0")
        # To the end: what is on the page stays bounded.
        most = 0
        while "loaded" in browser.js(COUNT):
            browser.js("scrollTo(0, document.documentElement.scrollHeight); new Promise((done) => requestAnimationFrame(done))")
            most = max(most, browser.js(CARDS))
        browser.js("scrollTo(0, 0); new Promise((done) => setTimeout(done, 100))")
        result[generation] = [browser.js(COUNT), most < 60, browser.js("document.querySelector('#products .name').textContent")]

    # Whatever the width, a card shows what is on it.
    result["cut"] = []
    for width in (360, 390):
        browser.screen(width, 844, mobile=True)
        open_page(browser)
        until(browser, CARDS + " > 0")
        for layout in ("grid", "list"):
            browser.js(f"document.querySelector('input[value={layout}]').click()")
            browser.js(QUIET)
            result["cut"] += browser.js(CUT)
            browser.js(LONG)
            result["cut"] += browser.js(CUT)
        browser.js("localStorage.clear()")
    browser.screen(1280, 800)
    # Where colours are the system's, the chosen layout is still another one.
    open_page(browser)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    result["forced colours"] = browser.js(
        "new Set([...document.querySelectorAll('.layouts span')].map((e) => getComputedStyle(e).backgroundColor)).size")
    browser.screen(1280, 800)

    # The layout is remembered.
    browser.js("document.querySelector('input[value=list]').click()")
    open_page(browser)
    until(browser, CARDS + " > 0")
    result["layout"] = browser.js("document.getElementById('products').className")
    browser.js("localStorage.clear()")

    # A search covers the whole shop, not only what is loaded.
    open_page(browser)
    until(browser, CARDS + " > 0")
    browser.js("{ const e = document.getElementById('search'); e.value = ' LAMP '; e.dispatchEvent(new Event('input')); }")
    until(browser, MESSAGE + " === ''")
    result["search"] = [browser.js(COUNT), browser.js(TEXT % "retry"), browser.js("[...new Set([...document.querySelectorAll('#products .name')].map((e) => e.textContent.includes('lamp')))]")]
    browser.js("{ const e = document.getElementById('search'); e.value = 'nothing like it'; e.dispatchEvent(new Event('input')); }")
    until(browser, MESSAGE + " !== 'Loading…'")
    result["found nothing"] = [browser.js(COUNT), browser.js(MESSAGE)]

    # A search from deep down shows the first matches, and leads back.
    open_page(browser)
    until(browser, CARDS + " > 0")
    browser.js("scrollTo(0, 1500); " + QUIET)
    browser.js("{ const e = document.getElementById('search'); e.value = '호'; e.dispatchEvent(new Event('input')); }")
    result["deep search"] = [browser.js("scrollY")]
    browser.js("{ const e = document.getElementById('search'); e.value = ''; e.dispatchEvent(new Event('input')); }")
    result["deep search"].append(browser.js("scrollY"))
    # What has the focus is in sight.
    browser.js("scrollTo(0, 600); " + QUIET)
    result["focus"] = browser.js("""(() => {
      const end = () => document.querySelector('header').getBoundingClientRect().bottom;
      const box = (e) => e.getBoundingClientRect();
      const card = [...document.querySelectorAll('.card')].find((e) => box(e).top < end() && box(e).bottom > 0);
      card.focus();
      return box(card).top >= end();
    })()""")
    # A wheel over an open product turns nothing behind it.
    browser.js("document.querySelectorAll('#products a')[8].click()")
    until(browser, SHOWS % "product-content")
    place = browser.js("scrollY")
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=800, y=500, deltaX=0, deltaY=600)
    browser.js("new Promise((done) => setTimeout(done, 300))")
    result["behind"] = browser.js("scrollY") == place

    # One product, by keyboard alone: its pictures, and back to where one was.
    open_page(browser)
    until(browser, CARDS + " > 0")
    stops = []
    while "card" not in stops and len(stops) < 20:
        press(browser, "Tab", number=9)
        stops.append(browser.js("document.activeElement.className || document.activeElement.id || document.activeElement.name"))
        seen = browser.js("(() => { const e = document.activeElement; const s = getComputedStyle(e.name === 'layout' ? e.nextElementSibling : e); return parseFloat(s.outlineWidth) >= 2 && s.outlineStyle !== 'none'; })()")
        if not seen:
            result.setdefault("unseen stops", []).append(stops[-1])
    result["stops"] = stops
    several = browser.js(f"(async () => (await fetch('api/products/' + await {FIRST % 'row.images.length === 3'})).json())()")
    browser.js(f"document.querySelector('a[href=\"#v2/{several['id']}\"]').focus()")
    press(browser, "Enter", number=13)
    until(browser, SHOWS % "product-content")
    result["product"] = [browser.js(TEXT % "product-name") == several["name"], browser.js(TEXT % "product-description") == several["description"], browser.js(TEXT % "position")]
    for position in ("2 / 3", "3 / 3"):
        press(browser, "ArrowRight", number=39)
        until(browser, f"{TEXT % 'position'} === '{position}'")
    # Presses that come faster than pictures turn.
    for key, number, position in (("ArrowLeft", 37, "1 / 3"), ("ArrowRight", 39, "3 / 3")):
        press(browser, key, number=number)
        press(browser, key, number=number)
        until(browser, f"{TEXT % 'position'} === '{position}'")
    result["last picture"] = browser.js("document.getElementById('next').disabled && !document.getElementById('previous').disabled")
    press(browser, "Escape", number=27)
    until(browser, "location.hash === ''")
    result["after"] = [browser.js("location.hash"), browser.js("document.activeElement.className")]
    # Looks leave no entries behind them: closing goes back.
    before = browser.js("history.length")
    for _ in range(2):
        browser.js(f"document.querySelector('a[href=\"#v2/{several['id']}\"]').click()")
        until(browser, SHOWS % "product-content")
        browser.js("document.getElementById('close').click()")
        until(browser, "location.hash === ''")
    # The first look was before: its entry is the one that "forward" leads to.
    result["entries"] = browser.js("history.length") - before
    open_page(browser, URL + f"/#v2/{several['id']}")
    until(browser, SHOWS % "product-content")
    before = browser.js("history.length")
    press(browser, "Escape", number=27)
    until(browser, "location.hash === ''")
    result["entries of a link"] = browser.js("history.length") - before
    # "Back" closes a product, and a link opens one.
    open_page(browser, URL + f"/#v2/{several['id']}")
    until(browser, SHOWS % "product-content")
    browser.js("location.hash = ''")
    until(browser, "!document.getElementById('product').open")
    open_page(browser, URL + "/#v2/999999")
    until(browser, TEXT % "product-message" + " === 'This product is not here any more.'")

    # The server stops while the page is scrolled; later it runs again.
    result["trouble"] = []
    for fault, rule in {
        "says no": {"path": "/api/products", "fault": {"status": 503}},
        "is cut": {"path": "/api/products", "fault": {"cut": "before"}},
        "is strange": {"path": "/api/products", "fault": {"page": "before"}},
    }.items():
        open_page(browser)
        until(browser, CARDS + " > 0")
        faults([rule])
        browser.js("scrollTo(0, document.documentElement.scrollHeight)")
        until(browser, SHOWS % "retry")
        said = browser.js(MESSAGE)
        faults([])
        browser.js("document.getElementById('retry').click()")
        until(browser, "!" + SHOWS % "retry")
        until(browser, f"/[0-9]/.test({COUNT}) && !{COUNT}.startsWith('50 ')")
        result["trouble"].append([fault, said])
    # From the start, and in one product.
    faults([{"path": "/api/products*", "fault": {"status": 500}}])
    open_page(browser, URL + f"/#v2/{several['id']}")
    until(browser, SHOWS % "product-retry" + " && " + SHOWS % "retry")
    result["trouble"].append(["at the start", browser.js(MESSAGE), browser.js(TEXT % "product-message")])
    faults([])
    browser.js("document.getElementById('product-retry').click()")
    until(browser, SHOWS % "product-content")
    # Broken pictures.
    faults([{"path": "/training-resources/*", "fault": {"status": 404}}])
    browser.call("Network.setCacheDisabled", cacheDisabled=True)
    open_page(browser, URL + f"/#v2/{several['id']}")
    until(browser, "document.querySelectorAll('#pictures span').length === 3")
    until(browser, "document.querySelector('#products .picture').textContent !== ''")
    result["broken"] = [browser.js("document.querySelector('#pictures li').innerText"), browser.js("document.querySelector('#products .picture').textContent")]
    faults([])
    return result


def empty(browser):
    browser.screen(390, 844, mobile=True)
    open_page(browser)
    until(browser, f"{MESSAGE} !== '' && {MESSAGE} !== 'Loading…'")
    return {"message": browser.js(MESSAGE), "retry": browser.js(SHOWS % "retry") and browser.js(TEXT % "retry"), "faults": browser.js(FITNESS)["faults"], "complaints": browser.complaints()}


CALLS = """
(async () => {
  const call = async (path, options) => {
    try { const reply = await fetch(%s + path, options); return reply.status; } catch { return "refused"; }
  };
  return [
    await call("/api/products"), await call("/items/1"), await call("/api/products/999999"),
    await call("/api/products", { method: "POST", headers: { identifier: "unknown" }, body: new FormData() }),
    await call("/item/999999", { method: "DELETE", headers: { "content-type": "application/json" }, body: "{}" }),
    await call("/api/products", { headers: { "x-other": "1" } }),
  ];
})()
"""


def on_other_origin(browser, page, port, body):
    """What the body gives while the browser shows a page of another origin."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>another origin</title>" + page)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        open_page(browser, f"http://127.0.0.1:{server.server_port}/")
        result = body()
        server.shutdown()
        return result


def calls(browser):
    def answers():
        return browser.js(CALLS % json.dumps(URL))

    # The first port is the one that the server allows.
    ports = {"allowed": int(sys.argv[4]), "other": 0}
    return {name: on_other_origin(browser, b"", port, answers) for name, port in ports.items()}


def list_items(browser):
    items = "[...document.querySelectorAll('li')].map((item) => item.textContent)"

    def shown():
        until(browser, f"{items}.length > 0")
        return browser.js(items)

    return on_other_origin(browser, sys.stdin.buffer.read(), int(sys.argv[4]), shown)


with Chromium(sys.argv[1]) as opened:
    what = {"products": products, "empty": empty, "calls": calls, "list": list_items}[sys.argv[3] if len(sys.argv) > 3 else "products"]
    print(json.dumps(what(opened), indent=1, ensure_ascii=False))
