#!/bin/sh
# Builds with the package trait PostgreSQL and runs the tests of states, against a server and a pooler that the tests start in
# a temporary folder. Arguments go to swift test. `without.sh` is the other half: a build without the trait.
set -eu

cd "$(dirname "$0")/../.."
sh .ci/packages postgresql
# The trait changes how everything is compiled: a folder of its own keeps both.
scratch=${OPENMARKET_POSTGRESQL_BUILD:-.build-postgresql}
[ $# -gt 0 ] || set -- --filter '^OpenMarketStateTests\.' --filter '\.PostgreSQL'
sh .ci/swift test --disable-xctest --no-parallel --traits PostgreSQL --scratch-path "$scratch" \
    --explicit-target-dependency-import-check error "$@"
