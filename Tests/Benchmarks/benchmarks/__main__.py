"""Reads the arguments, measures the rows, prints the table."""

import argparse
import pathlib
import shutil
import subprocess
import sys

from . import rows, table, tools
from .measuring import Failed


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh", description="Measures openmarket beside its peers.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="which rows; see --list")
    parser.add_argument("--list", action="store_true", help="show the rows and end")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="how often each is measured (5)")
    parser.add_argument("--million", action="store_true", help="the rows with 1 000 000 products, too")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="also put the table into FILE")
    parser.add_argument("--fresh", action="store_true", help="make the data and the shops again")
    return parser.parse_args()


def chosen(options):
    known = {row.name: row for row in rows.ALL}
    unknown = [name for name in options.rows if name not in known]
    if unknown:
        raise SystemExit(f"no such row: {', '.join(unknown)}; --list shows them")
    if options.rows:
        return [known[name] for name in options.rows]
    return [row for row in rows.ALL if not row.only_when_named and (options.million or not row.million)]


def main():
    options = arguments()
    if options.list:
        width = max(len(row.name) for row in rows.ALL)
        for row in rows.ALL:
            print(f"{row.name:<{width}}  {row.about}")
        return 0
    wanted = chosen(options)
    if options.fresh:
        shutil.rmtree(tools.SCRATCH, ignore_errors=True)
    tools.SCRATCH.mkdir(exist_ok=True)
    binary = tools.binary()
    version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    measured, failed = [], []
    for row in wanted:
        print(f"{row.name}: {row.about}", file=sys.stderr, flush=True)
        try:
            measured += row.measure(binary, options.runs)
        except Failed as failure:
            failed.append(row.name)
            tools.progress(f"failed: {failure}")
    lines = [line for line in measured if isinstance(line, table.Line)]
    growth = [point for point in measured if isinstance(point, table.Growth)]
    print(table.plain(lines, growth))
    if options.markdown and measured:
        table.put_into(options.markdown.resolve(), table.markdown(lines, growth, options.runs, version))
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
