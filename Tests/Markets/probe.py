"""Tries `market probe --write` on a market that is not ours:

    probe.py MARKET FOLDER PROGRAM

The description of examples/markets is found to be right, and nothing of the trial is left, also after the program was killed at
any of its writing requests and run again. Of copies with wrong lines those are named, and again nothing is left.
Ends with 1 where anything differs.
"""
import hashlib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "sites")]

import reader
import words
from promise import Pictures
from proxy import MOMENTS, AtRequest, Proxy
from serve import TOKEN, Site

failures = 0

# What is written otherwise, and the lines that have to be named for it: those of these beginnings, behind the change. The market
# shows nothing of the rest of a file: what it refuses for one line it does not judge by another, so each is tried by itself.
WRONG = {
    "pretix": [
        ("repeat: {header: X-Idempotency-Key", "repeat: {header: Idempotency-Key", ["repeat:"]),
        ("key: {at: /internal_name", "key: {at: /article", ["key:"]),
        ("key: {at: /internal_name, unique: unenforced", "key: {at: /internal_name, unique: enforced", ["key:"]),
        ("search: \"{key}\"", "search: \"no-{key}\"", ["key:"]),
        ("description: {at: /description", "description: {at: /text", ["description:"]),
        ("sale: {at: /original_price", "sale: {at: /former_price", ["price:", "sale:"]),
        ("write: {at: /picture,", "write: {at: /image,", ["pictures:", "change:"]),
        ("answer: /id, hours", "answer: /reference, hours", ["upload:"]),
        ("clear: never", "clear: null", ["clear:"]),
        ("detail: {path: \"/items/{id}/\"}", "detail: {path: \"/item/{id}/\"}", ["detail:"]),
        ("detail: {path: \"/items/{id}/\"}", "detail: {path: \"/items/{id}/\", missing: [\"410\"]}", ["detail:"]),
        ("success: [201]}", "success: [200]}", ["create:"]),
        ("hidden: {/active: false}", "hidden: {/active: perhaps}", ["create:"]),
    ],
    "oscar": [
        ("at: /upc\n", "at: /sku\n", ["at:"]),
        ("at: /upc, present: true, means: duplicate", "at: /sku, present: true, means: duplicate", ["rules:"]),
        ("description: {at: /description", "description: {at: /text", ["description:"]),
        ("value: /num_in_stock", "value: /stock", ["stock:"]),
        ("change: replace ", "change: in_place ", ["change:"]),
        ("write: {at: /images, new: /original}", "write: {at: /pictures, new: /original}", ["pictures:"]),
        ("/structure: standalone, /slug: product", "/structure: standalone", ["create:"]),
        ("{method: PATCH, path: \"/admin/products/{id}/\"", "{method: PATCH, path: \"/admin/product/{id}/\"", ["update:"]),
        ("{path: \"/admin/products/{id}/\"}", "{path: \"/admin/product/{id}/\"}", ["detail:"]),
    ],
}
# Lines of which each is wrong by itself, whatever the others say, and all of which are named at once.
TOGETHER = {"pretix": [0, 4, 8], "oscar": [1, 2, 4]}


def check(name, holds, detail=""):
    global failures
    failures += not holds
    if not holds or os.environ.get("VERBOSE"):
        print(f"  {'ok  ' if holds else 'FAIL'}  {name}" + (f": {detail}" if detail and not holds else ""), flush=True)


class Trial:
    def __init__(self, site, proxy, program, folder):
        self.proxy, self.program, self.folder = proxy, program, folder
        self.kind = reader.KINDS[site.name](site)
        os.makedirs(f"{folder}/images")
        for number in (1, 2):
            with open(f"{folder}/images/{number}.png", "wb") as file:
                file.write(words.picture(number))
        self.pictures = Pictures(f"{folder}/images") if site.name == "oscar" else None
        with open(f"{ROOT}/examples/markets/{site.name}.market.yaml", encoding="utf-8") as file:
            self.description = file.read()
        self.before = self.rows()

    def rows(self):
        return {row["id"]: row for row in reader.rows(self.kind.collection, TOKEN)}

    def probe(self, description, kill=None):
        """Tries a description, and returns how the program ended and what it said."""
        path = f"{self.folder}/tried.market.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(description)
        digest = hashlib.sha256(description.encode()).hexdigest()
        parameters = [word for pair in self.kind.parameters.items() for word in ("--market-parameter", "=".join(pair))]
        addresses = [word for number in (1, 2) if self.pictures
                     for word in ("--picture-url", f"{self.pictures.url}{number}.png")]
        environment = {**os.environ, "OPENMARKET_SECRET": TOKEN, "OPENMARKET_SETTLE_DELAY": "0s"}
        running = subprocess.Popen(
            [self.program, "market", "probe", self.proxy.url, "--api", path, "--write", "--parallelism", "1",
             "--accept-market", f"sha256:{digest}", "--state", f"{self.folder}/state.db", *parameters, *addresses],
            env=environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.proxy.begin(False, running, kill)
        said, _ = running.communicate(timeout=300)
        self.writes = self.proxy.writes
        self.proxy.begin()
        return running.returncode, said

    def right(self):
        """The description as it is, then killed at each writing request, and run once more."""
        status, said = self.probe(self.description)
        check("the description is right", status == 0 and "✓ written as described" in said, f"{status}\n{said}")
        check("nothing is left", self.rows() == self.before)
        kills, writes = 0, self.writes
        for moment in MOMENTS:
            for number in range(1, writes + 1):
                status, _ = self.probe(self.description, AtRequest(number, moment, writes_only=True))
                kills += status == -9
                status, said = self.probe(self.description)
                check(f"killed {moment} write {number}, the next run ends with 0", status == 0, f"{status}\n{said}")
                check(f"killed {moment} write {number}, nothing is left", self.rows() == self.before)
        check("a kill at each writing request in three moments", kills == writes * len(MOMENTS), str(kills))
        return kills

    def wrong(self, changes, is_all=True):
        """A copy with wrong lines: exactly those are named."""
        description, lines = self.description, set()
        for old, new, _ in changes:
            if description.count(old) != 1:
                sys.exit(f"'{old}' is not in the description once")
            description = description.replace(old, new)
        texts = description.split("\n")
        for _, new, named in changes:
            place = description[:description.index(new)].count("\n")
            for key in named:
                # The line of that name which is next to the change.
                near = [number for number, text in enumerate(texts) if text.strip().startswith(key)]
                lines.add(1 + min(near, key=lambda number: (abs(number - place), number)))
        status, said = self.probe(description)
        found = {int(text.split("tried.market.yaml:")[1].split(":")[0])
                 for text in said.split("\n") if "tried.market.yaml:" in text and "error" in text}
        what = ", ".join(new.strip() for _, new, _ in changes)
        check(f"{what}: exit 4", status == 4, f"{status}\n{said}")
        check(f"{what}: lines {sorted(lines)} are named", found == lines, f"{sorted(found)}\n{said}")
        check(f"{what}: nothing is left", self.rows() == self.before)


def main(market, folder, program):
    with Site(market, folder, 5) as site, Proxy(site) as proxy, tempfile.TemporaryDirectory() as work:
        trial = Trial(site, proxy, program, work)
        kills = trial.right()
        for change in WRONG[market]:
            trial.wrong([change])
        trial.wrong([WRONG[market][number] for number in TOGETHER[market]])
    count = len(WRONG[market]) + 1
    end = f"{failures} failures" if failures else f"the description is right; {kills} kills, {count} wrong ones, nothing left"
    print(f"{market}: probe: {end}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
