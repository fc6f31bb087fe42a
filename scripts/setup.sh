#!/bin/sh
# Installs what is missing of what building and testing want on Debian 12 (nothing where all is there), then builds into build/.
# What is only wanted, and cannot be installed, is left out, and said. Words and progress go to stderr.
#   scripts/setup.sh [--prefix FOLDER] [--python] [--no-install] [--no-build] [--clang] [--page]
#     --prefix FOLDER   where `meson install -C build` is to install: /usr/local
#     --python          also the Python package, for whom calls: into python3's virtual environment, else into the user's own site folder
#     --no-install      builds with what is there, without asking sudo
#     --clang           also clang 14 and its sanitizers, as continuous integration wants
#     --page            also Chromium, and what its tests of the page want of npm
set -eu
here=$PWD
cd "$(dirname "$0")/.."

clang=no page=no python=no build=yes install=yes prefix=
while [ $# -gt 0 ]; do
    case $1 in
    --clang) clang=yes ;;
    --page) page=yes ;;
    --python) python=yes ;;
    --no-build) build=no ;;
    --no-install) install=no ;;
    --prefix=?*) prefix=${1#*=} ;;
    --prefix) prefix=${2:?"setup: --prefix: which folder?"} && shift ;;
    *) echo "setup: '$1': the options are --prefix FOLDER, --python, --no-install, --no-build, --clang and --page" >&2; exit 2 ;;
    esac
    shift
done
case $prefix in '' | /*) ;; *) prefix=$here/$prefix ;; esac

tell() { echo "setup: $*" >&2; }

# ---- what is missing ----
have() { command -v "$1" >/dev/null 2>&1; }
cc=${CC:-$(command -v gcc || command -v cc || command -v clang || echo gcc)}
# shellcheck disable=SC2086  # a compiler with its options
have_header() { echo "#include <$1>" | $cc -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h -E - >/dev/null 2>&1; }

needed= wanted= losses=
need() { needed="$needed $1"; }
# `want PACKAGE LOSS`: what a build without the package lacks
want() {
    wanted="$wanted $1"
    losses="$losses$1: $2
"
}

have "${cc%% *}" || need gcc
have_header stdio.h || need libc6-dev
have meson || need meson
have ninja || need ninja-build
have python3 || need python3
have pkg-config || want pkg-config "pkg-config, which finds the installed library"
have make || want make "make, whose targets are these scripts"
have_header cmocka.h || want libcmocka-dev "the tests written in C"
have python3 && python3 -c 'import jsonschema' 2>/dev/null || want python3-jsonschema "the test of --json's answers against their schemas"
have gnuplot || want gnuplot-nox "pictures as PNG and PDF; SVG is there"
have_header sqlite3.h || want libsqlite3-dev "the memory of measurements: history, baseline"
have_header curl/curl.h || want libcurl4-openssl-dev "models by their ids on the Hugging Face hub"
have_header microhttpd.h || want libmicrohttpd-dev "ridge serve: the page, and the commands over HTTP"
have_header zlib.h || want zlib1g-dev "compressed answers of ridge serve"
have_header hwloc.h || want libhwloc-dev "the topology of this machine by hwloc; /sys is read"
have_header oneapi/dnnl/dnnl.h || want libdnnl-dev "measuring beside oneDNN"
have_header tree_sitter/api.h || want libtree-sitter-dev "learning a model from its source"
# Python's grammar for it: one package of npm's, of a version and a hash that are written down; nothing of it is run
grammar=src/learn/grammar/node_modules/tree-sitter-python/src/parser.c
[ -e $grammar ] || have npm || want npm "learning a model from its source"
[ -n "$(ls /usr/lib/*/libopenblas.so.0 /usr/lib*/libopenblas.so.0 2>/dev/null)" ] || want libopenblas0 "measuring beside OpenBLAS"
if [ $page = yes ]; then
    have chromium || want chromium "the tests of the page"
    have node || want nodejs "the tests of the page"
    have npm || want npm "the tests of the page"
fi
if [ $clang = yes ]; then
    have clang-14 || need clang-14
    ls /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.asan* >/dev/null 2>&1 || need libclang-rt-14-dev
fi

# ---- installing ----
# `show PERCENT WHAT`: on a terminal one line that changes, elsewhere a line for each quarter
shown=-1
show() {
    if [ -t 2 ]; then
        printf '\r\033[Ksetup: %3d %% %.100s' "$1" "$2" >&2
        [ "$1" -lt 100 ] || printf '\r\033[K' >&2
    elif [ $(($1 / 25)) != "$shown" ]; then
        shown=$(($1 / 25))
        tell "$1 % $2"
    fi
}

# `apt WORDS...`: apt-get with its progress shown, the rest in $words; every 20 seconds what it says last, since a mirror may be slow
apt() {
    tell "apt-get $1"
    : >"$words"
    (
        seconds=0
        while sleep 1; do
            seconds=$((seconds + 1))
            [ $((seconds % 20)) != 0 ] || tell "apt-get has run for $seconds s; its last line: $(tail -n 1 "$words")"
        done
    ) </dev/null >/dev/null &
    ticker=$!
    status=0
    {
        code=0
        # shellcheck disable=SC2086  # sudo or nothing
        $sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y -o APT::Status-Fd=1 -o DPkg::Lock::Timeout=300 \
            -o Acquire::http::Timeout=30 -o Acquire::Retries=1 -o APT::Update::Error-Mode=any "$@" </dev/null 2>&1 || code=$?
        echo "exit $code"
    } | {
        while IFS= read -r line; do
            case $line in
            dlstatus:* | pmstatus:*)
                line=${line#*:*:}
                percent=${line%%:*}
                show "${percent%%.*}" "${line#*:}"
                ;;
            "exit "*) exit "${line#exit }" ;;
            *) printf '%s\n' "$line" >>"$words" ;;
            esac
        done
    } || status=$?
    kill $ticker 2>/dev/null || :
    [ ! -t 2 ] || printf '\r\033[K' >&2
    return $status
}

# empty where packages can be installed, else why not; sets $sudo
why_not() {
    sudo=
    [ $install = yes ] || { why="--no-install"; return; }
    have apt-get || { why="there is no apt-get here"; return; }
    [ "$(id -u)" != 0 ] || return 0
    have sudo || { why="only root installs, and there is no sudo"; return; }
    sudo=sudo
    sudo -n true 2>/dev/null && return
    [ -t 0 ] && [ -t 2 ] || { why="sudo wants a password"; return; }
    tell "sudo asks for your password to install:$needed$wanted"
    sudo -v || why="sudo was refused"
}

# what apt said was wrong
reasons() {
    said=$(grep -E '^(E|W|Err|dpkg):' "$words" | sort -u) || said=$(cat "$words")
    printf '%s\n' "$said" | tail -n 8 | sed 's/^/  /' >&2
}

if [ -n "$needed$wanted" ]; then
    why=
    why_not
    if [ -z "$why" ]; then
        tell "installing$needed$wanted"
        words=$(mktemp)
        trap 'rm -f "$words"' EXIT
        apt update || { tell "apt-get update failed; what apt knows from before may do:" && reasons; }
        # shellcheck disable=SC2086  # lists of words
        if apt install --no-install-recommends $needed $wanted; then
            needed= wanted=
        else
            tell "apt-get install failed:"
            reasons
            why="apt-get failed"
            if [ -n "$needed" ] && [ -n "$wanted" ] && apt install --no-install-recommends $needed; then
                needed=
            fi
        fi
    fi
    if [ -n "$needed" ]; then
        tell "cannot go on without$needed ($why); as root: apt-get install$needed$wanted"
        exit 1
    fi
    if [ -n "$wanted" ]; then
        tell "left out ($why):"
        printf '%s' "$losses" | sed 's/^/  without /' >&2
    fi
fi

# `from_npm FOLDER FILE WHAT LOSS`: the packages of FOLDER/package-lock.json, none of whose scripts is run, unless FILE is there already
from_npm() {
    [ ! -e "$2" ] || return 0
    why=
    if [ $install = no ]; then
        why="--no-install"
    elif ! have npm; then
        why="there is no npm"
    else
        tell "npm ci ($3)"
        npm ci --prefix "$1" --ignore-scripts --prefer-offline --no-audit --no-fund --no-update-notifier \
            --fetch-timeout=30000 --fetch-retries=1 </dev/null >"$1/npm.log" 2>&1 && [ -e "$2" ] || {
            tell "npm ci failed:"
            tail -n 8 "$1/npm.log" | sed 's/^/  /' >&2
            why="npm failed"
        }
        rm -f "$1/npm.log"
    fi
    if [ -n "$why" ]; then
        tell "left out ($why):"
        echo "  without $3: $4" >&2
        wanted="$wanted $1"
    fi
}
from_npm src/learn/grammar $grammar "Python's grammar" "learning a model from its source"
[ $page = no ] || from_npm tests/page tests/page/node_modules/playwright-core/package.json "playwright-core and axe-core" "the tests of the page"

# ---- building ----
[ $build = yes ] || exit 0
mkdir -p build
log=build/build.log
failed() {
    tell "$1 failed; all of it is in $log:"
    said=$(grep -A 12 -E 'FAILED|ERROR' "$log") || said=$(tail -n 20 "$log")
    printf '%s\n' "$said" | head -n 60 >&2
    exit 1
}
# a folder configured without a package that has come since, or for another prefix, is configured again
if [ ! -e build/build.ninja ]; then
    tell "configuring build/"
    meson setup build ${prefix:+"--prefix=$prefix"} >$log 2>&1 || failed "meson setup"
elif [ "$(cat build/left-out 2>/dev/null)" != "$wanted" ] || [ -n "$prefix" ]; then
    tell "configuring build/ again"
    meson setup --reconfigure build ${prefix:+"--prefix=$prefix"} >$log 2>&1 || failed "meson setup"
fi
echo "$wanted" >build/left-out
{
    code=0
    NINJA_STATUS='%p ' ninja -C build 2>&1 || code=$?
    echo "exit $code"
} | {
    while IFS= read -r line; do
        case $line in
        "exit "*) exit "${line#exit }" ;;
        *%\ *)
            percent=${line%%%*}
            case $percent in *[!0-9\ ]* | '') ;; *) show $((percent)) "${line#*% }" ;; esac
            ;;
        esac
        printf '%s\n' "$line"
    done >$log
} || failed "ninja"
if [ -n "$prefix" ]; then
    tell "'meson install -C build' installs below $prefix. To find it there, tell the shell (for good: in ~/.profile):"
    for at in PATH:bin PKG_CONFIG_PATH:lib/pkgconfig LD_LIBRARY_PATH:lib; do
        echo "  export ${at%:*}=\"$prefix/${at#*:}\${${at%:*}:+:\$${at%:*}}\"" >&2
    done
fi
# no pip: Debian's refuses to install beside its own packages (PEP 668), and may not be there
[ $python = no ] || python3 python/backend.py install --build build || { tell "the Python package could not be installed"; exit 1; }
echo "setup: built in build/"
