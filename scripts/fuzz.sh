#!/bin/sh
# Runs every fuzzer for SECONDS each under clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#   scripts/fuzz.sh SECONDS [NAME...]      NAME: catalog, config, formula, history, json, machine
# New inputs are kept in build-fuzz/work/NAME. What fails stays in build-fuzz/NAME-*: mend it and add the input to tests/fuzz/corpus/NAME.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/fuzz.sh SECONDS [NAME...]" >&2; exit 2; }
seconds=$1
shift
[ $# -gt 0 ] || set -- catalog config formula history json machine

build=build-fuzz
[ -e $build/build.ninja ] ||
    env CC="${CC:-clang-14}" meson setup $build -Dfuzzers=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 >/dev/null
ninja -C $build >$build/build.log 2>&1 || { cat $build/build.log >&2; exit 1; }

failed=0
for name; do
    mkdir -p "$build/work/$name"
    echo "== $name: $seconds s"
    ASAN_OPTIONS=allocator_may_return_null=1 "$build/tests/fuzz/fuzz_$name" "$build/work/$name" "tests/fuzz/corpus/$name" \
        -dict="tests/fuzz/$name.dict" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2500 -malloc_limit_mb=1500 \
        -artifact_prefix="$build/$name-" -print_final_stats=1 >"$build/$name.log" 2>&1 || failed=1
    grep -E 'ERROR|SUMMARY|fuzz.*: |Test unit written|number_of_executed_units|new_units_added|Base64' "$build/$name.log" || true
done
exit $failed
