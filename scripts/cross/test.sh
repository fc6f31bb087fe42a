#!/bin/sh
# Runs the tests of a build that scripts/cross/arm64.sh prepared, under qemu: those in C by meson, with ten times the time; those in
# Python here, since they start programs themselves. Not run: docs, which compiles programs and starts them.
#   scripts/cross/test.sh BUILD [word...]     a word: only Python tests whose name holds it
set -u
cd "$(dirname "$0")/../.."
build=$(cd "$1" && pwd)
shift
launchers=$build/launchers
failed=0

mkdir -p "$launchers"
for program in ridge tests/cli/sample tests/golden/driver tests/report/pictures; do
    to=$launchers/${program##*/}
    printf '#!/bin/sh\nexec qemu-aarch64 -L %s %s "$@"\n' "$build/arm64" "$build/$program" >"$to"
    chmod +x "$to"
done
version=$("$launchers/ridge" --version | sed 's/.* //')

# wanted NAME words: is it among the words?
wanted() {
    name=$1
    shift
    [ $# = 0 ] && return 0
    for word; do case $name in *"$word"*) return 0 ;; esac; done
    return 1
}
words=$*
# python NAME file arguments: prints what is not ok, and a line
python() {
    name=$1
    shift
    # shellcheck disable=SC2086  # a list of words
    wanted "$name" $words || return 0
    if said=$(python3 "$@" 2>&1) && ! echo "$said" | grep -q '^not ok'; then
        echo "ok $name: $(echo "$said" | grep -c '^ok')"
    else
        echo "not ok $name"
        echo "$said" | grep -v '^ok'
        failed=1
    fi
}

if [ -z "$words" ]; then
    # shellcheck disable=SC2046  # a list of names
    meson test -C "$build" -t 10 --print-errorlogs $(meson test -C "$build" --list --suite unit --suite layers --suite fuzz --suite header |
        sed -n 's,^ridge:[a-z+]* / ,,p' | grep -v '^report/pictures$') || failed=1
fi
python cli tests/cli/run.py "$launchers/ridge" "$version" "$launchers/sample"
python malformed tests/cli/run.py "$launchers/ridge" "$version" tests/malformed/*.case
for name in truth known symbolic models; do
    python "golden/$name" "tests/golden/$name.py" "$launchers/driver"
done
python golden/agreement tests/golden/agreement.py "$launchers/driver" "$launchers/ridge"
for name in predict_agreement machines predict sweep; do
    python "golden/$name" "tests/golden/$name.py" "$launchers/ridge"
done
python report/pictures tests/report/pictures.py "$launchers/pictures"
exit $failed
