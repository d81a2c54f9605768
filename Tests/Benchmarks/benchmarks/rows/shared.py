"""States that several machines share, and the workers of a run."""

import datetime
import itertools
import json
import os
import subprocess

from .. import postgresql, servers, shops, tools
from ..measuring import Command, Failed, Series, alternately
from ..table import Line, ratio_at_least, ratio_at_most
from .listings import PRODUCTS, plan_command
from .row import Row, lines

# So many that the last chunks, which come out uneven, do not count.
CREATES = 10_240
DELAY = 50


def copied(binary, folder, server, schema):
    """The state of a shop in the database as well; the shop keeps its own."""
    copy = tools.SCRATCH / "copied"
    tools.remove(copy)
    copy.mkdir()
    for file in (folder / ".openmarket").glob("state.db*"):
        (copy / file.name).write_bytes(file.read_bytes())
    url = server.url(schema)
    subprocess.run([binary, "state", "copy", copy / "state.db", url], check=True, stderr=subprocess.DEVNULL)
    return url


def creates_100k(binary, runs):
    folder = shops.catalog(PRODUCTS)
    trash = tools.SCRATCH / "creates-100k-shared-trash"
    tools.remove(trash)
    count = 0

    def run(*flags):
        nonlocal count
        count += 1
        shops.put_aside(folder, trash / str(count))
        command = shops.apply(binary, folder)
        command.arguments += flags
        with servers.serve(binary, folder / "shop.db"):
            return command.run()

    with postgresql.server() as server:
        commands = {
            "postgresql": lambda: run("--state", server.url(f"creates_{count}")),
            "sqlite": run,
        }
        samples = alternately(runs, commands, warm_up=False)
    # The other rows go on from here.
    (folder / "listed").touch()
    tools.remove(trash)
    return lines("shared-creates", samples["postgresql"], samples["sqlite"], {"wall": ratio_at_most(1.3)})


def plan(binary, runs):
    folder = shops.listed(binary, PRODUCTS)
    with postgresql.server() as server:
        url = copied(binary, folder, server, "plan")
        samples = alternately(
            runs,
            {
                "postgresql": plan_command(binary, folder, "--refresh", "none", "--state", url),
                "sqlite": plan_command(binary, folder, "--refresh", "none"),
            },
        )
    return lines("shared-plan", samples["postgresql"], samples["sqlite"], {"wall": ratio_at_most(2)})


def state_list(binary, runs):
    folder = shops.listed(binary, PRODUCTS)
    empty = tools.SCRATCH / "state"
    empty.mkdir(exist_ok=True)
    with postgresql.server() as server:
        url = copied(binary, folder, server, "list")
        options = ["--quiet", "--url", servers.URL, "--api", "v2b", "--state", url]
        samples = alternately(
            runs,
            {
                "state list": Command([binary, "state", "list", *options], empty, variables=tools.CREDENTIALS),
                "rows": Command([tools.compiled("rows"), folder / ".openmarket/state.db"]),
            },
        )
    return lines("shared-state-read", samples["state list"], samples["rows"], {"cpu": ratio_at_most(4)})


def looks(binary, runs):
    """What shows a few lines reads a few, however large shop and run are."""
    large, small = (shops.listed(binary, products) for products in (PRODUCTS, 1_000))
    result = []
    with postgresql.server() as server:
        urls = {folder: copied(binary, folder, server, folder.name.replace("-", "_")) for folder in (large, small)}
        for name in ["history", "status", "ping"]:
            for kind in ["file", "shared"]:

                def look(folder, name=name, kind=kind):
                    place = urls[folder] if kind == "shared" else folder / ".openmarket/state.db"
                    options = ["--quiet", "--url", servers.URL, "--api", "v2b", "--state", place]
                    command = Command([binary, name, *options], tools.SCRATCH, variables=tools.CREDENTIALS)
                    if name != "ping":
                        return command.run()
                    with servers.serve(binary, folder / "shop.db"):
                        return command.run()

                samples = alternately(runs, {"large": lambda: look(large), "small": lambda: look(small)})
                targets = {"cpu": ratio_at_most(1.5)}
                figures = ["wall", "cpu"]
                result += lines(f"look-{name}-{kind}", samples["large"], samples["small"], targets, figures)
    return result


def workers(binary, runs):
    """How much more two and four carry out than one, where the market is what they wait for."""
    folder = tools.made("uploads", CREATES, 2_000, servers.PORT)
    with postgresql.server() as server, servers.paced(DELAY):
        numbers = itertools.count()
        counts = {f"{count} workers": count for count in (1, 2, 4)}
        rates = alternately(
            runs,
            {
                name: lambda count=count: creates_a_second(binary, folder, server.url(f"run_{next(numbers)}"), count)
                for name, count in counts.items()
            },
            warm_up=False,
        )
    alone = rates["1 workers"]
    result = [Line("workers-1", "creates", "/s", Series(tuple(alone)))]
    for count in [2, 4]:
        linear = Series(tuple(rate * count for rate in alone))
        together = Series(tuple(rates[f"{count} workers"]))
        result.append(Line(f"workers-{count}", "creates", "/s", together, linear, ratio_at_least(0.9)))
    return result


def creates_a_second(binary, folder, url, count):
    """Lists a catalog with so many workers, the apply among them; says what the run itself took."""
    options = ["--quiet", "--parallelism", 8, "--state", url]
    subprocess.run([binary, "state", "init", url, "--quiet"], check=True)
    others = [
        subprocess.Popen(
            [str(word) for word in [binary, "work", "--wait", "5m", *options]],
            cwd=folder,
            env=os.environ | tools.CREDENTIALS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(count - 1)
    ]
    Command([binary, "apply", "--yes", *options], folder, variables=tools.CREDENTIALS).run()
    for other in others:
        if other.wait() != 0:
            raise Failed(f"a worker ended with {other.returncode}")
    history = [binary, "history", "--limit", "1", "--json", "--state", url]
    shown = subprocess.run(history, cwd=folder, env=os.environ | tools.CREDENTIALS, check=True, stdout=subprocess.PIPE)
    run = json.loads(shown.stdout)["runs"][0]
    begun, ended = (datetime.datetime.fromisoformat(run[key]) for key in ["started_at", "finished_at"])
    if run["totals"]["done"] != CREATES:
        raise Failed(f"{run['totals']} of {CREATES}")
    return CREATES / (ended - begun).total_seconds()


ROWS = [
    Row(
        "shared-creates",
        "`apply` of 100 000 creates with small pictures on the reference server, the state in PostgreSQL; peer: the "
        "state in a file",
        creates_100k,
    ),
    Row(
        "shared-plan",
        "`plan --refresh none` of 100 000 products, nothing changed, the state in PostgreSQL; peer: the state in a file",
        plan,
    ),
    Row(
        "shared-state-read",
        "`state list` of 100 000 products from PostgreSQL; peer: all rows of the same state in a file read in C",
        state_list,
    ),
    Row(
        "looks",
        "`history`, `status` and `ping` in a shop of 100 000 products that one run listed, the state in a file and in "
        "PostgreSQL; peer: the same in a shop of 1 000",
        looks,
    ),
    Row(
        "workers",
        "`apply` of 10 240 creates on a server that answers after 50 ms, 8 at once, with `work` beside it: 2 and 4 "
        "workers in all; peer: 2 and 4 times what one does",
        workers,
    ),
]
