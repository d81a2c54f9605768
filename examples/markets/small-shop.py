#!/usr/bin/env python3
"""A small shop with a JSON API, to describe: docs/tutorials/describe-an-api.md.

    python3 small-shop.py [PORT]

It listens on 127.0.0.1; the default port is 8090, and 0 takes a free one. Products stay in memory until it ends.
Every request to the API needs the header `X-Token: s3cret`; pictures are public.

    GET    /api/v1/products?page=1&per_page=20    newest first, without `body`; at most 50 a page; &sku= finds one
    POST   /api/v1/products                       201; 409 if another product has the SKU, 422 if a value is wrong
    GET    /api/v1/products/4
    PATCH  /api/v1/products/4                     changes the members that it names
    DELETE /api/v1/products/4                     204
    GET    /photos/1                              the bytes of a picture
"""
import base64
import decimal
import http.server
import json
import re
import sys
import threading
import urllib.parse

TOKEN = "s3cret"
EMPTY = {"sku": None, "title": "", "body": "", "amount": "0.00", "currency": "USD", "in_stock": 0, "visible": True}
LOCK = threading.Lock()
products = {}
photos = {}


class Refusal(Exception):
    """A refused request: a status and a message."""


def check(values, number):
    """Raises a refusal for the first invalid member."""
    kinds = {"sku": (str, type(None)), "title": str, "body": str, "amount": str, "currency": str,
             "in_stock": int, "visible": bool, "photos": list}
    for name, value in values.items():
        if name not in kinds:
            raise Refusal(422, f"unknown member '{name}'")
        if not isinstance(value, kinds[name]) or (name == "in_stock" and isinstance(value, bool)):
            raise Refusal(422, f"'{name}' has the wrong type")
    if not values.get("title", "x"):
        raise Refusal(422, "'title' is empty")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,2})?", values.get("amount", "0")):
        raise Refusal(422, "'amount' is a text such as \"12.50\"")
    sku = values.get("sku")
    if sku and any(other["sku"] == sku and other["id"] != number for other in products.values()):
        raise Refusal(409, f"the SKU '{sku}' is taken")


def store(entries):
    """The photos of a product: those that `id` names stay, those in `data` are new."""
    kept = []
    for entry in entries:
        if "data" in entry:
            number = len(photos) + 1
            photos[number] = base64.b64decode(entry["data"])
        elif entry.get("id") in photos:
            number = entry["id"]
        else:
            raise Refusal(422, "a photo has 'data' or the 'id' of another")
        kept.append({"id": number, "url": f"/photos/{number}"})
    return kept


def write(number, values):
    """Creates or changes a product."""
    check(values, number)
    if "amount" in values:
        values = values | {"amount": f"{decimal.Decimal(values['amount']):.2f}"}
    if "photos" in values:
        values = values | {"photos": store(values["photos"])}
    products[number] = products.get(number, {"id": number} | EMPTY | {"photos": []}) | values
    return products[number]


class Shop(http.server.BaseHTTPRequestHandler):
    last_id = 0

    def answer(self, status, content=None):
        if isinstance(content, bytes):
            body, kind = content, "image/png" if content.startswith(b"\x89PNG") else "image/jpeg"
        else:
            body, kind = b"" if content is None else json.dumps(content).encode(), "application/json"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def list(self, query):
        try:
            page, size = int(query.get("page", 1)), min(int(query.get("per_page", 20)), 50)
        except ValueError:
            raise Refusal(400, "'page' and 'per_page' are numbers")
        if page < 1 or size < 1:
            raise Refusal(400, "'page' and 'per_page' are at least 1")
        rows = [{name: value for name, value in product.items() if name != "body"}
                for _, product in sorted(products.items(), reverse=True)
                if "sku" not in query or product["sku"] == query["sku"]]
        return {"items": rows[(page - 1) * size:page * size], "count": len(rows)}

    def carry_out(self):
        address = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if match := re.fullmatch(r"/photos/([0-9]+)", address.path):
            if self.command != "GET" or int(match[1]) not in photos:
                raise Refusal(404, "no such photo")
            return 200, photos[int(match[1])]
        if self.headers["X-Token"] != TOKEN:
            raise Refusal(401, "wrong token")
        values = json.loads(body) if self.command in ("POST", "PATCH") else {}
        if not isinstance(values, dict):
            raise Refusal(400, "the body is no JSON object")
        if address.path == "/api/v1/products":
            if self.command == "GET":
                return 200, self.list(dict(urllib.parse.parse_qsl(address.query)))
            if self.command == "POST":
                if not {"title", "amount"} <= values.keys():
                    raise Refusal(422, "'title' and 'amount' are required")
                product = write(Shop.last_id + 1, values)
                Shop.last_id += 1
                return 201, {"product": product}
            raise Refusal(405, "GET or POST")
        match = re.fullmatch(r"/api/v1/products/([0-9]+)", address.path)
        number = int(match[1]) if match else 0
        if number not in products:
            raise Refusal(404, "no such product")
        if self.command == "DELETE":
            del products[number]
            return 204, None
        return 200, {"product": products[number] if self.command == "GET" else write(number, values)}

    def handle_request(self):
        with LOCK:
            try:
                status, content = self.carry_out()
            except Refusal as refusal:
                status, content = refusal.args[0], {"error": refusal.args[1]}
            except ValueError:
                status, content = 400, {"error": "the body is no JSON, or a photo no base64"}
        self.answer(status, content)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_request


for title, amount, stock in [("Bell", "18.00", 4), ("Lamp", "32.50", 2), ("Jar", "24.00", 0), ("Cup", "12.50", 0),
                             ("Fan", "9.00", 3)]:
    Shop.last_id += 1
    write(Shop.last_id, {"title": title, "body": f"A {title.lower()}.", "amount": amount, "in_stock": stock})
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8090), Shop)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
