#!/bin/sh
# Runs every test of a build folder and ends with "N passed, N failed", counting single cases, not executables.
#   scripts/run_tests.sh BUILD [meson test options]
set -u
cd "$(dirname "$0")/.."
build=$1
shift
rm -f "$build/meson-logs/testlog.junit.xml"
meson test -C "$build" --print-errorlogs "$@"
exec python3 scripts/count_tests.py "$build/meson-logs/testlog.junit.xml" $?
