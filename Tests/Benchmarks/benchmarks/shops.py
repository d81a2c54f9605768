"""Shops whose manifest was applied once: the manifest, its state, the server's database, and the pages of its list."""

import http.client
import json
import shutil

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


def forget(folder):
    """Removes the shop of a catalog and the state that knows it."""
    for name in [".openmarket", "shop.db-images", "pages"]:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ["shop.db", "shop.db-wal", "shop.db-shm", "listed"]:
        (folder / name).unlink(missing_ok=True)


def listed(binary, products):
    """The folder of a catalog that was applied; done once, for it takes minutes."""
    folder = catalog(products)
    if not (folder / "listed").exists():
        tools.progress(f"listing {products} products on the reference server")
        forget(folder)
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
        shutil.rmtree(pages, ignore_errors=True)
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
