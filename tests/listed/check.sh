#!/bin/sh
# Every C file in a folder of tests/ is named where it is compiled, so that none falls out unnoticed. Prints TAP.
#   check.sh SOURCE_ROOT
set -u
cd "$1/tests" || exit 1

# a meson.build as one line, without its comments; nothing where there is none
words() {
    [ ! -e "$1" ] || sed 's/#.*//' "$1" | tr '\n' ' '
}

# named FOLDER NAME: 'NAME.c' or, of a fuzzer, 'NAME': in FOLDER/meson.build; 'FOLDER/NAME.c' or 'FOLDER': [..., 'NAME', ...] beside the folders
named() {
    case $(words "$1/meson.build") in *"'$2.c'"* | *"'$2':"*) return 0 ;; esac
    case $all in *"'$1/$2.c'"*) return 0 ;; esac
    row=${all#*"'$1': ["}
    [ "$row" != "$all" ] || return 1
    case ${row%%]*} in *"'$2'"*) return 0 ;; esac
    return 1
}

all=$(words meson.build)
n=0
for path in */*.c; do
    name=${path##*/}
    n=$((n + 1))
    if named "${path%/*}" "${name%.c}"; then
        echo "ok $n - $path"
    else
        echo "not ok $n - $path"
        echo "# no meson.build names tests/$path: it is not compiled, and no test"
    fi
done
echo "1..$n"
