#!/bin/sh
# Builds the program without the package trait PostgreSQL, and checks that it does not need libpq.
set -eu

cd "$(dirname "$0")/../.."
sh .ci/packages
# With the flags of Tests/run.sh, so that only our own code is compiled again, and not optimised.
unset OPENMARKET_TEST_RELEASE OPENMARKET_TEST_INDEX
export OPENMARKET_LINK_CHECK=1
flags='-c release -Xcc -O0 --explicit-target-dependency-import-check error'
# The flags are several words.
# shellcheck disable=SC2086
sh .ci/swift build $flags --product openmarket
# shellcheck disable=SC2086
program=$(sh .ci/swift build $flags --show-bin-path)/openmarket
if [ -x /usr/bin/ldd ] && ldd "$program" | grep -q libpq; then
    echo "$program needs libpq, although it was built without the trait PostgreSQL." >&2
    exit 1
fi
