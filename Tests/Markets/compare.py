"""Compares openmarket's exports of a market that is not ours with what `reader.py` reads: compare.py MARKET FOLDER PROGRAM

In all formats; while products come and go; killed at every page and resumed. Ends with 1 where anything differs.
"""
import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "sites")]

import reader
from proxy import Proxy
from serve import TOKEN, Site

NUMBERS = ("price", "sale_price", "stock")
COLUMNS = ("id", "name", "description", "price", "sale_price", "currency", "stock", "images")
failures = 0


def check(name, holds, detail=""):
    global failures
    failures += not holds
    print(f"  {'ok  ' if holds else 'FAIL'}  {name}" + (f": {detail}" if detail and not holds else ""), flush=True)


class Exporter:
    """The program with all that says which market."""

    def __init__(self, program, market, url, parameters, folder):
        self.program, self.folder = program, folder
        self.arguments = ["--url", url, "--api", f"{ROOT}/examples/markets/{market}.market.yaml"]
        for name, value in parameters.items():
            self.arguments += ["--market-parameter", f"{name}={value}"]
        self.environment = {**os.environ, "OPENMARKET_SECRET": TOKEN}

    def command(self, *arguments):
        return [self.program, "export", "-q", *self.arguments, *arguments]

    def run(self, *arguments):
        return subprocess.run(
            self.command(*arguments), env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=300)

    def path(self, name):
        return os.path.join(self.folder, name)

    def certificate(self, name):
        with open(self.path(name) + ".certificate.json") as file:
            return json.load(file)


def from_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found = {name: row[name] or None for name in COLUMNS}
            found.update(id=int(row["id"]), images=row["images"].split(), **{
                name: Decimal(row[name]) if row[name] else None for name in NUMBERS})
            yield found


def from_lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line, parse_float=Decimal)
            found = {name: row[name] for name in COLUMNS}
            found.update({name: None if row[name] is None else Decimal(row[name]) for name in NUMBERS})
            yield found


def from_database(path):
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    for row in base.execute("SELECT * FROM products ORDER BY rowid"):
        found = {name: row[name] for name in COLUMNS if name != "images"}
        found.update({name: None if row[name] is None else Decimal(str(row[name])) for name in NUMBERS})
        found["images"] = [url for url, in base.execute(
            "SELECT url FROM pictures WHERE product_id = ? ORDER BY position", (row["id"],))]
        yield found


FORMATS = {"catalog.csv": from_csv, "catalog.jsonl": from_lines, "catalog.sqlite": from_database}


def difference(found, wanted):
    """The first product that is not as it should be, in words; none where all are."""
    found, wanted = {row["id"]: row for row in found}, {row["id"]: row for row in wanted}
    for key in sorted(set(found) ^ set(wanted)):
        return f"{key} is only in the {'export' if key in found else 'market'}"
    for key, row in wanted.items():
        for name in COLUMNS:
            if found[key][name] != row[name]:
                return f"{key}.{name}: {found[key][name]!r} and not {row[name]!r}"
    return None


def compare_formats(exporter, kind):
    wanted = [kind.expected(row) for row in reader.rows(kind.collection, TOKEN)]
    check(f"the market has {kind.count} products", len(wanted) == kind.count, str(len(wanted)))
    for name, rows in FORMATS.items():
        done = exporter.run("-o", name)
        check(f"{name} ends with 0", done.returncode == 0, f"{done.returncode} {done.stderr}")
        if done.returncode != 0:
            continue
        found = list(rows(exporter.path(name)))
        # CSV has one sign for an unset value and an empty text; readers of CSV see no quotes.
        expected = [{**row, "description": row["description"] or None} for row in wanted] if rows is from_csv else wanted
        words = difference(found, expected)
        check(f"{name} has every value of the market", words is None, words)
        check(f"{name} has each product once", len(found) == len(wanted), f"{len(found)} rows")
    certificate = exporter.certificate("catalog.csv")
    check("the catalog stayed, as the certificate says", certificate["catalog_moved"] is False, str(certificate))
    check("the certificate names its proof", certificate.get("proof") == "ranks", str(certificate.get("proof")))
    details = exporter.run("-o", "details.csv", "--details")
    check("--details ends with 0", details.returncode == 0, details.stderr)
    if details.returncode == 0:
        words = difference(from_csv(exporter.path("details.csv")), from_csv(exporter.path("catalog.csv")))
        check("details say what the list says", words is None, words)


def compare_while_it_moves(exporter, kind, proxy):
    """At each page in turn a product comes and another one goes: those that stay are all there, once and as they are."""
    endings = []
    for page in range(1, kind.count // kind.page + 3):
        before = {row["id"]: kind.expected(row) for row in reader.rows(kind.collection, TOKEN)}
        # One that was read already, one that was not, and so on.
        gone = sorted(before)[(page * 37) % len(before)]

        def move():
            status, body = reader.send("POST", kind.collection, TOKEN, kind.new(page))
            check(f"a product comes at page {page}", status == 201, str(body)[:200])
            status, body = reader.send("DELETE", f"{kind.collection}{gone}/", TOKEN)
            check(f"a product goes at page {page}", status == 204, str(body)[:200])

        proxy.at(page, move)
        done = exporter.run("-o", "moving.csv", "--parallelism", "1")
        endings.append(done.returncode)
        check(f"the export is complete all the same ({done.returncode})", done.returncode in (0, 10), done.stderr)
        if done.returncode not in (0, 10):
            continue
        rows = list(from_csv(exporter.path("moving.csv")))
        stayed = {key: {**row, "description": row["description"] or None} for key, row in before.items() if key != gone}
        words = difference([row for row in rows if row["id"] in stayed], stayed.values())
        check("each product that stayed is there as it is", words is None, words)
        check("no product is there twice", len({row["id"] for row in rows}) == len(rows))
    proxy.at(0, None)
    print(f"  exits while products came and went: {endings}", flush=True)


def compare_after_kills(exporter, kind, proxy):
    whole = exporter.run("-o", "whole.csv", "--parallelism", "1")
    check("an export through the proxy ends with 0", whole.returncode == 0, whole.stderr)
    with open(exporter.path("whole.csv"), "rb") as file:
        expected = file.read()
    pages = proxy.pages
    check(f"it asks for {pages} pages", pages > kind.count // kind.page)
    for page in range(1, pages + 1):
        running = subprocess.Popen(
            exporter.command("-o", f"killed-{page}.csv", "--parallelism", "1"), env=exporter.environment,
            cwd=exporter.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        proxy.at(page, lambda: running.send_signal(signal.SIGKILL))
        running.wait(timeout=120)
        check(f"killed at page {page}, no file is there", not os.path.exists(exporter.path(f"killed-{page}.csv")))
        proxy.at(0, None)
        resumed = exporter.run("-o", f"killed-{page}.csv", "--parallelism", "1")
        check(f"resumed behind page {page}", resumed.returncode == 0, resumed.stderr)
        if resumed.returncode == 0:
            with open(exporter.path(f"killed-{page}.csv"), "rb") as file:
                check(f"resumed behind page {page}: equal bytes", file.read() == expected)


def main(market, folder, program):
    kind_of = reader.KINDS[market]
    print(f"{market}: {kind_of.count} products", flush=True)
    with Site(market, folder, kind_of.count) as site, tempfile.TemporaryDirectory() as exports:
        kind = kind_of(site)
        compare_formats(Exporter(program, market, site.url, kind.parameters, exports), kind)
        with Proxy(site) as proxy:
            exporter = Exporter(program, market, proxy.url, kind.parameters, exports)
            compare_after_kills(exporter, kind, proxy)
            compare_while_it_moves(exporter, kind, proxy)
    if os.environ.get("RECORD_MARKETS") == "1":
        record(market, folder, program)
    print(f"{market}: {failures} failures" if failures else f"{market}: equal", flush=True)
    sys.exit(1 if failures else 0)


def record(market, folder, program):
    """Writes the conversations of a small market down, for the tests that replay them; without the token."""
    with Site(market, folder, 12) as site, tempfile.TemporaryDirectory() as exports, Proxy(
            site, records=True) as proxy:
        kind = reader.KINDS[market](site)
        exporter = Exporter(program, market, proxy.url, kind.parameters, exports)
        done = exporter.run("-o", "catalog.jsonl", "--details", "--parallelism", "1")
        check("the conversation was recorded", done.returncode == 0, done.stderr)
        name = f"{ROOT}/Tests/OpenMarketCLITests/Conversations/{market}.jsonl"
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            for exchange in proxy.conversation:
                line = json.dumps(exchange, ensure_ascii=False, default=str)
                # Whoever replays it needs neither the token nor the port.
                line = line.replace(TOKEN, "TOKEN").replace(site.url, "http://127.0.0.1:1")
                file.write(line.replace(proxy.url, "http://127.0.0.1:1") + "\n")


main(*sys.argv[1:4])
