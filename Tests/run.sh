#!/bin/sh
# Builds everything and runs the tests. Other arguments go to swift test: sh Tests/run.sh --filter PlannerTests
#
#   --all   sweeps over all four built-in markets, more seeds, and five minutes of each fuzzer
set -eu

cd "$(dirname "$0")/.."
sh .ci/packages tests
if [ "${1:-}" = --all ]; then
    export OPENMARKET_TEST_ALL=1
    shift
fi
# A release, because the tests start thousands of processes. They see what is internal. SwiftPM finds tests in the index.
flags='-c release -Xswiftc -enable-testing --enable-index-store -Xswiftc -index-ignore-system-modules'
flags="$flags -debug-info-format none -Xcc -O0 --explicit-target-dependency-import-check error"
# A seed draws the same history in every process.
export SWIFT_DETERMINISTIC_HASHING=1

# run ARGUMENT…: swift test; the flags are several words.
run() {
    # shellcheck disable=SC2086
    swift test --disable-xctest $flags "$@"
}

if [ $# -gt 0 ]; then
    run --no-parallel "$@"
    exit
fi
# shellcheck disable=SC2086
swift build --build-tests $flags

# What only computes takes both cores. What waits for servers and processes goes side by side, but never all at once:
# an answer must not wait until its time is up.
computing='^(YAML|OpenMarket|OpenMarketDescription|OpenMarketManifest|OpenMarketWorkflow)Tests\.'
run --skip-build --parallel --filter "$computing"
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
run --skip-build --parallel --skip "$computing"
[ -z "${OPENMARKET_TEST_ALL:-}" ] || sh Tests/Fuzzing/run.sh 300
