"""Lines of the result, and how they are printed."""

import dataclasses
import datetime
import os
import platform
import re
import subprocess

from .measuring import Series


@dataclasses.dataclass(frozen=True)
class Target:
    """A bound: of ours itself, or of its ratio to the peer."""

    bound: float
    of_ratio: bool
    upwards: bool = False

    def is_met(self, ours, ratio):
        value = ratio if self.of_ratio else ours
        return value >= self.bound if self.upwards else value <= self.bound

    def spelled(self, unit):
        sign = "≥" if self.upwards else "≤"
        return f"{sign} {spelled_ratio(self.bound)}" if self.of_ratio else f"{sign} {amount(self.bound, unit)}"


def at_most(value):
    """Ours is at most this."""
    return Target(value, of_ratio=False)


def ratio_at_most(value):
    """Ours is at most so many times the peer's."""
    return Target(value, of_ratio=True)


def ratio_at_least(value):
    """Ours is at least so many times the peer's."""
    return Target(value, of_ratio=True, upwards=True)


@dataclasses.dataclass(frozen=True)
class Line:
    """One figure of a row."""

    row: str
    figure: str
    unit: str
    ours: Series
    peer: Series = None
    target: Target = None

    @property
    def ratio(self):
        return self.ours.median / self.peer.median if self.peer and self.peer.median else None

    def cells(self):
        met = ""
        if self.target:
            met = "yes" if self.target.is_met(self.ours.median, self.ratio) else "NO"
        return [
            self.row,
            self.figure,
            span(self.ours, self.unit),
            span(self.peer, self.unit) if self.peer else "",
            spelled_ratio(self.ratio) if self.ratio else "",
            self.target.spelled(self.unit) if self.target else "",
            met,
        ]


@dataclasses.dataclass(frozen=True)
class Growth:
    """One figure of one command at one number of products."""

    work: str
    unit: str
    products: int
    ours: Series


def amount(value, unit):
    """A figure with three digits that count."""
    scale, unit = (1000, "ms") if unit == "s" and value < 0.1 else (1, unit)
    return f"{digits(value * scale)}{unit if unit == '/s' else f' {unit}'}"


def digits(value):
    """A number with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def span(series, unit):
    """The median; of more than one value also the smallest and the largest, in the same unit."""
    scale = 1000 if unit == "s" and series.median < 0.1 else 1
    low, high = (digits(bound(series.values) * scale) for bound in (min, max))
    return amount(series.median, unit) + (f" ({low}–{high})" if low != high else "")


def spelled_ratio(ratio):
    """`1.5×`, and `1/60×` where it is far below 1."""
    if ratio >= 0.1:
        return f"{ratio:.2f}×"
    return f"1/{1 / ratio:.0f}×"


HEADER = ["row", "figure", "openmarket", "peer", "ratio", "target", "met"]


def plain(lines, growth):
    """The table for a terminal."""
    tables = []
    if lines:
        tables.append(aligned([HEADER] + [line.cells() for line in lines]))
    if growth:
        tables.append(aligned(grown(growth)))
    return "\n\n".join(tables)


def aligned(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def grown(growth):
    """A row for each figure, a column for each number of products."""
    sizes = sorted({point.products for point in growth})
    rows = [["products"] + [f"{size:,}".replace(",", " ") for size in sizes]]
    for work, unit in dict.fromkeys((point.work, point.unit) for point in growth):
        found = {point.products: point for point in growth if point.work == work}
        rows.append([work] + [amount(found[size].ours.median, unit) if size in found else "" for size in sizes])
    return rows


def markdown(lines, growth, runs, version):
    """The tables with the date and the machine, for docs/contributing/performance.md."""
    parts = [f"{datetime.date.today().isoformat()}, openmarket {version}, {machine()}. Medians of {runs}."]
    for table in [[HEADER] + [line.cells() for line in lines]] * bool(lines) + [grown(growth)] * bool(growth):
        head, *rows = table
        text = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
        text += [f"| {' | '.join(row)} |" for row in rows]
        parts.append("\n".join(text))
    return "\n\n".join(parts)


BEGIN = "<!-- measured: sh Tests/Benchmarks/run.sh --markdown docs/contributing/performance.md -->"
END = "<!-- end -->"


def put_into(path, text):
    """Replaces what is between the markers of a file."""
    content = path.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    replaced, count = pattern.subn(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", content)
    if count != 1:
        raise SystemExit(f"{path} has to hold the two markers once:\n{BEGIN}\n{END}")
    path.write_text(replaced, encoding="utf-8")


def machine():
    """Processor, cores, memory, system and compiler."""
    words = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    model = re.search(r"^Model name:\s*(.*)$", words, re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False)
    release = re.search(r"Swift version (\S+)", swift.stdout + swift.stderr)
    return (
        f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}, Swift {release.group(1) if release else 'unknown'}"
    )
