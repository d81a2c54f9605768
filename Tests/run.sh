#!/bin/sh
# Builds everything and runs the tests. Arguments go to swift test: sh Tests/run.sh --filter PlannerTests
#
# One test at a time: many talk to servers in the same process, and long property tests on the same few threads would
# let their answers wait until time is up.
set -eu

cd "$(dirname "$0")/.."
sh .ci/packages
exec swift test --disable-xctest --no-parallel --explicit-target-dependency-import-check error "$@"
