#!/bin/sh
# Runs fuzzers for SECONDS each under clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, as many at once as there are CPUs.
#   scripts/fuzz.sh [--record] [--fast] SECONDS [NAME...]      NAME: those of tests/fuzz/meson.build, all unless given
# --fast: without sanitizers, two to four times as many inputs a second. What is new is found so; the next run without --fast has it too.
# New inputs are kept in build-fuzz/work/NAME. What fails stays in build-fuzz/NAME-*: mend it and add the input to tests/fuzz/corpus/NAME.
# --record adds a line per fuzzer to tests/fuzz/executions.csv, of which scripts/fuzzed.py makes the table of docs/testing.md.
# Every fifth run takes inputs of up to 1 MiB: sizes find what contents don't.
set -eu
cd "$(dirname "$0")/.."
record=no build=build-fuzz how=sanitizers
[ "${1:-}" != --record ] || { record=yes; shift; }
[ "${1:-}" != --fast ] || { build=build-fuzz-fast how=fast; shift; }
[ $# -ge 1 ] || { echo "usage: scripts/fuzz.sh [--record] [--fast] SECONDS [NAME...]" >&2; exit 2; }
seconds=$1
shift

inputs=build-fuzz/work
options=-Db_sanitize=address,undefined
[ $how != fast ] || options=-Dc_args=-fno-sanitize-coverage=trace-cmp
[ -e $build/build.ninja ] ||
    env CC="${CC:-clang-14}" meson setup $build -Dfuzzers=true "$options" -Db_lundef=false -Doptimization=2 >/dev/null
ninja -C $build fuzzers >$build/build.log 2>&1 || { cat $build/build.log >&2; exit 1; }
[ $# -gt 0 ] || set -- $(cd $build/tests/fuzz && find . -maxdepth 1 -type f -name 'fuzz_*' | sed 's,./fuzz_,,' | sort)
cat tests/fuzz/catalog.dict tests/fuzz/config.dict >$build/entries.dict
cp tests/fuzz/machine.dict $build/machines.dict

# `fuzz NAME SECONDS OPTIONS...`: a run; its numbers go into build-fuzz/NAME.units
fuzz() {
    name=$1 time=$2
    shift 2
    dict=tests/fuzz/$name.dict
    [ -e "$dict" ] || dict=$build/$name.dict
    [ ! -e "$dict" ] || set -- "$@" "-dict=$dict"
    failed=0
    ASAN_OPTIONS=allocator_may_return_null=1 "$build/tests/fuzz/fuzz_$name" "$inputs/$name" "tests/fuzz/corpus/$name" "$@" \
        -max_total_time="$time" -timeout=60 -rss_limit_mb=2500 -malloc_limit_mb=1500 \
        -artifact_prefix="$build/$name-" -print_final_stats=1 >"$build/$name.log" 2>&1 || failed=1
    sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log" >>"$build/$name.units"
    grep -E 'ERROR|SUMMARY|fuzz.*: |Test unit written|Base64' "$build/$name.log" || true
    return $failed
}

run() {
    name=$1
    large=$((seconds / 5))
    [ $large -ge 1 ] || large=1
    mkdir -p "$inputs/$name"
    : >"$build/$name.units"
    failed=0
    fuzz "$name" $((seconds > large ? seconds - large : 1)) -max_len=16384 || failed=1
    fuzz "$name" $large -max_len=1048576 -len_control=0 || failed=1
    units=$(awk '{ n += $1 } END { print n + 0 }' "$build/$name.units")
    echo "== $name: $units inputs in $seconds s, $([ $failed = 0 ] && echo no failure || echo FAILED)"
    [ $record = no ] || echo "$(date -u +%Y-%m-%d),$(git rev-parse --short HEAD),$name,$how,$seconds,$units,$failed" >>tests/fuzz/executions.csv
    return $failed
}

# a lane per CPU: each takes every nth fuzzer
lanes=$(nproc) lane=0 running=
while [ $lane -lt "$lanes" ]; do
    (
        place=0 failures=0
        for name; do
            [ $((place % lanes)) != $lane ] || run "$name" || failures=1
            place=$((place + 1))
        done
        exit $failures
    ) &
    running="$running $!"
    lane=$((lane + 1))
done
failures=0
for lane in $running; do
    wait "$lane" || failures=1
done
exit $failures
