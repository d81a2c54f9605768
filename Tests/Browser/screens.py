"""Takes pictures of a page to look at: python3 Tests/Browser/screens.py PAGE.html FOLDER"""

import os
import shutil
import sys

from chromium import Chromium

page, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
with Chromium(shutil.which("chromium") or "chromium") as browser:
    for name, options in {
        "desktop": dict(width=1280, height=800),
        "dark": dict(width=1280, height=800, dark=True),
        "phone": dict(width=390, height=844, mobile=True),
        "phone-dark": dict(width=390, height=844, mobile=True, dark=True),
        "plain": dict(width=1280, height=800, script=False),
    }.items():
        browser.screen(**options)
        browser.open(page)
        browser.picture(f"{folder}/{name}.png")
        browser.screen(**dict(options, script=True))
        browser.js("document.getElementById('changes').scrollIntoView()")
        browser.picture(f"{folder}/{name}-changes.png")
    browser.screen(1280, 800)
    browser.open(page)
    browser.pdf(f"{folder}/print.pdf")
    browser.screen(1280, 800)
    browser.open(page)
    browser.js("document.querySelector('input[value=picture]')?.click()")
    browser.js("[...document.querySelectorAll('.ways button')].filter((b, i) => i % 4 == 1).forEach((b) => b.click())")
    browser.js("document.getElementById('changes').scrollIntoView()")
    browser.picture(f"{folder}/pictures.png")
