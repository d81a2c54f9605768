#!/bin/sh
# Builds everything and runs the tests. Arguments go to swift test: sh Tests/run.sh --filter PlannerTests
#
# Without arguments everything runs, in several processes side by side: what needs neither process nor socket runs its
# tests in parallel. What talks to servers in its own process runs one test at a time, because long computations on the
# same few threads would let their answers wait until time is up. What starts the real program mostly waits: for a
# market, or for the time that a market is given.
set -eu

cd "$(dirname "$0")/.."
# The trait PostgreSQL and the tests of a state there, where OPENMARKET_TEST_TRAITS names it.
traits=${OPENMARKET_TEST_TRAITS:-}
sh .ci/packages tests ${traits:+postgresql}
# A release, of the dependencies, too: the thousands of processes that the tests start take less than half of the time.
# But for the libraries in C, which they hardly use.
flags='-c release -Xcc -O0 --explicit-target-dependency-import-check error'" ${traits:+--traits $traits}"
# See Package.swift.
export OPENMARKET_TEST_RELEASE=1
# The flags are several words.
# shellcheck disable=SC2086
folder=$(sh .ci/swift build $flags --show-bin-path)
export OPENMARKET_TEST_INDEX="$folder/index/store"
if [ $# -gt 0 ]; then
    # shellcheck disable=SC2086
    exec sh .ci/swift test --disable-xctest --no-parallel $flags "$@"
fi
# shellcheck disable=SC2086
sh .ci/swift build --build-tests $flags
bundle=$folder/openmarketPackageTests.xctest

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'trap - INT TERM HUP; kill 0' INT TERM HUP

# group NAME ARGUMENT…: starts a group; its output and its exit code go to files.
group() {
    name=$1
    shift
    # What only computes fills the time in which the others wait.
    first=
    [ "$name" != computations ] || first='nice -n 10'
    (
        status=0
        # On Linux the bundle is a program: several of swift test at once wait for each other's locks, or fail.
        if [ -f "$bundle" ]; then
            # Several words, or none.
            # shellcheck disable=SC2086
            NO_COLOR=1 $first "$bundle" --testing-library swift-testing "$@" >"$logs/$name.log" 2>&1 || status=$?
        else
            # shellcheck disable=SC2086
            sh .ci/swift test --skip-build --ignore-lock --disable-xctest $flags "$@" >"$logs/$name.log" 2>&1 || status=$?
        fi
        echo "$status" >"$logs/$name.status"
        # Of what it started, too.
        times >"$logs/$name.times"
    ) &
}

computations='^(YAMLTests|OpenMarketTests|OpenMarketDescriptionTests|OpenMarketManifestTests|OpenMarketReviewTests|OpenMarketApplyTests|OpenMarketWorkflowTests|OpenMarketHistoryTests)\.'
pipelines='^OpenMarketCLITests\.(GitHubTests|GitLabTests|PreCommitTests)'
github='^OpenMarketCLITests\.GitHubTests'
commands='^OpenMarketCLITests\.'
# Parts of them, so that the last ones do not run alone.
commands_a='^OpenMarketCLITests\.[A-DO]'
commands_b='^OpenMarketCLITests\.[E-M]'
commands_c='^OpenMarketCLITests\.[NP]'
reliability='^OpenMarketReliabilityTests\.'
faults='^OpenMarketReliabilityTests\.FaultMatrixTests'
kills='^OpenMarketReliabilityTests\.KillSweepTests'
replies='^OpenMarketReliabilityTests\.(LostReplyTests|TamperedReplyTests)'
machines='^OpenMarketReliabilityTests\.PostgreSQL'

# The tests start a copy of the program, because what runs beside them may build it again. On Linux it is linked with Swift's
# runtime inside, as .ci/release does it, and so starts in two thirds of the time; SwiftPM would compile everything for that.
program=$folder/tested/openmarket
mkdir -p "$folder/tested"
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
runtime=$toolchain/../lib/swift_static/linux
if [ "$(uname -s)" = Linux ] && [ -d "$runtime" ] && [ -x "$toolchain/ld.lld" ]; then
    libraries=$(cd "$runtime" && ls lib*Foundation*.a | sed 's/^lib/-l/; s/\.a$//')
    # Several words each.
    # shellcheck disable=SC2086
    swiftc -static-stdlib -use-ld=lld -o "$program" "@$folder/openmarket.product/Objects.LinkFileList" \
        $libraries -lyaml -lz ${traits:+-lpq} -lstdc++ -Xlinker --gc-sections \
        -Xlinker --defsym=main=OpenMarketCLI_main -Xlinker "--version-script=$PWD/.ci/no-exports.map"
else
    cp "$folder/openmarket" "$program"
fi
export OPENMARKET_BINARY="$program"

# A command that OPENMARKET_TEST_BESIDE names runs beside the tests, once all is built, in the time that they leave.
beside=${OPENMARKET_TEST_BESIDE:-}
if [ -n "$beside" ]; then
    (
        status=0
        nice -n 19 sh -c "$beside" >"$logs/beside.log" 2>&1 || status=$?
        echo "$status" >"$logs/beside.status"
        times >"$logs/beside.times"
    ) &
fi
# A seed makes the same history in every process.
export SWIFT_DETERMINISTIC_HASHING=1
group computations --parallel --filter "$computations"
group kills --no-parallel --filter "$kills"
group replies --no-parallel --filter "$replies"
group faults --no-parallel --filter "$faults"
group reliability --no-parallel --filter "$reliability" --skip "$kills" --skip "$replies" --skip "$machines" --skip "$faults"
group commands-a --no-parallel --filter "$commands_a"
group commands-b --no-parallel --filter "$commands_b" --skip "$pipelines"
group commands-c --no-parallel --filter "$commands_c" --skip "$pipelines"
group commands --no-parallel --filter "$commands" --skip "$commands_a" --skip "$commands_b" --skip "$commands_c" \
    --skip "$pipelines"
group github --no-parallel --filter "$github"
group pipelines --no-parallel --filter "$pipelines" --skip "$github"
# All others, so that no new target is left out.
group servers --no-parallel --skip "$computations" --skip "$reliability" --skip "$commands"
groups='computations servers commands-a commands-b commands-c commands pipelines github reliability faults replies kills'
# Without the trait there are none.
if [ -n "$traits" ]; then
    group machines --no-parallel --filter "$machines"
    groups="$groups machines"
fi
[ -z "$beside" ] || groups="$groups beside"
wait

for name in $groups; do
    printf '\n==> %s\n' "$name"
    cat "$logs/$name.log"
done

printf '\n==> The slowest suites, in seconds\n'
sed -n 's/^.* Suite \(.*\) \(passed\|failed\) after \([0-9.]*\) seconds.*$/\3 \1/p' "$logs"/*.log | sort -rn | head -n 10
printf '\n==> In all\n'
for name in $groups; do
    printf '%-14s CPU %-22s %s\n' "$name" "$(tail -n 1 "$logs/$name.times")" "$(grep '^. Test run with' "$logs/$name.log")"
done

# A test that did not run has proved nothing: it must not look like one that passed.
skipped=$(grep -hE '^➜ (Test|Suite) .* skipped' "$logs"/*.log | sort -u || true)
if [ -n "$skipped" ]; then
    printf '\n==> Skipped, because something is not installed here\n%s\n' "$skipped"
fi

# Last, because a log of this length is often cut: what failed, and where a group ended that crashed.
failed=0
if [ -f "$bundle" ]; then
    # By these names a test could be in two groups, or in none.
    known=$("$bundle" --testing-library swift-testing --list-tests | wc -l)
    run=$(sed -n 's/^.* Test run with \([0-9]*\) test.*$/\1/p' "$logs"/*.log | awk '{ sum += $1 } END { print sum + 0 }')
    if [ "$run" -ne "$known" ]; then
        failed=1
        printf '\n==> There are %s tests, and the groups ran %s\n' "$known" "$run"
    fi
fi
for name in $groups; do
    status=$(cat "$logs/$name.status")
    [ "$status" != 0 ] || continue
    failed=1
    printf '\n==> %s failed: exit code %s\n' "$name" "$status"
    grep -E '^✘|Fatal error|Program crashed' "$logs/$name.log" | tail -n 40 || true
    grep -q '^. Test run with' "$logs/$name.log" || tail -n 60 "$logs/$name.log"
done
exit $failed
