#!/bin/sh
# Four machines create a catalog together while everything fails that can, again and again: chaos.sh [RUNS [PRODUCTS]]
#
# Ten runs of 4 000 products unless specified. Each draws what happens from a seed, which it prints;
# OPENMARKET_CHAOS_SEED draws the same again.
set -eu

runs=${1:-10}
export OPENMARKET_CHAOS="${2:-4000}"
here=$(dirname "$0")
run=1
while [ "$run" -le "$runs" ]; do
    echo "==> Run $run of $runs"
    sh "$here/../run.sh" --filter PostgreSQLChaosTests
    run=$((run + 1))
done
