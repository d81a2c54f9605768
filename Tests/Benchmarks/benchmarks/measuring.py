"""Runs commands and takes what the kernel says of each: wall time, CPU time, peak memory."""

import dataclasses
import os
import statistics
import subprocess

from . import tools


@dataclasses.dataclass(frozen=True)
class Sample:
    """What one run cost."""

    wall: float
    cpu: float
    memory: float

    def __add__(self, other):
        return Sample(self.wall + other.wall, self.cpu + other.cpu, max(self.memory, other.memory))


class Failed(Exception):
    """A command that was to be measured did not do its work."""


@dataclasses.dataclass
class Command:
    """A command with its folder and variables; `before` runs unmeasured ahead of each run."""

    arguments: list
    folder: object = None
    variables: dict = dataclasses.field(default_factory=dict)
    before: object = None

    def run(self):
        """Runs it once. All of its processes count, as far as it waits for them; stdout is thrown away."""
        if self.before:
            self.before()
        reading, writing = os.pipe()
        result = subprocess.run(
            [str(argument) for argument in [tools.compiled("measure"), writing, *self.arguments]],
            cwd=self.folder,
            env=os.environ | self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[writing],
            check=False,
        )
        os.close(writing)
        with open(reading, encoding="ascii") as report:
            figures = report.read().split()
        if result.returncode != 0:
            text = result.stderr.decode(errors="replace")[-2_000:]
            raise Failed(f"{' '.join(map(str, self.arguments))} ended with {result.returncode}\n{text}")
        wall, cpu, kilobytes = map(float, figures)
        sample = Sample(wall, cpu, kilobytes / 1024)
        return sample


def alternately(runs, commands, warm_up=True):
    """Runs the commands by turns, so that a machine that slows down slows all of them.

    Takes a mapping of names to commands, or to functions that return a sample, and returns one of names to samples. A
    first pass warms caches and does not count.
    """
    samples = {name: [] for name in commands}
    for turn in range(-1 if warm_up else 0, runs):
        for name, command in commands.items():
            sample = command.run() if isinstance(command, Command) else command()
            if turn >= 0:
                samples[name].append(sample)
            tools.progress(f"{name} {turn + 1}/{runs}: {sample}" if turn >= 0 else f"{name} warm-up: {sample}")
    return samples


@dataclasses.dataclass(frozen=True)
class Series:
    """One figure of several runs."""

    values: tuple

    @property
    def median(self):
        return statistics.median(self.values)


def series(samples, figure):
    """One figure of some samples: `wall`, `cpu` or `memory`."""
    return Series(tuple(getattr(sample, figure) for sample in samples))


class Usage:
    """What a running process and its children used since this was made, from /proc."""

    def __init__(self, pid):
        self.pid = pid
        self.start = self._cpu()

    def _pids(self):
        pids = [self.pid]
        for pid in pids:
            try:
                with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                    pids += map(int, file.read().split())
            except FileNotFoundError:
                pass
        return pids

    def _cpu(self):
        ticks = 0
        for pid in self._pids():
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def cpu(self):
        """Seconds of CPU since this was made."""
        return self._cpu() - self.start

    def memory(self):
        """The peak in MiB, of all processes together."""
        total = 0
        for pid in self._pids():
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        return total / 1024
