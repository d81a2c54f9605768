#!/bin/sh
# Builds everything and runs the tests. Arguments go to swift test: sh Tests/run.sh --filter PlannerTests
set -eu

cd "$(dirname "$0")/.."
sh .ci/packages
exec swift test --disable-xctest --parallel --explicit-target-dependency-import-check error "$@"
