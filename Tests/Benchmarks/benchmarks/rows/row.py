"""What a row is, and what rows have in common."""

import dataclasses
from collections.abc import Callable

from ..measuring import series
from ..table import Line


@dataclasses.dataclass(frozen=True)
class Row:
    """Something that is measured; `measure` takes the program and the number of runs and returns lines."""

    name: str
    about: str
    measure: Callable
    only_when_named: bool = False
    million: bool = False


FIGURES = {"wall": ("wall", "s"), "cpu": ("CPU", "s"), "memory": ("peak memory", "MiB")}


def lines(row, ours, peer=None, targets=None, figures=("wall", "cpu", "memory")):
    """Lines of wall time, CPU time and memory of ours beside the peer's; targets by figure, one or several."""
    result = []
    for figure in figures:
        name, unit = FIGURES[figure]
        wanted = (targets or {}).get(figure)
        result.append(Line(row, name, unit, series(ours, figure), series(peer, figure) if peer else None, wanted))
    return result
