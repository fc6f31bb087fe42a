#!/bin/sh
# Prepares a build for arm64 on an x86-64 Debian 12. Needs no root and installs nothing: the arm64 libraries are Debian's packages,
# unpacked below the build folder. docs/arm64.md says what must be there before, and how to go on.
#   scripts/cross/arm64.sh BUILD [meson setup options]
set -eu
build=$1
shift
cd "$(dirname "$0")/../.."
packages="libc6 libgcc-s1 libstdc++6 libgomp1 libgfortran5 libudev1 libcmocka0 libcmocka-dev libsqlite3-0 libsqlite3-dev
    libhwloc15 libhwloc-dev libdnnl2 libdnnl-dev libopenblas0-pthread libtree-sitter0 libtree-sitter-dev"

mkdir -p "$build/arm64"
root=$(cd "$build/arm64" && pwd)
if [ ! -e "$root/complete" ]; then
    for package in $packages; do
        # each in a folder of its own: what was there before is never taken for it
        mkdir -p "$root/packages/$package"
        (cd "$root/packages/$package" && apt-get download -qq "$package:arm64")
        dpkg-deb -x "$root/packages/$package/"*.deb "$root"
    done
    # what Debian's alternatives would point to
    ln -sf openblas-pthread/libopenblas.so.0 "$root/usr/lib/aarch64-linux-gnu/libopenblas.so.0"
    rm -rf "$root/packages"
    : >"$root/complete"
fi
printf '[constants]\nroot = %s\n' "'$root'" >"$root/root.ini"
meson setup "$build" --cross-file "$root/root.ini" --cross-file scripts/cross/aarch64-linux-gnu.ini "$@"
