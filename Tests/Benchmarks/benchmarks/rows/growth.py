"""How the cost grows with the number of products."""

import dataclasses

from .. import servers, shops
from ..measuring import Series, alternately, series
from ..table import Growth
from . import server
from .exports import export_command
from .listings import plan_command, validate_command
from .row import Row


def grown(work, products, samples):
    """CPU time and memory as points of the growth table."""
    return [
        Growth(f"{work}, CPU", "s", products, series(samples, "cpu")),
        Growth(f"{work}, peak memory", "MiB", products, series(samples, "memory")),
    ]


def growth(products):
    """The row of one number of products."""

    def measure(binary, runs):
        folder = shops.with_pages(binary, products)
        commands = {"validate": validate_command(binary, folder)}
        commands["plan --refresh none"] = plan_command(binary, folder, "--refresh", "none")
        samples = alternately(runs, commands)
        with servers.nginx(folder / "pages"):
            samples |= alternately(runs, {"plan": plan_command(binary, folder), "export": export_command(binary)})
        points = [point for work, taken in samples.items() for point in grown(work, products, taken)]
        with servers.serve(binary, folder / "shop.db") as usage:
            pages = {"first": 1, "last": products // server.PAGE_SIZE}
            rates = alternately(
                runs, {name: lambda page=page: server.load(server.list_path(page)) for name, page in pages.items()}
            )
            for name, values in rates.items():
                points.append(Growth(f"serve, {name} page of 20", "/s", products, Series(tuple(values))))
            points.append(Growth("serve, peak memory", "MiB", products, Series((usage.memory(),))))
        return points

    return measure


ROWS = [
    dataclasses.replace(
        Row(
            f"growth-{name}",
            f"`validate`, `plan`, `export` and `serve` with {f'{products:,}'.replace(',', ' ')} products",
            growth(products),
        ),
        million=products == 1_000_000,
    )
    for name, products in [("1k", 1_000), ("10k", 10_000), ("100k", 100_000), ("1m", 1_000_000)]
]
