#!/bin/sh
# Fuzzes the parsers: run.sh [SECONDS for each, 30 by default] [PARSER ...], or only builds the fuzzer: run.sh build
#
# Starts from Corpus/PARSER and from what earlier runs found, which is kept outside of git, in .build-fuzz/corpus. The
# inputs of crashes and of what took longer than ten seconds or two gigabytes stay in .build-fuzz/findings; such an
# input ends that parser's run. Exit status 1 when anything was found.
#
# OPENMARKET_FUZZ_OPTIMIZATION=-Onone builds in a quarter of the time what then runs ten to thirty times slower: for a first
# look.
set -eu

cd "$(dirname "$0")"
seconds=${1:-30}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- catalog csv decisions expression json manifest market multipart page picture reply table yaml

work=../../.build-fuzz
sh ../../.ci/packages
swift build --quiet -c release --scratch-path "$work" -Xswiftc "${OPENMARKET_FUZZ_OPTIMIZATION:--O}"
[ "$seconds" != build ] || exit 0
program=$(swift build -c release --scratch-path "$work" --show-bin-path)/fuzz

# fuzz PARSER: runs one, and says in one line what came of it.
fuzz() {
    parser=$1
    corpus=$work/corpus/$parser
    findings=$work/findings/$parser
    log=$work/$parser.log
    mkdir -p "$corpus" "$findings"
    rm -f "$work/$parser.found"
    case $parser in
    catalog | decisions | json | page | reply) dictionary=-dict=json.dict ;;
    manifest | market | yaml) dictionary=-dict=yaml.dict ;;
    multipart) dictionary=-dict=multipart.dict ;;
    *) dictionary=-verbosity=1 ;;
    esac
    SWIFT_BACKTRACE=enable=no OPENMARKET_FUZZ=$parser nice "$program" "-max_total_time=$seconds" "$dictionary" \
        -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$findings/" "$corpus" \
        "Corpus/$parser" >"$log" 2>&1 || touch "$work/$parser.found"
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    kept=$(find "$corpus" -type f | wc -l)
    result='nothing found'
    # With the input itself, for a machine that is gone tomorrow.
    [ ! -e "$work/$parser.found" ] || result="FOUND:
$(grep -E 'Fatal error|ERROR: |SUMMARY: |Test unit written|Base64: ' "$log" | sed 's/^/    /')"
    printf '%-10s %10s executions  %6s edges  %5d inputs kept  %s\n' \
        "$parser" "${executions:-?}" "${coverage:-?}" "$kept" "$result"
}

status=0
while [ $# -gt 0 ]; do
    # Two side by side: each takes one core.
    fuzz "$1" &
    [ $# -eq 1 ] || fuzz "$2" &
    wait
    for parser in "$1" "${2:-}"; do
        [ ! -e "$work/$parser.found" ] || status=1
    done
    shift "$(($# > 1 ? 2 : 1))"
done
exit $status
