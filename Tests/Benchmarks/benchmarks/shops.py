"""Shops whose manifest was applied once: the manifest, its state, the server's database, and the pages of its list."""

import http.client
import json

from . import servers, tools
from .measuring import Command

PAGE_SIZE = 100


def catalog(products):
    """The folder of a manifest of so many products, for the shop of the same number."""
    return tools.made("catalog", products, servers.PORT)


def apply(binary, folder, parallelism=8):
    """The command that lists the whole catalog."""
    return Command(
        [binary, "apply", "--yes", "--quiet", "--parallelism", parallelism], folder, variables=tools.CREDENTIALS
    )


# What an apply and the server leave in the folder of a catalog.
LEFT = [".openmarket", "listed", "pages", "shop-images", "shop.db", "shop.db-shm", "shop.db-wal"]


def put_aside(folder, target):
    """Moves the shop of a catalog, and the state that knows it, to another folder.

    Nothing is deleted here: ext4 does not take a deleted file's place again for half a minute, and searches long for
    another one, so whoever makes many files right after many were deleted pays for it.
    """
    target.mkdir(parents=True)
    for name in LEFT:
        if (folder / name).exists():
            (folder / name).rename(target / name)


def listed(binary, products):
    """The folder of a catalog that was applied; done once, for it takes minutes."""
    folder = catalog(products)
    if not (folder / "listed").exists():
        tools.progress(f"listing {products} products on the reference server")
        for name in LEFT:
            tools.remove(folder / name)
        with servers.serve(binary, folder / "shop.db"):
            apply(binary, folder).run()
        (folder / "listed").touch()
    return folder


def with_pages(binary, products):
    """The same with `pages`, the list as files."""
    folder = listed(binary, products)
    pages = folder / "pages"
    if not (pages / "complete").exists():
        tools.progress(f"keeping the list of {products} products as files")
        tools.remove(pages)
        with servers.serve(binary, folder / "shop.db"):
            connection = http.client.HTTPConnection("127.0.0.1", servers.PORT)
            # The first request of openmarket asks for one product, to see whom it talks to.
            for size, numbers in [(1, [1]), (PAGE_SIZE, range(1, products // PAGE_SIZE + 1))]:
                (pages / str(size)).mkdir(parents=True)
                for number in numbers:
                    connection.request("GET", f"/api/products?page_no={number}&items_per_page={size}")
                    body = connection.getresponse().read()
                    if len(json.loads(body)["pages"]) != size:
                        raise SystemExit(f"page {number} of {products} products is not whole")
                    (pages / str(size) / f"{number}.json").write_bytes(body)
            connection.close()
        (pages / "complete").touch()
    return folder
