"""Lists, changes and takes away products of a market that is not ours, while its answers are lost and the program is killed:

    promise.py MARKET FOLDER PROGRAM [COUNT]

Whatever happens, each product of the manifest is there once, as the manifest says, and no product of other sellers was touched.
An independent reader looks. Ends with 1 where anything differs. OPENMARKET_SEED is the first of the seeds, SEEDS how many.
"""
import functools
import http.server
import itertools
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "sites")]

import reader
import words
from proxy import MOMENTS, AtEachWrite, AtRequest, Proxy
from serve import TOKEN, Site

failures = 0

# How a market answers what meets another request that is under way.
BUSY = {"pretix": (409, "because the same key was under way"), "oscar": (500, "because its database was locked")}


def check(name, holds, detail=""):
    global failures
    failures += not holds
    if not holds or os.environ.get("VERBOSE"):
        print(f"  {'ok  ' if holds else 'FAIL'}  {name}" + (f": {detail}" if detail and not holds else ""), flush=True)
    return holds


class Pictures:
    """Serves a folder, for a shop that fetches pictures by itself."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Wanted:
    """What a manifest says of the products, and what is to be seen of it."""

    def __init__(self, market, count, prefix):
        self.market, self.prefix = market, prefix
        self.products = {}
        for number in range(1, count + 1):
            self.add(number)

    def add(self, number):
        product = {
            "name": f"{self.prefix} {words.name(number)}", "description": words.description(number) or "설명 없음",
            "price": Decimal(1000 + 37 * number), "picture": number if number % 2 else None,
        }
        if self.market == "pretix" and number % 3 == 0:
            product["sale_price"] = product["price"] - 100
        if self.market == "oscar":
            product["stock"] = number % 13
        self.products[f"{self.prefix}-{number}"] = product

    def yaml(self, head):
        lines = [head, "products:"]
        for key, product in self.products.items():
            lines += [f"  - key: {key}", f"    name: {json.dumps(product['name'], ensure_ascii=False)}"]
            lines.append(f"    description: {json.dumps(product['description'], ensure_ascii=False)}")
            lines.append(f"    price: {product['price']}")
            lines += [f"    {name}: {product[name]}" for name in ("sale_price", "stock") if product.get(name) is not None]
            if product.get("previously"):
                lines.append(f"    previously: [{product['previously']}]")
            if product["picture"] is not None:
                lines.append(f"    images: [images/{product['picture']}.png]")
        return "\n".join(lines) + "\n"


def pixel(data):
    """The colour of the first pixel of a PNG, however it was written again."""
    place, palette, kind, packed = 8, b"", None, b""
    while place < len(data):
        length, name = struct.unpack(">I4s", data[place:place + 8])
        chunk = data[place + 8:place + 8 + length]
        if name == b"IHDR":
            kind = chunk[9]
        elif name == b"PLTE":
            palette = chunk
        elif name == b"IDAT":
            packed += chunk
        place += 12 + length
    # The first pixel of the first line is as it is under every filter.
    first = zlib.decompress(packed)[1:4]
    return tuple(palette[3 * first[0]:3 * first[0] + 3]) if kind == 3 else tuple(first)


class Bench:
    """A market with other people's products, a manifest, and the program that keeps it."""

    def __init__(self, site, proxy, kind, program, folder):
        self.site, self.proxy, self.kind, self.program, self.folder = site, proxy, kind, program, folder
        self.market = site.name
        os.makedirs(os.path.join(folder, "images"))
        for number in range(1, 400):
            with open(os.path.join(folder, "images", f"{number}.png"), "wb") as file:
                file.write(words.picture(number))
        self.pictures = Pictures(folder)
        self.environment = {
            **os.environ, "OPENMARKET_SECRET": TOKEN, "OPENMARKET_SETTLE_DELAY": "0s", "OPENMARKET_MAX_DELETE": "100%"}
        self.runs = 0
        description = f"{ROOT}/examples/markets/{self.market}.market.yaml"
        checked = subprocess.run([program, "market", "check", description, "--json"], capture_output=True, text=True)
        self.digest = json.loads(checked.stdout)["sha256"]
        parameters = json.dumps(kind.parameters)
        host = site.url.split("//")[1]
        self.head = (
            f"market:\n  url: {proxy.url}\n  api: {description}\n  parameters: {parameters}\n"
            f"  secret: !env OPENMARKET_SECRET\n  send_keys: true\n  picture_hosts: ['{host}']\n")
        if self.market == "oscar":
            self.head += f"  pictures_url: {self.pictures.url}\n"
        self.head += "defaults:\n  currency: KRW\n"
        self.others = self.rows()

    def rows(self):
        return {row["id"]: row for row in reader.rows(self.kind.collection, TOKEN)}

    def write(self, wanted):
        with open(os.path.join(self.folder, "openmarket.yaml"), "w", encoding="utf-8") as file:
            file.write(wanted.yaml(self.head))

    def start(self, *arguments):
        self.runs += 1
        return subprocess.Popen(
            [self.program, *arguments], env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments, kill=None, faulty=False):
        """Runs the program to its end, or to the request at which it is killed."""
        running = self.start(*arguments)
        self.proxy.begin(faulty, running, kill)
        said, _ = running.communicate(timeout=900)
        self.requests = self.proxy.requests
        self.proxy.begin()
        return running.returncode, said

    def apply(self, *arguments, **how):
        return self.run("apply", "--yes", "-q", "--accept-market", f"sha256:{self.digest}", *arguments, **how)

    def apply_until_done(self, name, kills, *arguments, limit=2000):
        """Killed as each of `kills` says, its answers lost, and run again until a run ends by itself with 0."""
        killed, others = 0, {}
        for run in range(limit):
            status, said = self.apply(*arguments, kill=next(kills), faulty=True)
            if status == 0:
                print(f"  {name}: done after {run + 1} runs, {killed} of them killed, others ended with {others}", flush=True)
                return killed
            killed += status == -9
            if status != -9:
                others[status] = others.get(status, 0) + 1
                self.last = said
        check(name, False, f"not done after {limit} runs ({killed} killed, {others}): {self.last[-1500:]}")
        return killed

    def apply_killed_at_each_write(self, name, turn):
        """One request after the other, and a run is killed at each of them that writes."""
        each = AtEachWrite(turn)
        killed = self.apply_until_done(name, itertools.repeat(each), "--parallelism", "1")
        check(f"{name}: a kill at each of {len(each.met)} writing requests", killed == len(each.met), str(killed))

    # MARK: - What is there

    def expect(self, name, wanted):
        """That the market has what is wanted, each once, and other people's products as they were."""
        self.proxy.settle()
        rows = self.rows()
        seen = {}
        for row in rows.values():
            seen.setdefault(row["internal_name" if self.market == "pretix" else "upc"], []).append(row)
        ours = [key for key in seen if key and key.startswith(wanted.prefix + "-")]
        twice = [key for key in ours if len(seen[key]) > 1]
        check(f"{name}: nothing is there twice", not twice, str(twice[:5]))
        check(f"{name}: nothing is missing", not (missing := set(wanted.products) - set(ours)), str(sorted(missing)[:5]))
        check(f"{name}: nothing is too much", not (more := set(ours) - set(wanted.products)), str(sorted(more)[:5]))
        count = len(self.others) + len(wanted.products)
        check(f"{name}: {count} products in all", len(rows) == count, str(len(rows)))
        touched = [key for key, row in self.others.items() if rows.get(key) != row]
        check(f"{name}: products of other sellers are as they were", not touched, str(touched[:5]))
        wrong = [words for key, product in wanted.products.items() if len(seen.get(key, [])) == 1
                 for words in self.differences(key, seen[key][0], product)]
        check(f"{name}: every field and picture is as the manifest says", not wrong, "; ".join(map(str, wrong[:5])))
        return {key: rows[0]["id"] for key, rows in seen.items() if key in wanted.products}

    def differences(self, key, row, product):
        shown = self.kind.expected(row)
        for name in ("name", "description", "price"):
            if shown[name] != product[name]:
                yield f"{key}.{name} is {shown[name]!r} and not {product[name]!r}"
        if self.market == "pretix" and shown["sale_price"] != product.get("sale_price"):
            yield f"{key}.sale_price is {shown['sale_price']!r} and not {product.get('sale_price')!r}"
        if self.market == "oscar" and shown["stock"] != product["stock"]:
            yield f"{key}.stock is {shown['stock']!r} and not {product['stock']!r}"
        if len(shown["images"]) != (product["picture"] is not None):
            yield f"{key} has {len(shown['images'])} pictures"
        elif product["picture"] is not None:
            data = self.picture(shown["images"][0])
            wanted = words.picture(product["picture"])
            if not (pixel(data) == pixel(wanted) if self.market == "pretix" else data == wanted):
                yield f"{key} has another picture"

    def picture(self, url):
        if self.market == "pretix":
            # In front of pretix a web server gives its files out.
            with open(self.site.data + "/media" + url.split("/media", 1)[1], "rb") as file:
                return file.read()
        with urllib.request.urlopen(url, timeout=60) as reply:
            return reply.read()

    def expect_settled(self, name):
        status, said = self.run("plan", "--detailed-exitcode", "-q")
        check(f"{name}: nothing is left to do", status == 0, f"{status} {said[-800:]}")

    def change(self, row_id, body):
        status, answer = reader.send("PATCH", f"{self.kind.collection}{row_id}/", TOKEN, body)
        check(f"an edit on the market is taken", status == 200, str(answer)[:300])


def kills_at(generator, most):
    """Writing requests at which runs are killed, early and late, before, after and amid the answer."""
    while True:
        yield AtRequest(generator.randint(1, most), generator.choice(MOMENTS), writes_only=True)


def promise(bench, seed, count):
    generator = random.Random(seed)
    wanted = Wanted(bench.market, count, f"p{seed}")
    bench.write(wanted)
    bench.apply_killed_at_each_write(f"{count} products", seed)
    ids = bench.expect("listed", wanted)
    bench.expect_settled("listed")
    before = bench.rows()
    status, said = bench.apply()
    check("the job once more ends with 0", status == 0, said[-500:])
    check("the job once more changes nothing", bench.rows() == before)

    # Edits on the market, and drift that is put back.
    for number, (key, row_id) in enumerate(sorted(ids.items())[:6]):
        if bench.market == "pretix":
            bench.change(row_id, {"default_price": "1.00"} if number % 2 else {"name": {"en": "Edited", "de": "Von Hand"}})
        else:
            bench.change(row_id, {"title": "Edited"} if number % 2 else {"description": "edited"})
    status, said = bench.run("plan", "--detailed-exitcode", "-q")
    check("edits on the market are seen", status == 2, f"{status} {said[-500:]}")
    bench.apply_until_done("drift put back", kills_at(generator, 12))
    check("drift: the ids stay", bench.expect("drift", wanted) == ids)

    # The manifest changes: prices, sales, stocks, deletes, new ones.
    keys = list(wanted.products)
    for key in keys[6:26]:
        product = wanted.products[key]
        product["price"] += 1000
        product["name"] += " 새로"
        product.pop("sale_price", None)
        if "stock" in product:
            product["stock"] += 1
    if bench.market == "pretix":
        for key in keys[26:32]:
            if wanted.products[key]["picture"] is not None:
                wanted.products[key]["picture"] += 100
    for key in keys[-10:]:
        del wanted.products[key]
    for number in range(count + 1, count + 21):
        wanted.add(number)
    bench.write(wanted)
    bench.apply_until_done("changes, ended sales, deletes, and more products, several at once", kills_at(generator, 12))
    after = bench.expect("changed", wanted)
    check("changed: the ids stay", all(after.get(key) == ids[key] for key in set(after) & set(ids)))
    bench.expect_settled("changed")

    # Keys are renamed, and what shows the former one is given the new one.
    renamed = {f"{key}-renamed": key for key in keys[32:36]}
    for key, former in renamed.items():
        wanted.products[key] = {**wanted.products.pop(former), "previously": former}
    bench.write(wanted)
    bench.apply_until_done("renamed keys", kills_at(generator, 4))
    after = bench.expect("renamed", wanted)
    check("renamed: the ids stay", all(after[key] == ids[former] for key, former in renamed.items()))
    bench.expect_settled("renamed")

    # Other pictures, of a market that has neither a request that changes them nor room for two products of a key.
    if bench.market == "oscar":
        replaced = [key for key in keys[26:32] if wanted.products[key]["picture"] is not None]
        for key in replaced:
            wanted.products[key]["picture"] += 100
        bench.write(wanted)
        status, said = bench.apply()
        check("other pictures are refused, with what to do", status == 5 and f"--recreate '{replaced[0]}'" in said, said[-500:])
        asked = [word for key in replaced for word in ("--recreate", key)]
        status, said = bench.apply(*asked, kill=AtRequest(2, MOMENTS[1], writes_only=True), faulty=True)
        # What was deleted is made by any later run, and what was not is asked for again.
        bench.apply_until_done("the rest of a broken replace", kills_at(generator, 12), *asked)
        after = bench.expect("replaced", wanted)
        check("replaced: the ids are new", not any(after[key] == ids[key] for key in replaced))
        bench.expect_settled("replaced")

    # The state is lost: what carries our keys is ours.
    shutil.rmtree(os.path.join(bench.folder, ".openmarket"))
    bench.apply_until_done("a lost state", kills_at(generator, 12))
    check("a lost state: the ids stay", bench.expect("a lost state", wanted) == after)
    bench.expect_settled("a lost state")

    # Two jobs at once: one of them waits or leaves.
    for key in list(wanted.products)[:10]:
        wanted.products[key]["price"] += 7
    bench.write(wanted)
    first, second = (bench.start("apply", "--yes", "-q", "--accept-market", f"sha256:{bench.digest}") for _ in range(2))
    ends = sorted((first.wait(600), second.wait(600)))
    check("two jobs at once end with 0, and 7 or 0", ends in ([0, 0], [0, 7]), str(ends))
    bench.expect("two jobs", wanted)

    # All of them are deleted again.
    keys, wanted.products = list(wanted.products), {}
    with open(os.path.join(bench.folder, "openmarket.yaml"), "w", encoding="utf-8") as file:
        file.write(bench.head + "products:\n" + "".join(f"  - {{key: {key}, state: absent}}\n" for key in keys))
    bench.apply_killed_at_each_write("all deleted", seed)
    bench.expect("all deleted", wanted)


def every_request(bench):
    """A small job, killed at each of its requests, reads included, in each of three moments, and run once more."""
    wanted = Wanted(bench.market, 3, "calm")
    bench.write(wanted)
    status, said = bench.apply()
    total = bench.requests
    check("a calm run ends with 0", status == 0, said[-800:])
    bench.expect("calm", wanted)
    killed = 0
    for moment in MOMENTS:
        for request in range(1, total + 1):
            name = f"killed {moment} request {request}"
            wanted = Wanted(bench.market, 3, f"k{moment}{request}")
            bench.others = bench.rows()
            shutil.rmtree(os.path.join(bench.folder, ".openmarket"), ignore_errors=True)
            bench.write(wanted)
            status, _ = bench.apply(kill=AtRequest(request, moment))
            killed += status == -9
            status, said = bench.apply()
            check(f"{name}: the next run ends with 0", status == 0, f"{status} {said[-800:]}")
            bench.expect(name, wanted)
    print(f"  killed at each of {total} requests in three moments: {killed} kills", flush=True)


def main(market, folder, program, count="120"):
    kind_of = reader.KINDS[market]
    first, seeds = int(os.environ.get("OPENMARKET_SEED", "1")), int(os.environ.get("SEEDS", "1"))
    print(f"{market}: {count} products, seeds {first} to {first + seeds - 1}", flush=True)
    began = time.monotonic()
    with Site(market, folder, 12) as site:
        kind = kind_of(site)
        for seed in range(first, first + seeds):
            with Proxy(site, seed) as proxy, tempfile.TemporaryDirectory() as work:
                bench = Bench(site, proxy, kind, program, work)
                promise(bench, seed, int(count))
                print(f"  seed {seed}: {bench.runs} runs, requests {dict(sorted(proxy.counts.items()))}", flush=True)
                print(f"  seed {seed}: the market answered writes with {dict(sorted(proxy.statuses.items()))}", flush=True)
                status, when = BUSY[market]
                check(f"the market answered {status}, {when}", proxy.statuses.get(status), str(proxy.statuses))
        with Proxy(site) as proxy, tempfile.TemporaryDirectory() as work:
            every_request(Bench(site, proxy, kind, program, work))
    seconds = time.monotonic() - began
    print(f"{market}: {failures} failures" if failures else f"{market}: the promise held ({seconds:.0f} s)", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:5])
