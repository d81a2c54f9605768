#!/bin/sh
# Compares what `openmarket export` reads of markets that are not ours, value by value, with what a reader in Python reads
# (compare.py), has `openmarket market probe --write` find their descriptions right, and wrong ones wrong (probe.py), what
# `openmarket apply` makes there of manifests, through lost answers and kills (promise.py), and moves a shop there (moving.py).
#
#     sh Tests/Markets/run.sh [pretix|oscar]
#
# Installs pretix and django-oscar from PyPI (700 MB), fills them, serves them on loopback, and stops them again. Apart from
# .ci/run: it needs a network, Python 3.11 and minutes.
#
#     MARKETS_FOLDER      where they are installed (default: .build/markets)
#     OPENMARKET_BINARY   the program (default: that of .build)
#     MARKETS_COUNT       how many products are listed (default: 120); SEEDS, OPENMARKET_SEED: how often, and from which seed
#     RECORD_MARKETS=1    also writes the conversations that the ordinary tests replay
set -eu

cd "$(dirname "$0")/../.."
folder=${MARKETS_FOLDER:-$PWD/.build/markets}
program=${OPENMARKET_BINARY:-$PWD/.build/debug/openmarket}
mkdir -p "$folder"

# A virtual environment with these packages, made once.
install() {
    environment=$folder/$1
    shift
    [ -e "$environment/installed" ] && return
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "$@" gunicorn
    touch "$environment/installed"
}

for market in ${1:-pretix oscar}; do
    case $market in
    pretix) install pretix pretix==2026.8.0 ;;
    oscar) install oscar 'django-oscar[sorl-thumbnail]==4.2.1' django-oscar-api==3.3.0 ;;
    *)
        echo "no market '$market': pretix or oscar" >&2
        exit 64
        ;;
    esac
    python3 Tests/Markets/compare.py "$market" "$folder" "$program"
    python3 Tests/Markets/probe.py "$market" "$folder" "$program"
    python3 Tests/Markets/promise.py "$market" "$folder" "$program" "${MARKETS_COUNT:-120}"
    # Names of pretix are texts by language, and its shop has no stock: oscar takes all but sales.
    [ "$market" != oscar ] || python3 Tests/Markets/moving.py "$market" "$folder" "$program"
done
