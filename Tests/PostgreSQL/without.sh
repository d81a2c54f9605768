#!/bin/sh
# Builds the program without the package trait PostgreSQL, and checks that it does not need libpq.
set -eu

cd "$(dirname "$0")/../.."
sh .ci/packages
sh .ci/swift build --product openmarket
program=$(sh .ci/swift build --show-bin-path)/openmarket
if [ -x /usr/bin/ldd ] && ldd "$program" | grep -q libpq; then
    echo "$program needs libpq, although it was built without the trait PostgreSQL." >&2
    exit 1
fi
