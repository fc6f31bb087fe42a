#!/bin/sh
# Installs what building and testing need on Debian 12 (nothing where all is there), then builds into build/.
#   scripts/setup.sh [--clang] [--no-build]     --clang: also clang 14 and its sanitizers, as continuous integration wants
set -eu
cd "$(dirname "$0")/.."

clang=no build=yes
for option; do
    case $option in
    --clang) clang=yes ;;
    --no-build) build=no ;;
    *) echo "usage: scripts/setup.sh [--clang] [--no-build]" >&2; exit 2 ;;
    esac
done

have() { command -v "$1" >/dev/null 2>&1; }
have_header() { echo "#include <$1>" | gcc -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h -E - >/dev/null 2>&1; }

packages=
have gcc || packages="$packages gcc"
have gcc && have_header stdio.h || packages="$packages libc6-dev"
have make || packages="$packages make"
have meson || packages="$packages meson"
have ninja || packages="$packages ninja-build"
have pkg-config || packages="$packages pkg-config"
have python3 || packages="$packages python3"
have python3 && python3 -c 'import jsonschema' 2>/dev/null || packages="$packages python3-jsonschema"
have gcc && have_header cmocka.h || packages="$packages libcmocka-dev"
have gnuplot || packages="$packages gnuplot-nox"
have gcc && have_header hwloc.h || packages="$packages libhwloc-dev"
have gcc && have_header oneapi/dnnl/dnnl.h || packages="$packages libdnnl-dev"
[ -e /usr/lib/"$(gcc -print-multiarch 2>/dev/null)"/libopenblas.so.0 ] || packages="$packages libopenblas0"
have gcc && have_header sqlite3.h || packages="$packages libsqlite3-dev"
if [ $clang = yes ]; then
    have clang-14 || packages="$packages clang-14"
    dpkg -s libclang-rt-14-dev >/dev/null 2>&1 || packages="$packages libclang-rt-14-dev"
fi

if [ -n "$packages" ]; then
    have apt-get || { echo "setup: no apt-get here; install these by other means:$packages" >&2; exit 1; }
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    echo "setup: installing$packages"
    log=$(mktemp)
    # shellcheck disable=SC2086  # a list of words
    if ! { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages; } \
        >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        exit 1
    fi
    rm -f "$log"
fi

[ $build = yes ] || exit 0
[ -e build/build.ninja ] || meson setup build >/dev/null
ninja -C build >build/build.log 2>&1 || { cat build/build.log >&2; exit 1; }
echo "setup: built in build/"
