#!/bin/sh
# Fuzzes the parsers: run.sh [SECONDS for each, 30 by default] [PARSER ...]
#
# Starts from Corpus/PARSER and from what earlier runs found, which is kept outside of git, in .build-fuzz/corpus. The
# inputs of crashes and of what took longer than ten seconds or two gigabytes stay in .build-fuzz/findings; such an
# input ends that parser's run. Exit status 1 when anything was found.
set -eu

cd "$(dirname "$0")"
seconds=${1:-30}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- csv json manifest multipart page picture reply table wire yaml

work=../../.build-fuzz
sh ../../.ci/packages
swift build --quiet -c release --scratch-path "$work"
fuzz=$(swift build -c release --scratch-path "$work" --show-bin-path)/fuzz

status=0
for parser in "$@"; do
    corpus=$work/corpus/$parser
    findings=$work/findings/$parser
    log=$work/$parser.log
    mkdir -p "$corpus" "$findings"
    case $parser in
    json | page | reply | wire) dictionary=-dict=json.dict ;;
    manifest | yaml) dictionary=-dict=yaml.dict ;;
    multipart) dictionary=-dict=multipart.dict ;;
    *) dictionary=-verbosity=1 ;;
    esac
    found=
    SWIFT_BACKTRACE=enable=no OPENMARKET_FUZZ=$parser nice "$fuzz" "-max_total_time=$seconds" "$dictionary" -max_len=8192 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$findings/" "$corpus" "Corpus/$parser" \
        >"$log" 2>&1 || found=yes
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    kept=$(find "$corpus" -type f | wc -l)
    printf '%-10s %10s executions  %6s edges  %5d inputs kept  ' "$parser" "${executions:-?}" "${coverage:-?}" "$kept"
    if [ -n "$found" ]; then
        status=1
        echo 'FOUND:'
        # With the input itself, for a machine that is gone tomorrow.
        grep -E 'Fatal error|ERROR: |SUMMARY: |Test unit written|Base64: ' "$log" | sed 's/^/    /'
    else
        echo 'nothing found'
    fi
done
exit $status
