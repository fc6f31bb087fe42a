#!/bin/sh
# Predicted against measured GPU kernel times: errors of the pure roofline and of the estimate. docs/accuracy.md reads the table.
# DIR has <machine id>/{gemm,attention_prefill,attention_decode}.csv.gz; the measured rows are no part of Ridge.
# usage: bench/accuracy.sh [BUILD_FOLDER] [DIR] [--csv | --json | --worst N]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build} dir=${2:-../shared/measured}
[ $# -gt 2 ] && shift 2 || set --
if ! ls "$dir"/*/gemm.csv.gz >/dev/null 2>&1; then
    echo "no measured rows in $dir: nothing to compare with" >&2
    exit 0
fi
for file in "$dir"/*/*.csv.gz; do
    operator=$(basename "$file" .csv.gz) machine=$(basename "$(dirname "$file")")
    echo "@ $machine $operator"
    gzip -dc "$file"
done | "$build/bench-accuracy" "$@"
