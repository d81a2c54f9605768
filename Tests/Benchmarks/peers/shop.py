"""The routes of v2b that list and create, as one would write them with Flask and SQLite.

Started by gunicorn with SHOP, the path of the database; the pictures lie beside it.
"""

import hashlib
import json
import os
import pathlib
import sqlite3
import threading
import uuid
from datetime import date

from flask import Flask, Response, request

DATABASE = os.environ["SHOP"]
PICTURES = pathlib.Path(DATABASE + "-images")
SALT = b"benchmark"

app = Flask(__name__)
local = threading.local()


def connection():
    """The connection of this thread."""
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
        local.connection.execute("PRAGMA journal_mode = WAL")
        local.connection.execute("PRAGMA synchronous = NORMAL")
        local.connection.row_factory = sqlite3.Row
    return local.connection


def prepare():
    """Makes the tables and the vendor."""
    PICTURES.mkdir(exist_ok=True)
    connection().executescript(
        """
        CREATE TABLE IF NOT EXISTS vendor (id INTEGER PRIMARY KEY, name TEXT, identifier TEXT UNIQUE, hash BLOB);
        CREATE TABLE IF NOT EXISTS product (
            id INTEGER PRIMARY KEY AUTOINCREMENT, vendor_id INTEGER, name TEXT, description TEXT, price TEXT,
            currency TEXT, discount TEXT, stock INTEGER, created_at TEXT, issued_at TEXT);
        CREATE TABLE IF NOT EXISTS picture (
            id INTEGER PRIMARY KEY AUTOINCREMENT, product_id INTEGER, name TEXT, extension TEXT, issued_at TEXT);
        CREATE INDEX IF NOT EXISTS picture_of_product ON picture (product_id);
        """
    )
    secret = hashlib.sha256(SALT + os.environ["OPENMARKET_SECRET"].encode()).digest()
    connection().execute(
        "INSERT OR IGNORE INTO vendor VALUES (1, 'benchmark', ?, ?)", (os.environ["OPENMARKET_IDENTIFIER"], secret)
    )


def answer(value, status=200):
    """A reply in JSON, as compact as the market's."""
    return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":")), status, mimetype="application/json")


def address(picture, kind):
    day = picture["issued_at"][:10].replace("-", "")
    return f"{request.host_url}training-resources/1/{day}/{picture['name']}_{kind}{picture['extension']}"


def shown(product, pictures):
    price, discount = float(product["price"]), float(product["discount"] or 0)
    return {
        "id": product["id"],
        "vendor_id": product["vendor_id"],
        "vendorName": "benchmark",
        "name": product["name"],
        "description": product["description"],
        "thumbnail": address(pictures[0], "thumb"),
        "currency": product["currency"],
        "price": price,
        "bargain_price": price - discount,
        "discounted_price": discount,
        "stock": product["stock"],
        "created_at": product["created_at"],
        "issued_at": product["issued_at"],
    }


@app.get("/api/products")
def page():
    number = int(request.args.get("page_no", 1))
    size = int(request.args.get("items_per_page", 10))
    total = connection().execute("SELECT COUNT(*) FROM product").fetchone()[0]
    products = (
        connection()
        .execute("SELECT * FROM product ORDER BY id DESC LIMIT ? OFFSET ?", (size, (number - 1) * size))
        .fetchall()
    )
    if not products and number > 1:
        return Response(status=204)
    pictures = {}
    marks = ",".join("?" * len(products))
    for picture in connection().execute(
        f"SELECT * FROM picture WHERE product_id IN ({marks}) ORDER BY id", [product["id"] for product in products]
    ):
        pictures.setdefault(picture["product_id"], []).append(picture)
    last = (total + size - 1) // size
    return answer(
        {
            "pageNo": number,
            "itemsPerPage": size,
            "totalCount": total,
            "offset": (number - 1) * size,
            "limit": number * size,
            "lastPage": last,
            "hasNext": number < last,
            "hasPrev": number > 1,
            "pages": [shown(product, pictures[product["id"]]) for product in products],
        }
    )


@app.post("/api/products")
def create():
    vendor = (
        connection()
        .execute("SELECT * FROM vendor WHERE identifier = ?", (request.headers.get("identifier"),))
        .fetchone()
    )
    values = json.loads(request.form["params"])
    secret = hashlib.sha256(SALT + values["secret"].encode()).digest()
    if vendor is None or vendor["hash"] != secret:
        return answer({"code": 400, "message": "the identifier or secret is missing or wrong"}, 400)
    today = f"{date.today().isoformat()}T00:00:00"
    uploads = []
    for upload in request.files.getlist("images"):
        name = uuid.uuid4().hex
        upload.save(PICTURES / name)
        uploads.append((name, pathlib.Path(upload.filename).suffix))
    database = connection()
    database.execute("BEGIN IMMEDIATE")
    product = database.execute(
        "INSERT INTO product (vendor_id, name, description, price, currency, discount, stock, created_at, issued_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        (
            vendor["id"], values["name"], values["description"], str(values["price"]), values["currency"],
            str(values.get("discounted_price", 0)), values.get("stock", 0), today, today,
        ),
    ).fetchone()  # fmt: skip
    pictures = [
        database.execute(
            "INSERT INTO picture (product_id, name, extension, issued_at) VALUES (?, ?, ?, ?) RETURNING *",
            (product["id"], name, extension, today),
        ).fetchone()
        for name, extension in uploads
    ]
    database.execute("COMMIT")
    images = [
        {
            "id": picture["id"],
            "url": address(picture, "origin"),
            "thumbnail_url": address(picture, "thumb"),
            "issued_at": picture["issued_at"],
        }
        for picture in pictures
    ]
    detail = shown(product, pictures) | {"images": images}
    return answer(detail | {"vendors": {"id": vendor["id"], "name": vendor["name"]}}, 201)


prepare()
