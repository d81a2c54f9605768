#!/bin/sh
# Writes docs/reference/ from the program: records the pages that ReferencePageTests compares, then compares them.
set -eu

cd "$(dirname "$0")/.."
# A test that records fails, so that it cannot pass by mistake.
RECORD_GOLDEN=1 sh Tests/run.sh --filter ReferencePageTests || true
sh Tests/run.sh --filter ReferencePageTests
