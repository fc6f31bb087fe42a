#!/bin/sh
# Every header compiles alone with warnings as errors, include/ridge.h also as C++. Prints TAP.
#   check.sh SOURCE_ROOT CC [args]
set -u
cd "$1" || exit 1
shift
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla -Wconversion -Werror"
n=0

# check LABEL HEADER command...: compiles a file that includes this header alone
check() {
    label=$1 header=$2
    shift 2
    n=$((n + 1))
    if output=$(printf '#include "%s"\n' "$header" | "$@" -fsyntax-only - 2>&1); then
        echo "ok $n - $label"
    else
        echo "not ok $n - $label"
        echo "$output" | sed 's/^/# /'
    fi
}

# Headers in the words of one instruction set are compiled for it; those written over such a vocabulary come after one.
quiet="-Wno-unused-function -Wno-unused-macros"
wide="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx512vbmi -mavx2 -mfma -mf16c $quiet"
lanes=avx512 arch=x86
machine=$("$@" -dumpmachine)
case $machine in aarch64*) wide=$quiet lanes=neon arch=arm ;; esac
for path in $(find src include -name node_modules -prune -o -name '*.h' -print | LC_ALL=C sort); do
    flags= needs=
    case $path in
    src/kernel/gemm/x86/blocks_tmpl.h | src/kernel/gemm/x86/int8_tmpl.h | src/kernel/gemm/x86/unpack_tmpl.h)
        # over names of the file that includes it, which compiles it
        n=$((n + 1))
        echo "ok $n - $path # SKIP part of a file"
        continue
        ;;
    src/kernel/gemm/x86/avx512.h) flags=-Wno-unused-function needs=x86_64 ;; # its functions carry their targets
    *avx2.h | *avx512.h) flags=$wide needs=x86_64 ;;
    *neon.h | src/kernel/gemv/arm/tiles_tmpl.h) flags=$quiet needs=aarch64 ;;
    src/kernel/gemm/x86/units_tmpl.h) flags="$quiet -include kernel/gemm/x86/avx512.h" needs=x86_64 ;;
    src/kernel/gemv/tiles_tmpl.h | src/kernel/gemv/wide_tmpl.h) flags="$wide -include kernel/gemv/gemv.h -include kernel/gemv/$arch/lanes_$lanes.h" ;;
    esac
    if [ "${machine#"$needs"}" = "$machine" ] && [ -n "$needs" ]; then
        n=$((n + 1))
        echo "ok $n - $path # SKIP another instruction set"
        continue
    fi
    # shellcheck disable=SC2086  # a list of flags
    check "$path" "${path#*/}" "$@" -std=c17 -D_GNU_SOURCE $warnings -Isrc -Iinclude $flags -x c
done
# One file that includes them all: no two types, functions or macros share a name. Code of one instruction set, which is compiled once for
# each, stays out.
all=$(find src include -name node_modules -prune -o -name '*.h' -print | grep -v -e _tmpl.h -e '/x86/' -e '/arm/' | LC_ALL=C sort)
n=$((n + 1))
if output=$(for path in $all; do echo "#include \"${path#*/}\""; done |
    "$@" -std=c17 -D_GNU_SOURCE $warnings -Isrc -Iinclude -fsyntax-only -x c - 2>&1); then
    echo "ok $n - all headers in one file"
else
    echo "not ok $n - all headers in one file"
    echo "$output" | sed 's/^/# /'
fi
if [ -e include/ridge.h ]; then
    cxx=$(command -v g++ || command -v clang++ || command -v clang++-14)
    if [ -n "$cxx" ]; then
        check "include/ridge.h as C++" ridge.h "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c++
        check "include/ridge_measure.h as C++" ridge_measure.h "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c++
    else
        n=$((n + 1))
        echo "ok $n - include/ridge.h as C++ # SKIP no C++ compiler"
    fi
fi
echo "1..$n"
