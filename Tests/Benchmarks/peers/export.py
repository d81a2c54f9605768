"""What one would write to export a catalog: export.py URL FILE, eight pages at once, rows in the market's order."""

import asyncio
import csv
import sys

import aiohttp
import orjson

PAGE_SIZE = 100
AT_ONCE = 8
COLUMNS = [
    "id", "name", "description", "price", "currency", "bargain_price", "discounted_price", "stock", "vendor_id",
    "vendorName", "thumbnail", "created_at", "issued_at",
]  # fmt: skip


async def main(url, path):
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:

        async def page(number):
            address = f"{url}/api/products?page_no={number}&items_per_page={PAGE_SIZE}"
            async with session.get(address) as reply:
                reply.raise_for_status()
                return orjson.loads(await reply.read())

        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            first = await page(1)
            pages = [asyncio.ensure_future(page(number)) for number in range(2, 2 + AT_ONCE)]
            following = 2 + AT_ONCE
            current = first
            for number in range(1, first["lastPage"] + 1):
                if number > 1:
                    current = await pages.pop(0)
                    if following <= first["lastPage"]:
                        pages.append(asyncio.ensure_future(page(following)))
                        following += 1
                writer.writerows([row[column] for column in COLUMNS] for row in current["pages"])


asyncio.run(main(*sys.argv[1:]))
