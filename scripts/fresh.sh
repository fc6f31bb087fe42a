#!/bin/sh
# The first day, on a bare Debian 12 made for it: README's commands line by line as it has them (set-up, tests, installation, tour, C
# example, measuring, removal), then those of docs/*.md. Says each one's exit status and seconds; ends at the first that is wrong.
# The system has no /sys, and the clone lies in a folder with a space and an umlaut. Wants root, debootstrap and a mirror.
#   scripts/fresh.sh [--as root,sudo,user] [--mirror URL] [--cache FOLDER] [--quick] [FOLDER]
#     --as       who does it: root without sudo; somebody with sudo; somebody without, for whom gcc, meson and ninja are there (all three)
#     --mirror   of Debian (http://deb.debian.org/debian)
#     --cache    keeps the bare system and what apt fetches, for the next time
#     --quick    without ./test and without what measures
#     FOLDER     where the systems are made, and stay; else a temporary one, removed at the end
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
users=root,sudo,user mirror=http://deb.debian.org/debian cache='' quick=no folder=''
while [ $# -gt 0 ]; do
    case $1 in
    --as) users=${2:?"fresh: --as whom?"} && shift ;;
    --mirror) mirror=${2:?"fresh: --mirror: which?"} && shift ;;
    --cache) cache=${2:?"fresh: --cache: which folder?"} && shift ;;
    --quick) quick=yes ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *) folder=$1 ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || { echo "fresh: only root makes a system of its own" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh: debootstrap is missing (apt-get install debootstrap)" >&2; exit 2; }

if [ -n "$folder" ]; then
    mkdir -p "$folder" && folder=$(cd "$folder" && pwd)
else
    folder=$(mktemp -d /var/tmp/ridge-fresh-XXXXXX)
    trap 'rm -rf "$folder"' EXIT
fi
cache=${cache:-$folder/cache}
mkdir -p "$cache/apt/partial"
cache=$(cd "$cache" && pwd)

# `npm_settings ROOT`: where this machine has npm's packages from, as --mirror says it of Debian's, and whom it believes
npm_settings() {
    echo "registry=$(npm config get registry 2>/dev/null || echo https://registry.npmjs.org/)"
    [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || { cp "$NODE_EXTRA_CA_CERTS" "$1/etc/npm-authorities.crt" && echo "cafile=/etc/npm-authorities.crt"; }
}

# `inside ROOT COMMAND...`: in that system, with /proc and /dev and without /sys; what it starts and mounts ends with it
inside() {
    at=$1
    shift
    unshare --mount --pid --fork --kill-child sh -c '
        mount --make-rprivate / && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --bind "$2" "$1/var/cache/apt/archives"
        root=$1 && shift 2 && exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
            "$@"' sh "$at" "$cache/apt" "$@"
}

if [ ! -e "$cache/bare/complete" ]; then
    echo "== a bare Debian 12 from $mirror"
    rm -rf "$cache/bare"
    debootstrap --variant=minbase bookworm "$cache/bare" "$mirror" >"$cache/debootstrap.log" 2>&1 || { tail -n 20 "$cache/debootstrap.log" >&2; exit 1; }
    # what apt fetches is kept in the cache
    echo 'Binary::apt::APT::Keep-Downloaded-Packages "true"; APT::Keep-Downloaded-Packages "true";' >"$cache/bare/etc/apt/apt.conf.d/keep"
    : >"$cache/bare/complete"
fi

# the shell that a user types into: step LINE STATUS COMMAND, file NAME TEXT
prelude=$(
    cat <<'END'
step() {
    case $quick:$3 in yes:./test | yes:ridge\ machine\ calibrate* | yes:ridge\ bench* | yes:ridge\ compare* | yes:ridge\ profile* | yes:ridge\ experiment*) return ;; esac
    since=$(date +%s.%N) found=0
    eval "$3" >"$log" 2>&1 </dev/null || found=$?
    took=$(echo "$since $(date +%s.%N)" | awk '{printf "%.1f", $2 - $1}')
    printf '%4s %6s s  %s:%s  $ %.120s\n' "$found" "$took" "$document" "$1" "$(printf '%s\n' "$3" | head -n 1)"
    [ "$found" = "$2" ] && return
    echo "fresh: exit status $found, not $2; the last it said:"
    tail -n 40 "$log"
    exit 1
}
file() { mkdir -p "$(dirname "$1")" && printf '%s\n' "$2" >"$1" || exit 1; }
END
)

# README, then each page of docs in a folder of its own that looks like the tree (as tests/docs/run.py has it)
script_of() {
    echo "user=$1 quick=$quick log=\$(mktemp)"
    printf '%s\n' "$prelude"
    # README: root leaves sudo out
    [ "$1" != root ] || echo 'sudo() { "$@"; }'
    echo 'cd "$HOME/für mich/ridge" && document=README.md'
    python3 "$here/tests/docs/steps.py" "--without=$2" "$here/README.md" console sh
}

docs_of() {
    echo "user=$1 quick=$quick log=\$(mktemp)"
    printf '%s\n' "$prelude"
    echo 'tree="$HOME/für mich/ridge" && PATH=$tree/build:$PATH'
    echo 'ln -sfn "$tree" /tmp/tree && ln -sfn "$tree/build" /tmp/build && sed "s,^prefix=.*,prefix=/tmp/build,; s,^srcdir=.*,srcdir=/tmp/tree," "$tree/build/meson-uninstalled/ridge-uninstalled.pc" >/tmp/ridge.pc'
    echo 'export PKG_CONFIG_PATH=/tmp LD_LIBRARY_PATH="$tree/build"'
    for page in "$here"/docs/*.md; do
        echo "document=docs/$(basename "$page") work=\$(mktemp -d) && cd \"\$work\" && mkdir build home && ln -s \"\$tree\"/catalog \"\$tree\"/examples \"\$tree\"/include ."
        echo "ln -s \"\$tree/build/ridge\" build/ridge && export HOME=\"\$work/home\""
        python3 "$here/tests/docs/steps.py" "--without=$2" "$page"
    done
}

for user in $(echo "$users" | tr , ' '); do
    root=$folder/$user
    echo "== $user"
    rm -rf "$root"
    cp -a "$cache/bare" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    home=/root who=root
    case $user in
    sudo | user)
        home=/home/anna who=anna
        inside "$root" useradd -m -s /bin/sh anna
        ;;
    esac
    packages='' without=''
    case $user in
    sudo) packages=sudo && mkdir -p "$root/etc/sudoers.d" && echo 'anna ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/anna" ;;
    user) packages="gcc libc6-dev meson ninja-build pkg-config" without=sqlite,hwloc,onednn,learn,curl,gnuplot ;;
    esac
    # shellcheck disable=SC2086  # a list of words
    [ -z "$packages" ] || inside "$root" sh -c "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Options::=--force-confold install --no-install-recommends $packages" >"$folder/$user.log" 2>&1 ||
        { tail -n 20 "$folder/$user.log" >&2; exit 1; }
    npm_settings "$root" >"$root$home/.npmrc"
    mkdir -p "$root$home/für mich"
    git clone -q --no-hardlinks "$here" "$root$home/für mich/ridge"
    script_of "$user" "$without" >"$root/readme.sh"
    docs_of "$user" "$without" >"$root/docs.sh"
    [ "$who" = root ] || inside "$root" chown -R anna: /home/anna
    for script in /readme.sh /docs.sh; do
        if [ "$who" = root ]; then inside "$root" sh "$script"; else inside "$root" su - anna -c "sh $script"; fi
    done
done
echo "fresh: all of it went as README says"
