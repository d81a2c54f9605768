"""The reference server under load, beside one written with Flask and SQLite."""

import json
import re
import sqlite3
import subprocess

from .. import data, servers, shops, tools
from ..measuring import Failed, Series, alternately
from ..table import Line, ratio_at_least
from .row import Row

PRODUCTS = 100_000
PAGE_SIZE = 20
LAST_PAGE = PRODUCTS // PAGE_SIZE
SECONDS = 4
BOUNDARY = "benchmark-0123456789abcdef"


def load(path, *script):
    """Requests a second of 16 connections for some seconds."""
    arguments = [tools.program("wrk"), "-t", "1", "-c", "16", "-d", f"{SECONDS}s", *script[:2], servers.URL + path]
    output = subprocess.run(
        [str(argument) for argument in [*arguments, *script[2:]]], check=True, capture_output=True, text=True
    ).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise Failed(output)
    tools.progress(f"{path}: {re.search(r'Requests/sec: *([0-9.]+)', output)[0]}")
    return float(re.search(r"Requests/sec: *([0-9.]+)", output)[1])


def list_path(page, size=PAGE_SIZE):
    return f"/api/products?page_no={page}&items_per_page={size}"


def create_load():
    """The same create with a picture of 2 KB again and again."""
    product = next(data.products(1))
    picture = next((shops.catalog(1_000) / "images").glob("*.jpg")).read_bytes()
    body = (
        (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="params"\r\nContent-Type: application/json\r\n\r\n'
            f"{json.dumps(product.parameters(), ensure_ascii=False)}\r\n"
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="images"; filename="a.jpg"\r\n'
            "Content-Type: image/jpeg\r\n\r\n"
        ).encode()
        + picture
        + f"\r\n--{BOUNDARY}--\r\n".encode()
    )
    path = tools.SCRATCH / "create.body"
    path.write_bytes(body)
    return load("/api/products", "-s", tools.PEERS / "create.lua", "--", path, BOUNDARY, data.IDENTIFIER)


def flask_shop(binary):
    """The Flask server's database with as many products, from ours."""
    folder = shops.listed(binary, PRODUCTS)
    target = tools.SCRATCH / "flask-list/shop.db"
    if not target.exists():
        database = target.with_name("new.db")
        tools.remove(target.parent)
        target.parent.mkdir()
        with servers.flask(database):
            pass
        connection = sqlite3.connect(database)
        connection.execute("ATTACH ? AS ours", (str(folder / "shop.db"),))
        connection.execute(
            "INSERT INTO main.product SELECT id, 1, name, description, price, currency, discount, stock,"
            " '2026-11-22T00:00:00', '2026-11-22T00:00:00' FROM ours.product"
        )
        connection.execute(
            "INSERT INTO main.picture SELECT id, product_id, name, file_extension, '2026-11-22T00:00:00'"
            " FROM ours.picture"
        )
        connection.commit()
        connection.close()
        database.rename(target)
    return target


def lists(binary, runs):
    folder = shops.listed(binary, PRODUCTS)
    database = flask_shop(binary)

    def ours(page):
        def measure():
            with servers.serve(binary, folder / "shop.db"):
                return load(list_path(page))

        return measure

    def peer(page):
        def measure():
            with servers.flask(database):
                return load(list_path(page))

        return measure

    measured = {
        "ours, first page": ours(1),
        "Flask, first page": peer(1),
        "ours, last page": ours(LAST_PAGE),
        "Flask, last page": peer(LAST_PAGE),
    }
    rates = {name: Series(tuple(values)) for name, values in alternately(runs, measured, warm_up=False).items()}
    return [
        Line("serve-list", "page 1", "/s", rates["ours, first page"], rates["Flask, first page"]),
        Line("serve-list", f"page {LAST_PAGE}", "/s", rates["ours, last page"], rates["Flask, last page"]),
        Line(
            "serve-list",
            f"page {LAST_PAGE} beside page 1",
            "/s",
            rates["ours, last page"],
            rates["ours, first page"],
            ratio_at_least(0.9),
        ),
    ]


def creates(binary, runs):
    costs = {"ours": [], "Flask": []}
    folder = tools.SCRATCH / "serve-creates"
    tools.remove(folder)

    def under_load(name, server):
        def measure():
            # Deleted at the end: see put_aside in shops.py.
            shop = folder / f"{name}-{len(costs[name])}"
            shop.mkdir(parents=True)
            with server(shop / "shop.db") as usage:
                rate = create_load()
                costs[name].append(usage.cpu() / (rate * SECONDS) * 1000)
                return rate

        return measure

    samples = alternately(
        runs,
        {
            "ours": under_load("ours", lambda database: servers.serve(binary, database)),
            "Flask": under_load("Flask", servers.flask),
        },
        warm_up=False,
    )
    tools.remove(folder)
    rates = {name: Series(tuple(values)) for name, values in samples.items()}
    cpu = {name: Series(tuple(values)) for name, values in costs.items()}
    return [
        Line("serve-creates", "creates", "/s", rates["ours"], rates["Flask"], ratio_at_least(10)),
        Line("serve-creates", "CPU a create", "ms", cpu["ours"], cpu["Flask"]),
    ]


ROWS = [
    Row(
        "serve-list",
        "pages of 20 of 100 000 products that `serve` answers a second, the first and the last, 16 connections; peer: "
        "Flask and SQLite under gunicorn, two processes of eight threads",
        lists,
    ),
    Row(
        "serve-creates",
        "creates with a picture of 2 KB that `serve` takes a second, 16 connections; peer: the same Flask server",
        creates,
    ),
]
