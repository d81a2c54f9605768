"""Exports of the whole catalog."""

import subprocess

from .. import servers, shops, tools
from ..measuring import Command, Sample, alternately
from ..table import at_most, ratio_at_most
from .listings import fetch_command
from .row import Row, lines

PRODUCTS = 100_000
DELAY = 20
AT_ONCE = 8


def export_command(binary, api="v2b"):
    """From no manifest and no state."""
    folder = tools.SCRATCH / "export"
    folder.mkdir(exist_ok=True)
    arguments = ["export", "--quiet", "--url", servers.URL, "--api", api, "-o", "catalog.csv"]
    return Command([binary, *arguments, "--parallelism", AT_ONCE], folder)


def described_copy(binary):
    """The built-in market's description under another name: to the program, one that it never saw."""
    path = tools.SCRATCH / "copy.market.yaml"
    shown = subprocess.run([binary, "market", "show", "v2b"], check=True, capture_output=True, text=True).stdout
    path.write_text(shown.replace("\nname: v2b", "\nname: copy", 1), encoding="utf-8")
    return path


def aiohttp_command():
    return Command(tools.python(tools.PEERS / "export.py", servers.URL, tools.SCRATCH / "export/peer.csv"))


def export(binary, runs):
    folder = shops.with_pages(binary, PRODUCTS)
    commands = {"export": export_command(binary), "aiohttp": aiohttp_command(), "fetch": fetch_command()}
    with servers.nginx(folder / "pages"):
        samples = alternately(runs, commands)
    targets = {"wall": ratio_at_most(0.3), "cpu": ratio_at_most(0.25), "memory": at_most(32)}
    return [
        *lines("export", samples["export"], samples["aiohttp"], targets),
        *lines("export-fetch", samples["export"], samples["fetch"], {"cpu": ratio_at_most(5)}),
    ]


def export_paced(binary, runs):
    folder = shops.with_pages(binary, PRODUCTS)
    rounds = -(-PRODUCTS // shops.PAGE_SIZE // AT_ONCE)
    limit = Sample(wall=rounds * DELAY / 1000, cpu=0, memory=0)
    with servers.paced(DELAY, folder / "pages"):
        samples = alternately(runs, {"export-20ms": export_command(binary)})
    return lines("export-20ms", samples["export-20ms"], [limit], {"wall": ratio_at_most(1.1)}, figures=["wall"])


def export_described(binary, runs):
    folder = shops.with_pages(binary, PRODUCTS)
    commands = {"described": export_command(binary, described_copy(binary)), "built-in": export_command(binary)}
    with servers.nginx(folder / "pages"):
        samples = alternately(runs, commands)
    return lines(
        "export-described", samples["described"], samples["built-in"], {"cpu": ratio_at_most(1.15)}
    )


ROWS = [
    Row(
        "export",
        "`export` of 100 000 products to CSV from pages of 100 that nginx serves, 8 at once; peers: aiohttp with "
        "orjson and csv (export), and curl that fetches the same pages and throws them away (export-fetch)",
        export,
    ),
    Row(
        "export-described",
        "the same export by a description in a file, a copy of the built-in market's; peer: by the built-in market",
        export_described,
    ),
    Row(
        "export-20ms",
        "the same export from a server that answers after 20 ms; peer: the limit, 125 rounds of 20 ms",
        export_paced,
    ),
]
