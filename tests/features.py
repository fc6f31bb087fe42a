"""What the program under test or this system may lack, and the marks of cases that depend on it.

    needs sqlite          the case is skipped where ridge was built without it
    needs gnuplot         ... where it is not installed (zsh and fish, too)
    needs namespaces      ... where nobody here may mount something over /sys for one process alone
    without sqlite        the case runs only there

meson tells the runners what a build lacks: --without=sqlite,onednn."""

import functools
import shutil
import subprocess
import sys

OF_BUILDS = ("sqlite", "hwloc", "onednn", "learn", "curl", "microhttpd")
OF_SYSTEMS = ("gnuplot", "zsh", "fish", "namespaces")
IN_NAMESPACE = ["unshare", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /sys"]


@functools.cache
def is_here(name):
    """Does this system have one of OF_SYSTEMS?"""
    if name != "namespaces":
        return shutil.which(name) is not None
    return shutil.which("unshare") is not None and subprocess.run(IN_NAMESPACE, capture_output=True).returncode == 0


def take_missing(arguments):
    """The arguments without --without=..., and the names of what is not there."""
    missing = {name for name in OF_SYSTEMS if not is_here(name)}
    rest = []
    for argument in arguments:
        option, equals, names = argument.partition("=")
        if option != "--without" or not equals:
            rest.append(argument)
            continue
        for name in filter(None, names.split(",")):
            if name not in OF_BUILDS + OF_SYSTEMS:
                sys.exit(f"--without={name}: it takes {', '.join(OF_BUILDS + OF_SYSTEMS)}")
            missing.add(name)
    return rest, missing


def read_mark(text, where):
    """("needs" or "without", name) of "needs sqlite" and the like; None where it is no mark."""
    word, _, name = text.strip().partition(" ")
    if word not in ("needs", "without"):
        return None
    if name not in OF_BUILDS + OF_SYSTEMS:
        sys.exit(f"{where}: '{text.strip()}': what is needed, or not there, is one of {', '.join(OF_BUILDS + OF_SYSTEMS)}")
    return word, name


def reason_to_skip(marks, missing):
    """Why a case with these marks does not run; "" where it does."""
    for word, name in marks:
        if (name in missing) == (word == "needs"):
            return f"needs {name}" if word == "needs" else f"for a build without {name}"
    return ""
