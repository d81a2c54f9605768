"""Applies that create."""

from .. import servers, shops, tools
from ..measuring import Command, Series, alternately
from ..table import Line, at_most, ratio_at_most
from .row import Row, lines


def fresh_apply(binary, folder, parallelism):
    """Lists a catalog from a state that knows nothing. The state lies beside the folder, for it goes each time."""
    state = folder / "fresh"

    def before():
        tools.remove(state)

    return Command(
        [binary, "apply", "--yes", "--quiet", "--parallelism", parallelism, "--state", state / "state.db"],
        folder,
        variables=tools.CREDENTIALS,
        before=before,
    )


def curl(folder, parallelism):
    """The same requests, the bodies put together by curl."""
    arguments = ["-sSf", "--parallel", "--parallel-max", parallelism, "--config", "curl.conf"]
    return Command([tools.program("curl"), *arguments], folder)


def uploads(row, count, size, milliseconds, targets, binary, runs):
    folder = tools.made("uploads", count, size, servers.PORT)
    with servers.paced(milliseconds):
        samples = alternately(runs, {"apply": fresh_apply(binary, folder, 16), "curl": curl(folder, 16)})
    return lines(row, samples["apply"], samples["curl"], targets)


def creates(binary, runs):
    targets = {"wall": ratio_at_most(1.1), "cpu": ratio_at_most(2), "memory": at_most(40)}
    return uploads("creates", 2_000, 100_000, 20, targets, binary, runs)


def writes(binary, runs):
    return uploads("writes", 10_000, 2_000, 0, {}, binary, runs)


def creates_100k(binary, runs):
    folder = shops.catalog(100_000)
    trash = tools.SCRATCH / "creates-100k-trash"
    tools.remove(trash)
    sizes, server = [], []

    def run():
        shops.put_aside(folder, trash / str(len(sizes)))
        with servers.serve(binary, folder / "shop.db") as usage:
            sample = shops.apply(binary, folder).run()
            server.append((usage.cpu(), usage.memory()))
        files = (folder / ".openmarket").glob("state.db*")
        sizes.append(sum(file.stat().st_size for file in files) / 1e6)
        return sample

    samples = alternately(runs, {"creates-100k": run}, warm_up=False)["creates-100k"]
    # The other rows go on from here.
    (folder / "listed").touch()
    tools.remove(trash)
    return [
        *lines("creates-100k", samples, targets={"cpu": at_most(25), "memory": at_most(200)}),
        Line("creates-100k", "state", "MB", Series(tuple(sizes)), target=at_most(80)),
        Line("creates-100k", "server's CPU", "s", Series(tuple(cpu for cpu, _ in server)), target=at_most(40)),
        Line("creates-100k", "server's peak memory", "MiB", Series(tuple(memory for _, memory in server))),
    ]


ROWS = [
    Row(
        "creates",
        "`apply` of 2 000 creates with a picture of 100 KB each, 16 at once, on a server that answers after 20 ms; "
        "peer: `curl --parallel --parallel-max 16` with the same requests",
        creates,
    ),
    Row(
        "writes",
        "`apply` of 10 000 creates with a picture of 2 KB each, 16 at once, on a server that answers at once: what "
        "plan, journal, and multipart bodies cost; peer: curl with the same requests, which has no journal",
        writes,
    ),
    Row(
        "creates-100k",
        "`apply` of 100 000 creates with small pictures, 8 at once, on the reference server",
        creates_100k,
    ),
]
