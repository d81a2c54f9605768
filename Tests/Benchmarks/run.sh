#!/bin/sh
# Measures openmarket beside what one would use instead, and prints one table: run.sh [ROW…]
#
#   --list           the rows and what they mean
#   --runs N         how often each is measured; the table holds medians (5)
#   --million        the rows with 1 000 000 products, too
#   --markdown FILE  also puts the table into FILE, between its two markers
#   --fresh          makes the data and the shops again
#
# Without a ROW it is all but what takes many minutes. OPENMARKET_BINARY=… measures another program than the release
# that it builds. What it needs it makes or installs: its data from a seed, the peers into .build-benchmarks, nginx,
# wrk and the headers of libyaml, libpq, SQLite and zlib with apt-get where they are missing. docs/contributing/performance.md has the rest.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null 2>&1 || {
    echo 'Python 3 is missing: the benchmarks are run by it (Debian: apt-get install python3 python3-venv).' >&2
    exit 1
}
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 exec python3 -m benchmarks "$@"
