"""Reads a market's products with nothing of openmarket's: what its export has to say, by the same API.

Standard library alone. What a member means is written here a second time, on purpose.
"""
import json
import urllib.error
import urllib.request
from decimal import Decimal


def get(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Token {token}", "Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply, parse_float=Decimal)


def send(method, url, token, body=None):
    """Changes something; returns the status and what is answered."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"Authorization": f"Token {token}", "Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read()
            return reply.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def rows(first, token):
    """All rows, by the addresses that the pages give."""
    while first:
        page = get(first, token)
        yield from page["results"]
        first = page["next"]


def number(text):
    return None if text is None else Decimal(text)


class Pretix:
    """Items of the event; each has one picture at the most."""

    count, page = 120, 50
    parameters = {"organizer": "bazaar", "event": "autumn", "language": "en", "currency": "KRW"}

    def __init__(self, site):
        self.collection = site.url + "/api/v1/organizers/bazaar/events/autumn/items/"

    @staticmethod
    def expected(row):
        was, now = number(row["original_price"]), number(row["default_price"])
        description = (row["description"] or {}).get("en")
        return {
            "id": row["id"], "name": row["name"]["en"], "description": description,
            "price": was if was is not None else now, "sale_price": now if was is not None else None,
            "currency": "KRW", "stock": None, "images": [row["picture"]] if row["picture"] else [],
        }

    @staticmethod
    def new(number):
        return {"name": {"en": f"새 물건 {number}"}, "default_price": "5.00", "internal_name": f"new-{number}"}


class Oscar:
    """Standalone products; price and stock are those of the first partner."""

    count, page = 300, 100

    def __init__(self, site):
        self.collection = site.url + "/api/admin/products/"
        self.partner = site.url + "/api/admin/partners/1/"
        self.parameters = {"partner": self.partner, "currency": "KRW", "product_class": "thing"}

    def expected(self, row):
        record = next((record for record in row["stockrecords"] if record["partner"] == self.partner), {})
        return {
            "id": row["id"], "name": row["title"], "description": row["description"],
            "price": number(record.get("price")), "sale_price": None, "currency": "KRW",
            "stock": record.get("num_in_stock"), "images": [image["original"] for image in row["images"]],
        }

    @staticmethod
    def new(number):
        return {
            "product_class": "thing", "structure": "standalone", "title": f"새 물건 {number}", "slug": f"new-{number}",
            "upc": f"new-{number}"}


KINDS = {"pretix": Pretix, "oscar": Oscar}
