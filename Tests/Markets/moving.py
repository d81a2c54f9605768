"""Moves the shop of `openmarket serve` to a market that is not ours, by the recipe of docs/markets.md:

    moving.py MARKET FOLDER PROGRAM

Each product is there once, beside what was there, with every field that both markets express and its pictures, byte for byte
where they are kept; run a second time, the recipe changes nothing.
Ends with 1 where anything differs.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "sites")]

import reader
from promise import Pictures
from serve import TOKEN, Site


# What a market expresses of what `openmarket serve` shows, and how many pictures of a product its description takes: of a
# product with more none is moved, as a warning says.
EXPRESSED = {"oscar": ("name", "description", "price", "currency", "stock")}
MOST_PICTURES = {"oscar": 1}


def recipe():
    with open(f"{ROOT}/docs/markets.md", encoding="utf-8") as file:
        section = file.read().split("## Moving a shop\n")[1]
    return section.split("```sh\n")[1].split("```")[0]


def digest(url):
    with urllib.request.urlopen(url, timeout=60) as reply:
        return hashlib.sha256(reply.read()).hexdigest()


def products(market, rows):
    """Each product as its fields and its pictures, in an order that no id decides."""
    def plain(name, value):
        return Decimal(value) if name in ("price", "stock") and value is not None else value

    return sorted(
        ({name: plain(name, row[name]) for name in EXPRESSED[market]}
         | {"images": [digest(url) for url in row["images"]] if len(row["images"]) <= MOST_PICTURES[market] else []}
         for row in rows),
        key=lambda product: json.dumps(product, default=str))


def main(market, folder, program):
    description = f"{ROOT}/examples/markets/{market}.market.yaml"
    with open(description, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with Site(market, folder, 5) as site, tempfile.TemporaryDirectory() as work:
        shop = subprocess.Popen(
            [program, "serve", "--temporary", "--seed", "korean-shop", "--port", "0", "--api", "v2b"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            old = next(line for line in shop.stdout if line.startswith("listening on ")).split()[2]
            kind = reader.KINDS[market](site)
            with open(f"{work}/new.yaml", "w", encoding="utf-8") as file:
                file.write(
                    f"market:\n  url: {site.url}\n  api: {description}\n"
                    f"  parameters: {json.dumps(kind.parameters)}\n  secret: !env OPENMARKET_SECRET\n  send_keys: true\n"
                    f"  pictures_url: {Pictures(work).url}\n")
            script = f"set -eu\nopenmarket() {{ '{program}' \"$@\"; }}\n{recipe()}"
            environment = {
                **os.environ, "OLD_URL": old, "OPENMARKET_SECRET": TOKEN, "OPENMARKET_YES": "1",
                "OPENMARKET_ACCEPT_MARKET": f"sha256:{digest}"}
            before = {str(row["id"]) for row in reader.rows(kind.collection, TOKEN)}
            moved = []
            for _ in range(2):
                done = subprocess.run(["sh", "-c", script], cwd=work, env=environment, text=True, capture_output=True)
                if done.returncode:
                    sys.exit(f"the recipe ended with {done.returncode}:\n{done.stdout}{done.stderr}")
                moved.append([row for row in reader.rows(kind.collection, TOKEN) if str(row["id"]) not in before])
            done = subprocess.run(
                [program, "export", "-q", "--details", "--url", old, "--api", "v2b", "--format", "jsonl"],
                text=True, capture_output=True, check=True)
            wanted = products(market, [json.loads(line, parse_float=Decimal) for line in done.stdout.splitlines()])
            moved = [products(market, [kind.expected(row) for row in rows]) for rows in moved]
        finally:
            shop.terminate()
            shop.wait()
    for number, found in enumerate(moved, 1):
        for product, other in zip(wanted, found):
            if product != other:
                sys.exit(f"{market}: after run {number} there is\n  {other}\nand not\n  {product}")
        if len(found) != len(wanted):
            sys.exit(f"{market}: after run {number} there are {len(found)} products, and not {len(wanted)}")
    pictures = sum(len(product["images"]) for product in wanted)
    print(f"{market}: {len(wanted)} products moved, each once, with {pictures} pictures", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
