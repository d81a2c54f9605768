#!/bin/sh
# Builds with the package trait PostgreSQL and runs the tests of states, against a server and a pooler that the tests start in
# a temporary folder. Arguments go to swift test.
#
# Then builds the program without the trait, and checks that it does not need libpq.
set -eu

cd "$(dirname "$0")/../.."
sh .ci/packages postgresql
# The trait changes how everything is compiled: a folder of its own keeps both.
scratch=${OPENMARKET_POSTGRESQL_BUILD:-.build-postgresql}
[ $# -gt 0 ] || set -- --filter '^OpenMarketStateTests\.' --filter '\.PostgreSQL'
sh .ci/swift test --disable-xctest --no-parallel --traits PostgreSQL --scratch-path "$scratch" \
    --explicit-target-dependency-import-check error "$@"

sh .ci/swift build --product openmarket
program=$(sh .ci/swift build --show-bin-path)/openmarket
if [ -x /usr/bin/ldd ] && ldd "$program" | grep -q libpq; then
    echo "$program needs libpq, although it was built without the trait PostgreSQL." >&2
    exit 1
fi
