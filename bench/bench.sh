#!/bin/sh
# What `ridge cost` takes: whole processes interleaved (wall time, peak memory), then config text -> totals in the library alone.
# Then points per second of a sweep, on one thread and on all, interleaved.
# Medians and ratios of one run; not a test, since figures belong to the machine they were taken on.
# usage: bench/bench.sh [BUILD_FOLDER] [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build} rounds=${2:-300}
ninja -C "$build" >/dev/null
echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, $(uname -sr); $rounds interleaved rounds, medians"
"$build/bench-process" "$rounds" "$build/ridge cost meta-llama/Llama-2-7b-hf" "$build/ridge cost meta-llama/Llama-3.1-405B" \
    "$build/ridge cost deepseek-ai/DeepSeek-V3" "$build/ridge --version" /bin/true
"$build/bench-library" "$rounds" examples/meta-llama--Llama-2-7b-hf/config.json examples/meta-llama--Llama-3.1-405B/config.json
"$build/bench-sweep" "$((rounds < 60 ? rounds : 60))" examples/meta-llama--Llama-2-7b-hf/config.json
