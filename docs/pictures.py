"""Takes the pictures of the documentation from the Korean shop: python3 docs/pictures.py [OPENMARKET]

Needs Chromium, a font with Hangul and cmark (`apt-get install chromium fonts-nanum cmark-gfm`). Starts a market of its own,
lists the shop there, edits the manifest, and takes docs/pictures/plan.png (the terminal), review.png (the page of the plan)
and comment.png (the plan as a comment of a pull request).
"""

import html
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import fcntl
import termios

docs = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(docs)
sys.path.insert(0, root + "/Tests/Browser")
from chromium import Chromium  # noqa: E402

openmarket = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else root + "/.build/debug/openmarket")
variables = dict(
    {name: value for name, value in os.environ.items() if not name.startswith("OPENMARKET_")},
    OPENMARKET_IDENTIFIER="00000000-0000-4000-8000-000000000001", OPENMARKET_SECRET="choose-one", TERM="xterm-256color",
)
colours = {"31": "#f38ba8", "32": "#a6e3a1", "33": "#f9e2af", "34": "#89b4fa", "35": "#cba6f7", "36": "#94e2d5"}


def edited(manifest):
    """The manifest with the changes of the picture: a price, a sale that ends, a picture, one product less, one more."""
    manifest = manifest.replace("price: 38000", "price: 42000").replace("    sale_price: 74000\n", "")
    manifest = manifest.replace("- images/green-tea.png", "- images/green-tea.png\n      - images/round-fan.png")
    manifest = manifest[:manifest.index("  - key: round-fan")]
    return manifest + """  - key: tea-set
    name: 청자 다기 세트
    description: 청자 찻잔과 하동 우전 녹차를 한 상자에 담은 선물 세트입니다.
    price: 79000
    stock: 6
    images: [images/celadon-pair.jpg]
"""


def on_terminal(command, folder):
    """What a command prints on a terminal of 110 columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(openmarket, [openmarket] + command, variables)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 110, 0, 0))
    text = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            text += piece
    except OSError:  # Linux reports the end of a terminal so.
        pass
    os.waitpid(process, 0)
    # A line of progress is erased before the result is printed.
    return re.sub(r"[^\n]*\r\x1b\[2?K", "", text.decode().replace("\r\n", "\n"))


def page(text):
    """A terminal's text as a page: bold, dim and the eight colours."""
    out, style = "", ""
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", text):
        if not piece.startswith("\x1b"):
            out += f'<span style="{style}">{html.escape(piece)}</span>'
            continue
        for code in piece[2:-1].split(";") if piece.endswith("m") else []:
            if code in ("", "0"):
                style = ""
            style += {"1": "font-weight:bold;", "2": "opacity:.6;"}.get(code, "")
            if code in colours:
                style += f"color:{colours[code]};"
    return (
        '<!doctype html><meta charset="utf-8"><body style="margin:0;background:#1e1e2e">'
        '<pre style="margin:0;padding:20px 24px;color:#cdd6f4;font:16px/1.4 NanumGothicCoding,monospace;'
        f'display:inline-block" id="text"><span style="opacity:.6">$ </span>openmarket plan\n{out}</pre>'
    )


def comment(markdown):
    """Markdown as a code host shows it in a comment."""
    body = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough"], input=markdown, capture_output=True, text=True,
        check=True,
    ).stdout
    return (
        '<!doctype html><meta charset="utf-8"><style>'
        "body{margin:0;padding:24px;background:#fff;color:#1f2328;font:14px/1.5 NanumGothic,sans-serif}"
        "#text{width:840px;border:1px solid #d1d9e0;border-radius:6px;padding:8px 16px}h3{font-size:18px;margin:16px 0 8px}"
        "table{border-collapse:collapse;margin:8px 0 16px}th,td{border:1px solid #d1d9e0;padding:6px 13px}"
        "tr:nth-child(2n){background:#f6f8fa}code,pre{background:#f0f1f2;border-radius:6px;padding:2px 5px;"
        "font:12px NanumGothicCoding,monospace}pre code{padding:0}pre{padding:12px}"
        f'</style><div id="text">{body}</div>'
    )


def picture_of(browser, file, name, margin=0):
    """Takes a picture of the element `text` of a page."""
    browser.screen(1200, 800)
    browser.open(file)
    box = browser.js("(b => [b.right, b.bottom])(document.getElementById('text').getBoundingClientRect())")
    browser.screen(int(box[0]) + 1 + margin, int(box[1]) + 1 + margin)
    browser.picture(f"{docs}/pictures/{name}.png")


with tempfile.TemporaryDirectory() as folder, Chromium(shutil.which("chromium") or "chromium") as browser:
    server = subprocess.Popen(
        [openmarket, "serve", "--temporary", "--port", "0", "--api", "v2b"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=variables,
    )
    try:
        url = next(match.group() for line in server.stdout if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
        shutil.copytree(root + "/examples/korean-shop", folder + "/shop", ignore=shutil.ignore_patterns(".openmarket"))
        shop = folder + "/shop"
        with open(shop + "/openmarket.yaml", encoding="utf-8") as file:
            manifest = file.read().replace("http://127.0.0.1:8080", url)
        with open(shop + "/openmarket.yaml", "w", encoding="utf-8") as file:
            file.write(manifest)
        subprocess.run([openmarket, "apply", "--yes", "--quiet"], cwd=shop, env=variables, check=True, stdout=subprocess.DEVNULL)
        with open(shop + "/openmarket.yaml", "w", encoding="utf-8") as file:
            file.write(edited(manifest))
        subprocess.run(
            [openmarket, "plan", "--write", "html=../plan.html", "--write", "markdown=../plan.md", "--quiet"], cwd=shop,
            env=variables, check=True, stdout=subprocess.DEVNULL,
        )
        with open(folder + "/terminal.html", "w", encoding="utf-8") as file:
            file.write(page(on_terminal(["plan"], shop).replace(url, "http://127.0.0.1:8080")))
        picture_of(browser, folder + "/terminal.html", "plan")
        with open(folder + "/plan.md", encoding="utf-8") as file:
            markdown = file.read().replace(url, "http://127.0.0.1:8080")
        with open(folder + "/comment.html", "w", encoding="utf-8") as file:
            file.write(comment(markdown))
        picture_of(browser, folder + "/comment.html", "comment", margin=24)
        with open(folder + "/plan.html", encoding="utf-8") as file:
            review = file.read().replace(url, "http://127.0.0.1:8080")
        with open(folder + "/plan.html", "w", encoding="utf-8") as file:
            file.write(review)
        browser.screen(1200, 900)
        browser.open(folder + "/plan.html")
        browser.picture(docs + "/pictures/review.png")
    finally:
        server.terminate()
        server.wait()
