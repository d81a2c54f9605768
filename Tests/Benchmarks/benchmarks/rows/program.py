"""The program itself: how fast it starts, how large it is, how long it builds."""

from .. import tools
from ..measuring import Command, Sample, Series, alternately
from ..table import Line, at_most
from .row import Row, lines

STARTS = 20


def start(binary, runs):
    version = Command([binary, "--version"])

    def several():
        """A start is too short to be timed alone; the CPU time has steps of it."""
        samples = [version.run() for _ in range(STARTS)]
        return Sample(
            sum(sample.wall for sample in samples) / STARTS,
            sum(sample.cpu for sample in samples) / STARTS,
            max(sample.memory for sample in samples),
        )

    samples = alternately(runs, {"start": several})["start"]
    return lines("start", samples, targets={"wall": at_most(0.015)}, figures=["wall", "cpu"])


def size(binary, runs):
    return [Line("size", "binary", "MB", Series((binary.stat().st_size / 1e6,)), target=at_most(40))]


def build(binary, runs):
    scratch = tools.SCRATCH / "build"
    command = Command(
        [*tools.BUILD, "--scratch-path", scratch],
        tools.ROOT,
        before=lambda: tools.remove(scratch),
    )
    samples = alternately(runs, {"build": command}, warm_up=False)["build"]
    tools.remove(scratch)
    return lines("build", samples, targets={"wall": at_most(360)}, figures=["wall", "cpu"])


ROWS = [
    Row("start", f"`openmarket --version`, the mean of {STARTS} starts", start),
    Row("size", "the stripped binary", size),
    Row("build", "a release build from nothing, with the dependencies in the cache", build, only_when_named=True),
]
